package io.aragonite.adapter.table;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.Arrays;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When figures are made that plans can do without: once no query of this process has read or asked
 * for a table for a moment, as a first query needs the machine itself; of a process that never
 * rests, after a while. It is one thread's work for all tables of the process, which others help
 * with as long as no query is there, or if one waits for the column.
 */
final class DeferredStatistics {
  /** No query is there for so long. */
  private static final long QUIET_MILLIS = 500;

  /** So long figures wait for that. */
  private static final long PATIENCE_MILLIS = 30_000;

  private static final int IDLE_SECONDS = 10;

  private static final ScheduledThreadPoolExecutor THREAD = thread();

  private static final AtomicInteger READERS = new AtomicInteger();
  private static final AtomicLong LAST_USE = new AtomicLong(System.nanoTime());

  private static final Logger LOG = LoggerFactory.getLogger(DeferredStatistics.class);

  private final StatisticsProvider statistics;
  private final ColumnSlot[] slots;
  private final TableSketches sketches;
  private final AtomicBoolean waiting = new AtomicBoolean();

  DeferredStatistics(StatisticsProvider statistics, ColumnSlot[] slots, TableSketches sketches) {
    this.statistics = statistics;
    this.slots = slots;
    this.sketches = sketches;
  }

  /** Ends while there is nothing to do. */
  private static ScheduledThreadPoolExecutor thread() {
    ScheduledThreadPoolExecutor one =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "aragonite-statistics");
              thread.setDaemon(true);
              return thread;
            });
    one.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  /** A query begins to read a table. */
  static void beginRead() {
    READERS.incrementAndGet();
  }

  /** A query has read a table. */
  static void endRead() {
    LAST_USE.set(System.nanoTime());
    READERS.decrementAndGet();
  }

  /** A plan has asked for a table. */
  static void asked() {
    if (!LoadWorkers.isBeside()) {
      LAST_USE.set(System.nanoTime());
    }
  }

  /** There may be something to make, of a column that has been loaded or of a sketch. */
  void want() {
    if (waiting.compareAndSet(false, true)) {
      later(System.nanoTime());
    }
  }

  private void later(long since) {
    Future<?> _ = THREAD.schedule(() -> runOrWait(since), QUIET_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void runOrWait(long since) {
    if (!quiet() && millisSince(since) < PATIENCE_MILLIS) {
      later(since);
      return;
    }
    // What is wanted while it works is waited for anew.
    waiting.set(false);
    LoadWorkers.beside(this::isHelped, this::make);
  }

  private boolean isHelped() {
    return quiet() || Arrays.stream(slots).anyMatch(ColumnSlot::hasQueuedThreads);
  }

  private void make() {
    StopCheck untilClosed = new StopCheck(this::requireOpen);
    try (StopCheck.Scope _ = untilClosed.enter()) {
      for (int index = 0; index < slots.length; index++) {
        int column = index;
        orSaysWhyNot(() -> make(column));
      }
      orSaysWhyNot(sketches::makeWanted);
    }
  }

  private void make(int index) {
    ColumnSlot slot = slots[index];
    if (slot.uncountedElsewhere) {
      statistics.profile(index);
      slot.uncountedElsewhere = false;
    }
    statistics
        .cache()
        .use(() -> {
          count(slot);
          return null;
        });
  }

  /** Who closes a table does not wait for figures that nobody will ask for. */
  private void requireOpen() {
    if (statistics.cache().gate.closing()) {
      throw new AragoniteException(ErrorCode.CANCELLED, "The table is being closed.");
    }
  }

  private void orSaysWhyNot(Runnable task) {
    try {
      task.run();
    } catch (AragoniteException e) {
      // It is closed, or memory is short now; one column's figures are not another's.
      LOG.debug("Statistics of {} are not made: {}", statistics.cache().name, e.getMessage());
    } catch (RuntimeException e) {
      LOG.warn("Statistics of {} are not made", statistics.cache().name, e);
    }
  }

  /** Queries may read the column meanwhile. */
  private void count(ColumnSlot slot) {
    slot.lock();
    LoadedColumn column = slot.uncounted();
    if (column != null) {
      slot.pins++;
    }
    slot.unlock();
    if (column == null) {
      return;
    }
    LoadedColumn counted = null;
    try {
      counted = ColumnLoader.counted(column, statistics.cache().workers);
    } finally {
      slot.lock();
      slot.pins--;
      // Somebody may have asked for the figures meanwhile, and have counted.
      if (counted != null && slot.uncounted() != null) {
        statistics.takeCounted(slot, counted);
      }
      slot.unlock();
    }
  }

  private static boolean quiet() {
    return READERS.get() == 0 && millisSince(LAST_USE.get()) >= QUIET_MILLIS;
  }

  private static long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }
}
