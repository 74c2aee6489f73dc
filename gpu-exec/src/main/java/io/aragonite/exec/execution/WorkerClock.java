package io.aragonite.exec.execution;

import io.aragonite.exec.runtime.QueryMetrics;
import org.jspecify.annotations.Nullable;

/** Books one worker's time to the plan node that it works for; others may look at it. */
final class WorkerClock {
  private volatile QueryMetrics.@Nullable NodeMetrics current;
  private volatile long since;

  QueryMetrics.@Nullable NodeMetrics current() {
    return current;
  }

  /** Time from now on is {@code node}'s; null: nobody's. */
  void switchTo(QueryMetrics.@Nullable NodeMetrics node) {
    long now = System.nanoTime();
    QueryMetrics.NodeMetrics before = current;
    current = null; // for others: what is counted next is not to be seen twice
    if (before != null) {
      before.nanos.add(now - since);
    }
    since = now;
    current = node;
  }

  /** Nanoseconds that are a node's and not booked yet; from any thread, so about. */
  long unbooked(QueryMetrics.NodeMetrics node) {
    long begin = since;
    return node.equals(current) && begin == since ? Math.max(0, System.nanoTime() - begin) : 0;
  }
}
