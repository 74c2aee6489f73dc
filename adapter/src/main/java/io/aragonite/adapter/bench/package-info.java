/** Benchmarks of SQL over generated data. */
@NullMarked
package io.aragonite.adapter.bench;

import org.jspecify.annotations.NullMarked;
