package io.aragonite.spark.execution;

import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.spark.column.ConversionCounter;
import java.io.Serializable;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
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
 * @param spilledBytes that tasks have written to spill files
 * @param joins tasks' joins by the algorithm that they took; none of a fragment without joins
 */
public record FragmentMetrics(
    SQLMetric outputRows,
    SQLMetric rowsMade,
    SQLMetric inputRows,
    SQLMetric inputColumnRows,
    SQLMetric nanos,
    SQLMetric inputNanos,
    SQLMetric sliceNanos,
    SQLMetric spilledBytes,
    Map<JoinAlgorithm, SQLMetric> joins)
    implements ConversionCounter, Serializable {
  /** Those that tasks can take: that of host memory is for tables of the engine. */
  private static final Set<JoinAlgorithm> ALGORITHMS =
      EnumSet.complementOf(EnumSet.of(JoinAlgorithm.HOST_SORT_MERGE));

  /**
   * New ones, all zero.
   *
   * @param joined whether the fragment has joins
   */
  public static FragmentMetrics create(SparkContext context, boolean joined) {
    Map<JoinAlgorithm, SQLMetric> joins = new EnumMap<>(JoinAlgorithm.class);
    for (JoinAlgorithm algorithm : joined ? ALGORITHMS : Set.<JoinAlgorithm>of()) {
      joins.put(algorithm, SQLMetrics.createMetric(context, "joins by " + algorithm.label()));
    }
    return new FragmentMetrics(
        SQLMetrics.createMetric(context, "number of output rows"),
        SQLMetrics.createMetric(context, "columns to rows"),
        SQLMetrics.createMetric(context, "rows to columns"),
        SQLMetrics.createMetric(context, "rows of columns converted"),
        SQLMetrics.createNanoTimingMetric(context, "time in fragment", -1),
        SQLMetrics.createNanoTimingMetric(context, "time in inputs of fragment", -1),
        SQLMetrics.createNanoTimingMetric(context, "time to read slices", -1),
        SQLMetrics.createSizeMetric(context, "spilled to disk", -1),
        joins);
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
    metrics.put("spilledBytes", spilledBytes);
    joins.forEach((algorithm, joined) -> metrics.put("joins" + algorithm.shortName(), joined));
    return metrics;
  }

  /** Counts what a task's query did, which has ended. */
  void count(PhysicalPlan plan, QueryMetrics query) {
    spilledBytes.add(query.spilledBytes());
    countJoins(plan, query);
  }

  private void countJoins(PhysicalPlan plan, QueryMetrics query) {
    if (plan instanceof PhysicalPlan.Join join) {
      JoinAlgorithm taken = query.node(join).algorithm;
      SQLMetric metric = taken == null ? null : joins.get(taken);
      if (metric != null) {
        metric.add(1);
      }
    }
    plan.inputs().forEach(input -> countJoins(input, query));
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
