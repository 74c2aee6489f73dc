package io.aragonite.adapter.table;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.BlockPool;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads that load tables, daemons that end when they are idle, and memory that one column's load
 * leaves for the next one's.
 */
public final class LoadWorkers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoadWorkers.class);

  /** Memory kept between columns at most: some batches of those that a device decodes. */
  private static final long KEPT_BYTES = 256 << 20;

  /** What part of the budget that may be. */
  private static final int KEPT_SHARE = 16;

  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "aragonite-load");
        thread.setDaemon(true);
        return thread;
      });

  /** How many threads help at most with what the current thread loads; unbound: all. */
  private static final ScopedValue<Integer> MOST_HELPERS = ScopedValue.newInstance();

  /** Whether threads help now with what the current thread loads; unbound: they do. */
  private static final ScopedValue<BooleanSupplier> HELPED = ScopedValue.newInstance();

  /** Queries in less memory spill by what is left, and want all of it. */
  private static final long LEAST_BUDGET = 1L << 30;

  private final int count;
  private final @Nullable BlockPool kept;

  /**
   * Threads alone.
   *
   * @param count threads at most, at least 1
   */
  public LoadWorkers(int count) {
    this.count = count;
    this.kept = null;
  }

  /**
   * @param count threads at most, at least 1
   * @param budget of what is loaded, which gets back what is kept when it needs it
   */
  LoadWorkers(int count, MemoryBudget budget) {
    this.count = count;
    this.kept =
        budget.limit() < LEAST_BUDGET
            ? null
            : new BlockPool(budget, Math.min(KEPT_BYTES, budget.limit() / KEPT_SHARE));
  }

  /**
   * Runs a task whose loads are the caller's thread's work, which others help with as long as
   * {@code helped} says so.
   */
  static void beside(BooleanSupplier helped, Runnable task) {
    ScopedValue.where(HELPED, helped).run(task);
  }

  /** Whether the current thread loads what no query waits for. */
  static boolean isBeside() {
    return HELPED.isBound();
  }

  /** Memory for what a load needs for a while: fresh pages from the system take long to map. */
  QueryMemory temporary(MemoryBudget budget) {
    return new NativeQueryMemory(budget, 0, kept);
  }

  /** Gives back what is kept. */
  @Override
  public void close() {
    if (kept != null) {
      kept.close();
    }
  }

  /**
   * Runs {@code task} for 0 to {@code tasks - 1}, the caller's thread helping. The first error is
   * thrown when all have stopped. An interrupt of the caller ends it with CANCELLED, and what ends
   * the caller's query ends it between two tasks.
   */
  public void forEach(int tasks, IntConsumer task) {
    int helpers = Math.min(count, tasks) - 1;
    new Loop(tasks, task).run(Math.min(helpers, MOST_HELPERS.orElse(helpers)));
  }

  /**
   * Has other threads do what somebody is going to ask for, who finds it done or does it himself:
   * nobody waits, and an error is left to who asks. Not where there is one thread or little memory.
   */
  void ahead(List<Runnable> tasks) {
    if (kept == null || count == 1 || tasks.isEmpty()) {
      return;
    }
    StopCheck query = StopCheck.current();
    Queue<Runnable> waiting = new ConcurrentLinkedQueue<>(tasks);
    int threads = Math.min(tasks.size(), count / 2);
    for (int i = 0; i < threads; i++) {
      Future<?> _ =
          THREADS.submit(() ->
              ScopedValue.where(MOST_HELPERS, count / threads - 1)
                  .run(() -> runAhead(waiting, query)));
    }
  }

  private static void runAhead(Queue<Runnable> waiting, StopCheck query) {
    StopCheck ofQuery = query.forAnotherThread();
    try (StopCheck.Scope _ = ofQuery.enter()) {
      for (Runnable task = waiting.poll(); task != null; task = waiting.poll()) {
        ofQuery.check();
        orLeave(task);
      }
    } catch (RuntimeException e) {
      LOG.debug("the query has ended", e);
    }
  }

  private static void orLeave(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.debug("what is wanted soon is left to who wants it", e);
    }
  }

  /** Tasks that threads take one by one. */
  private static final class Loop {
    private final int tasks;
    private final IntConsumer task;
    private final AtomicInteger next = new AtomicInteger();
    private final StopCheck stopCheck = StopCheck.current();
    private final BooleanSupplier helped = HELPED.orElse(() -> true);
    private final List<Future<?>> others = new ArrayList<>();

    Loop(int tasks, IntConsumer task) {
      this.tasks = tasks;
      this.task = task;
    }

    /**
     * @param helpers threads at most beside the caller's
     */
    void run(int helpers) {
      Throwable error = null;
      try {
        do {
          if (next.get() < tasks
              && others.stream().allMatch(Future::isDone)
              && helped.getAsBoolean()) {
            start(helpers);
          }
        } while (step());
      } catch (Throwable e) {
        error = e;
      }
      for (Future<?> other : others) {
        error = join(other, error);
      }
      if (error instanceof Error e) {
        throw e;
      }
      if (error instanceof RuntimeException e) {
        throw e;
      }
    }

    private void start(int helpers) {
      for (int i = 0; i < helpers; i++) {
        others.add(THREADS.submit(this::help));
      }
    }

    private void help() {
      StopCheck ofQuery = stopCheck.forAnotherThread();
      try (StopCheck.Scope _ = ofQuery.enter()) {
        while (helped.getAsBoolean() && step()) {
          // The next.
        }
      }
    }

    /** Runs the next task; false if there is none. */
    private boolean step() {
      int number = next.getAndIncrement();
      if (number >= tasks) {
        return false;
      }
      if (Thread.currentThread().isInterrupted()) {
        next.set(tasks);
        throw new AragoniteException(ErrorCode.CANCELLED, "Loading was interrupted.");
      }
      try {
        stopCheck.check();
        task.accept(number);
        return true;
      } catch (Throwable e) {
        next.set(tasks);
        throw e;
      }
    }
  }

  private static @Nullable Throwable join(Future<?> future, @Nullable Throwable error) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          future.get();
          return error;
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          return error != null ? error : e.getCause();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
