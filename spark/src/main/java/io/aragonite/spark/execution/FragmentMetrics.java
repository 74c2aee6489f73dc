package io.aragonite.spark.execution;

import io.aragonite.spark.column.ConversionCounter;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;

/**
 * What Spark's UI shows of a fragment.
 *
 * @param outputRows rows that came out
 * @param rowsMade of these, as rows of Spark's
 * @param inputRows rows of Spark that became columns
 * @param inputColumnRows rows of Spark's columns that became ours
 * @param nanos time of tasks in the fragment, inputs included
 * @param inputNanos of these, spent where inputs are asked for and converted
 * @param sliceNanos of these, in making columns of slices of shuffles
 */
public record FragmentMetrics(
    SQLMetric outputRows,
    SQLMetric rowsMade,
    SQLMetric inputRows,
    SQLMetric inputColumnRows,
    SQLMetric nanos,
    SQLMetric inputNanos,
    SQLMetric sliceNanos)
    implements ConversionCounter, Serializable {
  /** New ones, all zero. */
  public static FragmentMetrics create(SparkContext context) {
    return new FragmentMetrics(
        SQLMetrics.createMetric(context, "number of output rows"),
        SQLMetrics.createMetric(context, "columns to rows"),
        SQLMetrics.createMetric(context, "rows to columns"),
        SQLMetrics.createMetric(context, "rows of columns converted"),
        SQLMetrics.createNanoTimingMetric(context, "time in fragment", -1),
        SQLMetrics.createNanoTimingMetric(context, "time in inputs of fragment", -1),
        SQLMetrics.createNanoTimingMetric(context, "time to read slices", -1));
  }

  /** By the names under which Spark keeps them. */
  public Map<String, SQLMetric> byName() {
    Map<String, SQLMetric> metrics = new LinkedHashMap<>();
    metrics.put("numOutputRows", outputRows);
    metrics.put("rowsMade", rowsMade);
    metrics.put("inputRows", inputRows);
    metrics.put("inputColumnRows", inputColumnRows);
    metrics.put("fragmentTime", nanos);
    metrics.put("inputTime", inputNanos);
    metrics.put("sliceReadTime", sliceNanos);
    return metrics;
  }

  @Override
  public void rows(long count) {
    inputRows.add(count);
  }

  @Override
  public void columnRows(long count) {
    inputColumnRows.add(count);
  }

  @Override
  public void sliceNanos(long spent) {
    sliceNanos.add(spent);
  }
}
