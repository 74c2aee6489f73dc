package io.aragonite.spark.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.util.QueryExecutionListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line of the driver's log for each query that has ended: what ran in fragments, and what not. */
public final class FragmentLog implements QueryExecutionListener {
  private static final Logger LOG = LoggerFactory.getLogger(FragmentLog.class);

  @Override
  public void onSuccess(String function, QueryExecution query, long nanos) {
    String line = line(query);
    if (!line.isEmpty()) {
      LOG.info("query {} ({}, {} ms): {}", query.id(), function, nanos / 1_000_000, line);
    }
  }

  @Override
  public void onFailure(String function, QueryExecution query, Exception error) {
    String line;
    try {
      line = line(query);
    } catch (Exception e) {
      return; // it has no plan: making that is what has failed
    }
    if (!line.isEmpty()) {
      LOG.info("query {} ({}, failed): {}", query.id(), function, line);
    }
  }

  /** What is said of a query; empty if it has no operator that could be in a fragment. */
  public static String line(QueryExecution query) {
    int fragments = 0;
    int inFragments = 0;
    long nanos = 0;
    long spilled = 0;
    Set<String> left = new LinkedHashSet<>();
    for (SparkPlan operator : operators(query.executedPlan())) {
      if (operator instanceof FragmentExec fragment) {
        fragments++;
        inFragments += fragment.operatorNames().size();
        nanos += fragment.metrics().apply("fragmentTime").value();
        spilled += fragment.metrics().apply("spilledBytes").value();
        left.addAll(fragment.reasons());
      }
      var reason = operator.getTagValue(FragmentRule.LEFT);
      if (reason.isDefined()) {
        left.add(reason.get());
      }
    }
    if (fragments == 0 && left.isEmpty()) {
      return "";
    }
    return String.format(
        Locale.ROOT,
        "%d operators in %d fragments, %d ms of tasks in them, %,d bytes spilled%s",
        inFragments,
        fragments,
        nanos / 1_000_000,
        spilled,
        left.isEmpty() ? "" : "; left with Spark: " + String.join("; ", left));
  }

  /** The operators of a plan, with those of adaptive stages and of subqueries. */
  public static List<SparkPlan> operators(SparkPlan plan) {
    List<SparkPlan> found = new ArrayList<>();
    collect(plan, found);
    return found;
  }

  private static void collect(SparkPlan plan, List<SparkPlan> found) {
    switch (plan) {
      case AdaptiveSparkPlanExec adaptive -> collect(adaptive.executedPlan(), found);
      case QueryStageExec stage -> collect(stage.plan(), found);
      default -> {
        found.add(plan);
        ScalaValues.<SparkPlan>list(plan.children()).forEach(child -> collect(child, found));
      }
    }
    ScalaValues.<SparkPlan>list(plan.subqueries()).forEach(child -> collect(child, found));
  }
}
