package io.aragonite.spark.scan;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;

/**
 * What Spark's UI shows of the files that a fragment reads.
 *
 * @param bytes of the columns that were read, as they are in files
 * @param rowGroups that were read
 * @param rowGroupsLeftOut by their bounds
 * @param sparkFiles files, or splits of them, that Spark's reader has read
 * @param nanos time of tasks in reading
 */
public record ScanMetrics(
    SQLMetric bytes,
    SQLMetric rowGroups,
    SQLMetric rowGroupsLeftOut,
    SQLMetric sparkFiles,
    SQLMetric nanos)
    implements Serializable {
  /** New ones, all zero. */
  public static ScanMetrics create(SparkContext context) {
    return new ScanMetrics(
        SQLMetrics.createSizeMetric(context, "bytes of columns read", -1),
        SQLMetrics.createMetric(context, "row groups read"),
        SQLMetrics.createMetric(context, "row groups left out"),
        SQLMetrics.createMetric(context, "files read by Spark"),
        SQLMetrics.createNanoTimingMetric(context, "time in reading files", -1));
  }

  /** By the names under which Spark keeps them. */
  public Map<String, SQLMetric> byName() {
    Map<String, SQLMetric> metrics = new LinkedHashMap<>();
    metrics.put("scanBytes", bytes);
    metrics.put("scanRowGroups", rowGroups);
    metrics.put("scanRowGroupsLeftOut", rowGroupsLeftOut);
    metrics.put("scanSparkFiles", sparkFiles);
    metrics.put("scanTime", nanos);
    return metrics;
  }
}
