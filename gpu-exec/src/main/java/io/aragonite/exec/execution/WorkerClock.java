package io.aragonite.exec.execution;

import io.aragonite.exec.runtime.QueryMetrics;
import org.jspecify.annotations.Nullable;

/** Books one worker's time to the plan node that it works for. */
final class WorkerClock {
  private QueryMetrics.@Nullable NodeMetrics current;
  private long since;

  QueryMetrics.@Nullable NodeMetrics current() {
    return current;
  }

  /** Time from now on is {@code node}'s; null: nobody's. */
  void switchTo(QueryMetrics.@Nullable NodeMetrics node) {
    long now = System.nanoTime();
    if (current != null) {
      current.nanos.add(now - since);
    }
    current = node;
    since = now;
  }
}
