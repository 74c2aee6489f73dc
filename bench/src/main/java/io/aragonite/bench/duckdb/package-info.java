/** DuckDB, the engine that benchmarks and tests compare with. Its driver may be missing. */
@NullMarked
package io.aragonite.bench.duckdb;

import org.jspecify.annotations.NullMarked;
