/** Tests of the fuzzer, and a short run of it. */
@NullMarked
package io.aragonite.bench.fuzz;

import org.jspecify.annotations.NullMarked;
