/** Joins of tables that a device does not hold. */
@NullMarked
package io.aragonite.bench.outofcore;

import org.jspecify.annotations.NullMarked;
