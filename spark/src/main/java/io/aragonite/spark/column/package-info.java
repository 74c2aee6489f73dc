/** Spark's values as our columns, and our columns as Spark's. */
@NullMarked
package io.aragonite.spark.column;

import org.jspecify.annotations.NullMarked;
