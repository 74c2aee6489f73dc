package io.aragonite.dataset;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * Batches made by several threads, taken in order by one. Only two more than there are threads
 * exist at any time. Closing ends the threads and frees what was not taken.
 */
final class BatchQueue implements AutoCloseable {
  private final ExecutorService pool;
  private final int ahead;
  private final ArrayDeque<Future<VectorSchemaRoot>> pending = new ArrayDeque<>();

  BatchQueue(int threads) {
    ahead = threads + 2;
    pool =
        Executors.newFixedThreadPool(
            threads, Thread.ofPlatform().daemon().name("dataset-", 0).factory());
  }

  /** Runs something else on the same threads. */
  <T> Future<T> submit(Callable<T> work) {
    return pool.submit(work);
  }

  /**
   * The next batch, to be closed by the caller; the queue is filled from {@code tasks} first.
   *
   * @throws InterruptedException if interrupted while waiting; the batch stays in the queue
   */
  VectorSchemaRoot take(Iterator<Callable<VectorSchemaRoot>> tasks) throws InterruptedException {
    while (pending.size() < ahead && tasks.hasNext()) {
      pending.add(pool.submit(tasks.next()));
    }
    try {
      VectorSchemaRoot batch = pending.element().get();
      pending.remove();
      return batch;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException("the generator failed", e.getCause());
    }
  }

  @Override
  public void close() {
    pool.shutdownNow();
    boolean interrupted = Thread.interrupted();
    while (!pool.isTerminated()) {
      try {
        pool.awaitTermination(1, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    for (Future<VectorSchemaRoot> batch : pending) {
      if (batch.state() == Future.State.SUCCESS) {
        batch.resultNow().close();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
