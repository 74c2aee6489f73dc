/** Queries of the engine by operator: aggregates, sorts, windows, sets, multiway joins. */
@NullMarked
package io.aragonite.exec.integration.operator;

import org.jspecify.annotations.NullMarked;
