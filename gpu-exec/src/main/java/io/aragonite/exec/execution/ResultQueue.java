package io.aragonite.exec.execution;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Batches on their way from the last pipeline to the consumer, each with host memory of its own.
 */
final class ResultQueue {
  /** A batch without indirections whose buffers belong to it. */
  record Entry(ColumnBatch batch) {
    void free(QueryMemory memory) {
      for (Column column : batch.columns()) {
        memory.free(column.values());
        memory.free(column.offsets());
        memory.free(column.validity() == null ? Buffer.EMPTY : column.validity());
      }
    }
  }

  /** Cancel flags and deadlines that nobody signals are seen this often. */
  private static final long POLL_MILLIS = 20;

  private final QueryExecution query;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private int capacity = Integer.MAX_VALUE;
  private boolean running;

  /** Producers that wait for room. */
  private int waiting;

  ResultQueue(QueryExecution query) {
    this.query = query;
  }

  /** Producers wait when this many batches wait for the consumer. */
  void bound(int batches) {
    capacity = batches;
  }

  /** Whether batches are made as they are asked for, by who asks. */
  boolean pulled() {
    return capacity == Integer.MAX_VALUE;
  }

  /** Runs the producer on another thread; {@link #take} ends when it does. */
  void runBehind(Executor executor, Runnable producer) {
    running = true;
    try {
      executor.execute(() -> {
        try {
          producer.run();
        } catch (Throwable e) {
          query.stop(e);
        } finally {
          ended();
        }
      });
    } catch (Throwable e) {
      ended();
      throw e;
    }
  }

  private void ended() {
    lock.lock();
    try {
      running = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for room. */
  void put(Entry entry) {
    lock.lock();
    try {
      while (entries.size() >= capacity) {
        waiting++;
        try {
          await();
        } finally {
          waiting--;
        }
      }
      entries.add(entry);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Nullable Entry poll() {
    lock.lock();
    try {
      return entries.poll();
    } finally {
      lock.unlock();
    }
  }

  /** The next batch, null when the producer has ended well. */
  @Nullable Entry take() {
    lock.lock();
    try {
      while (entries.isEmpty() && running) {
        await();
      }
      if (query.stopped() != null) {
        query.checkCancelled();
      }
      changed.signalAll();
      return entries.poll();
    } finally {
      lock.unlock();
    }
  }

  private void await() {
    query.checkCancelled();
    try {
      boolean signalled = changed.await(POLL_MILLIS, TimeUnit.MILLISECONDS);
      if (!signalled) {
        query.checkCancelled();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      query.checkCancelled();
    }
  }

  /** Whether all who make batches wait until some are taken, or have ended. */
  boolean resting() {
    lock.lock();
    try {
      return !running
          || entries.size() >= capacity && waiting > 0 && waiting >= query.workers().busy();
    } finally {
      lock.unlock();
    }
  }

  /** Lets those who wait look at the query's state again. */
  void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the producer has ended, whatever happens. */
  void awaitEnd() {
    lock.lock();
    try {
      while (running) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }
}
