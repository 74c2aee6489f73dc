package io.aragonite.spark.execution;

import java.io.Serializable;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;

/**
 * What a shuffle of columns counts.
 *
 * @param rows that were written
 * @param dataSize bytes that Spark's rows of these values have: what its planning compares
 * @param sliceBytes bytes of the slices before they are compressed
 * @param nanos time of tasks that slices took to make
 */
public record ShuffleMetrics(
    SQLMetric rows, SQLMetric dataSize, SQLMetric sliceBytes, SQLMetric nanos)
    implements Serializable {
  /** The name of the metric that has the time to make slices. */
  public static final String SLICE_TIME = "sliceTime";

  /** A new one, zero. */
  public static SQLMetric sliceTime(SparkContext context) {
    return SQLMetrics.createNanoTimingMetric(context, "time to slice columns", -1);
  }
}
