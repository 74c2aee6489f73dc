package io.aragonite.spark.column;

/** Counts what is converted between Spark's values and our columns. */
public interface ConversionCounter {
  /** Rows of Spark became rows of ours. */
  void rows(long count);

  /** Rows of Spark's columns became rows of ours. */
  void columnRows(long count);

  /** Slices became columns of ours, which took so long, without what their source takes. */
  default void sliceNanos(long nanos) {}
}
