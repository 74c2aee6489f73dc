/** Benchmarks that check their answers; see {@code ./aragonite bench}. */
@NullMarked
package io.aragonite.exec.bench;

import org.jspecify.annotations.NullMarked;
