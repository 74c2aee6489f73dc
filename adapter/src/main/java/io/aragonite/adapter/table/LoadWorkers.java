package io.aragonite.adapter.table;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Threads that load tables: daemons that end when they are idle. */
public final class LoadWorkers {
  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "aragonite-load");
        thread.setDaemon(true);
        return thread;
      });

  private final int count;

  /**
   * @param count threads at most, at least 1
   */
  public LoadWorkers(int count) {
    this.count = count;
  }

  /**
   * Runs {@code task} for 0 to {@code tasks - 1}, the caller's thread helping. The first error is
   * thrown when all have stopped. An interrupt of the caller ends it with CANCELLED, and what ends
   * the caller's query ends it between two tasks.
   */
  public void forEach(int tasks, IntConsumer task) {
    AtomicInteger next = new AtomicInteger();
    StopCheck stopCheck = StopCheck.current();
    Runnable loop =
        () -> {
          for (int i; (i = next.getAndIncrement()) < tasks; ) {
            if (Thread.currentThread().isInterrupted()) {
              next.set(tasks);
              throw new AragoniteException(ErrorCode.CANCELLED, "Loading was interrupted.");
            }
            try {
              stopCheck.check();
              task.accept(i);
            } catch (Throwable e) {
              next.set(tasks);
              throw e;
            }
          }
        };
    List<Future<?>> others = new ArrayList<>();
    for (int i = 1; i < Math.min(count, tasks); i++) {
      others.add(
          THREADS.submit(() -> {
            try (StopCheck.Scope _ = new StopCheck(stopCheck::check, stopCheck.reading()).enter()) {
              loop.run();
            }
          }));
    }
    Throwable error = null;
    try {
      loop.run();
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
