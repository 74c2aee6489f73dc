/** Spark's physical plans as ours: types, expressions, operators, and the node that stands for them. */
@NullMarked
package io.aragonite.spark.plan;

import org.jspecify.annotations.NullMarked;
