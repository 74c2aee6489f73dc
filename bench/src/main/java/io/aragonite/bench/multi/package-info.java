/** Copies between devices, and joins over several of them. */
@NullMarked
package io.aragonite.bench.multi;

import org.jspecify.annotations.NullMarked;
