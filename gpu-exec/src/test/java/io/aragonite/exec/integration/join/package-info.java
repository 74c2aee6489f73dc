/** Queries of the engine that join: every algorithm, form and order. */
@NullMarked
package io.aragonite.exec.integration.join;

import org.jspecify.annotations.NullMarked;
