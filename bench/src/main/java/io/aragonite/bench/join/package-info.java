/** Joins of R and S in a device's memory, on the data of the papers. */
@NullMarked
package io.aragonite.bench.join;

import org.jspecify.annotations.NullMarked;
