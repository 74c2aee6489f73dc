/** Clocks of benchmarks. */
@NullMarked
package io.aragonite.bench.timing;

import org.jspecify.annotations.NullMarked;
