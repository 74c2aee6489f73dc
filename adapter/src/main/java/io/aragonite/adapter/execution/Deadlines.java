package io.aragonite.adapter.execution;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Calls back when a time is up. Its one thread is a daemon that ends when nothing is waited for.
 */
public final class Deadlines {
  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private Deadlines() {}

  /** Something waited for. */
  public record Deadline(ScheduledFuture<?> future) {
    public void cancel() {
      future.cancel(false);
    }
  }

  public static Deadline after(Duration delay, Runnable action) {
    return new Deadline(TIMER.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS));
  }

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "aragonite-deadlines");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(1, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    return timer;
  }
}
