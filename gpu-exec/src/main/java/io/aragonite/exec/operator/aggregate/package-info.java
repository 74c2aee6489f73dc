/** Grouping and aggregates. */
@NullMarked
package io.aragonite.exec.operator.aggregate;

import org.jspecify.annotations.NullMarked;
