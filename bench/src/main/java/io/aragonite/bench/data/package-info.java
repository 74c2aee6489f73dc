/** What benchmarks make their rows of. */
@NullMarked
package io.aragonite.bench.data;

import org.jspecify.annotations.NullMarked;
