package io.aragonite.adapter.server;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How many lines of a log each user may cause that cost him nothing: some at once, and then one a
 * second. Safe for several threads.
 */
final class LineAllowances {
  private static final int AT_ONCE = 20;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Map<String, Allowance> users = new HashMap<>();

  private static final class Allowance {
    private int left = AT_ONCE;
    private long since;
    private long unwritten;

    Allowance(long now) {
      since = now;
    }
  }

  /**
   * Takes a line.
   *
   * @return how many had none since the user's last line; -1: this one has none either
   */
  synchronized long take(String user) {
    long now = System.nanoTime();
    Allowance allowance = users.computeIfAbsent(user, key -> new Allowance(now));
    long more = (now - allowance.since) / PAUSE_NANOS;
    allowance.since += more * PAUSE_NANOS;
    allowance.left = (int) Math.min(AT_ONCE, allowance.left + more);
    if (allowance.left == 0) {
      allowance.unwritten++;
      return -1;
    }
    allowance.left--;
    long before = allowance.unwritten;
    allowance.unwritten = 0;
    return before;
  }
}
