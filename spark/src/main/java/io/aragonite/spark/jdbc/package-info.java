/** Aragonite's tables in Spark through JDBC. */
@NullMarked
package io.aragonite.spark.jdbc;

import org.jspecify.annotations.NullMarked;
