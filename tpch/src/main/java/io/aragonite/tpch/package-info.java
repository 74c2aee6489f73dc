/** TPC-H data as Arrow columns, the queries, their answers, and a runner over JDBC. */
@NullMarked
package io.aragonite.tpch;

import org.jspecify.annotations.NullMarked;
