package io.aragonite.spark;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The time of tasks, as they end. A plan that has run does not have all of it: adaptive execution
 * drops stages whose rows turn out not to be needed. Of tasks that it ends early Spark does not say
 * what they did: their time is one of its own.
 */
final class TaskTimes extends SparkListener {
  private static final double NANOS = 1e6;

  private final Map<String, Long> sums = new ConcurrentHashMap<>();

  /** The stages of the query, since tasks of an earlier one that Spark ends early go on for a while. */
  private volatile int firstStage;

  private volatile int lastStage = -1;

  @Override
  public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    lastStage = Math.max(lastStage, submitted.stageInfo().stageId());
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.taskMetrics() == null || end.stageId() < firstStage) {
      return;
    }
    long run = end.taskMetrics().executorRunTime();
    if (!end.taskInfo().successful()) {
      add("ended early", run);
      return;
    }
    add("run", run);
    add("processor", end.taskMetrics().executorCpuTime());
    add("collector", end.taskMetrics().jvmGCTime());
    for (AccumulableInfo metric : CollectionConverters.asJava(end.taskInfo().accumulables())) {
      if (metric.name().isDefined() && metric.update().isDefined()
          && metric.update().get() instanceof Long value) {
        add(metric.name().get(), Math.max(0, value));
      }
    }
  }

  private void add(String metric, long value) {
    sums.merge(metric, value, Long::sum);
  }

  /** Counts what comes now. */
  void reset() {
    firstStage = lastStage + 1;
    sums.clear();
  }

  private long sum(String metric) {
    return sums.getOrDefault(metric, 0L);
  }

  /** What has come since. */
  TaskShares shares() {
    double files = sum("time in reading files") / NANOS;
    double inputs = sum("time in inputs of fragment") / NANOS;
    double columns = sum("time to read slices") / NANOS;
    return new TaskShares(
        sum("processor") / NANOS,
        sum("run"),
        sum("scan time"),
        files,
        sum("time in fragment") / NANOS - inputs,
        sum("time to slice columns") / NANOS,
        columns,
        sum("time to compress and write slices") / NANOS,
        inputs - files - columns,
        sum("collector"),
        sum("ended early"),
        sum("files read by Spark"));
  }
}
