/** Random statements over random tables, checked against DuckDB and against themselves. */
@NullMarked
package io.aragonite.bench.fuzz;

import org.jspecify.annotations.NullMarked;
