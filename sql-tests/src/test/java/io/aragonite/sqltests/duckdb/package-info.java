/** DuckDB as the engine to compare with: the TPC-H tables in it, and the answers made by it. */
@NullMarked
package io.aragonite.sqltests.duckdb;

import org.jspecify.annotations.NullMarked;
