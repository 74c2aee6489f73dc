/** Parquet files whose splits Spark has planned, read by our reader. */
@NullMarked
package io.aragonite.spark.scan;

import org.jspecify.annotations.NullMarked;
