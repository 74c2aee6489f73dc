/** Fragments on executors: the engine of an executor, and the tasks that run on it. */
@NullMarked
package io.aragonite.spark.execution;

import org.jspecify.annotations.NullMarked;
