package io.aragonite.adapter.table;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When figures are made that plans can do without: once no query of this process has read a table
 * for a moment, as a first query needs the machine itself; of a process that never rests, after a
 * while. It is one thread's work then, beside the queries.
 */
final class DeferredStatistics {
  /** Nobody reads a table for so long. */
  private static final long QUIET_MILLIS = 500;

  /** So long somebody waits for that. */
  private static final long PATIENCE_MILLIS = 5000;

  private static final AtomicInteger READERS = new AtomicInteger();
  private static final AtomicLong LAST_READ = new AtomicLong(System.nanoTime());

  private final AtomicBoolean waiting = new AtomicBoolean();
  private final Runnable work;

  /**
   * @param work makes what is wanted
   */
  DeferredStatistics(Runnable work) {
    this.work = work;
  }

  /** A query begins to read a table. */
  static void beginRead() {
    READERS.incrementAndGet();
  }

  /** A query has read a table. */
  static void endRead() {
    LAST_READ.set(System.nanoTime());
    READERS.decrementAndGet();
  }

  /** There is something to make. */
  void want() {
    if (waiting.compareAndSet(false, true)) {
      later(System.nanoTime());
    }
  }

  private void later(long since) {
    CompletableFuture.delayedExecutor(QUIET_MILLIS, TimeUnit.MILLISECONDS)
        .execute(() -> runOrWait(since));
  }

  private void runOrWait(long since) {
    if (!quiet() && millisSince(since) < PATIENCE_MILLIS) {
      later(since);
      return;
    }
    // What is wanted while it works is waited for anew.
    waiting.set(false);
    work.run();
  }

  private static boolean quiet() {
    return READERS.get() == 0 && millisSince(LAST_READ.get()) >= QUIET_MILLIS;
  }

  private static long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }
}
