package io.aragonite.spark;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The time of tasks, as they end. A plan that has run does not have all of it: adaptive execution
 * drops stages whose rows turn out not to be needed.
 */
final class TaskTimes extends SparkListener {
  private static final double NANOS = 1e6;

  private final Map<String, Long> sums = new ConcurrentHashMap<>();

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.taskMetrics() != null) {
      sums.merge("run", end.taskMetrics().executorRunTime(), Long::sum);
    }
    for (AccumulableInfo metric : CollectionConverters.asJava(end.taskInfo().accumulables())) {
      if (metric.name().isDefined() && metric.update().isDefined()
          && metric.update().get() instanceof Long value) {
        sums.merge(metric.name().get(), Math.max(0, value), Long::sum);
      }
    }
  }

  void reset() {
    sums.clear();
  }

  private long sum(String metric) {
    return sums.getOrDefault(metric, 0L);
  }

  /** Milliseconds of tasks but for those in readers of files, Spark's and ours. */
  double withoutScans() {
    return Math.max(0, sum("run") - sum("scan time") - sum("time in reading files") / NANOS);
  }

  /** Milliseconds of that in fragments and in making slices of their columns. */
  double inFragments() {
    long nanos =
        sum("time in fragment") - sum("time in inputs of fragment") + sum("time to slice columns");
    return nanos / NANOS;
  }
}
