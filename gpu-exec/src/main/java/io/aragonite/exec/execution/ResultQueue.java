package io.aragonite.exec.execution;

import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Batches on their way from the last pipeline to the consumer, each with host memory of its own.
 *
 * <p>Those of a range of morsels are held until all ranges before it have ended. So many of them
 * are held at most as a window takes: then their workers wait, while the worker at the first range
 * goes on. Ranges begin in their order and nobody else waits for a worker, so that the first range
 * always ends.
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

  /** What a worker puts batches in by; its own. */
  final class Producer {
    /** The first morsel of the range that it is at. */
    private long first = NO_RANGE;

    private final Condition room = lock.newCondition();

    /** Bytes of the batch that waits for room; -1: none does. */
    private long waits = -1;

    private Producer() {}

    /** Begins a range; see {@link io.aragonite.exec.pipeline.OrderedConsumer#begin}. */
    void begin(long morsel) {
      lock.lock();
      try {
        first = morsel;
        turn = Math.min(turn, morsel);
      } finally {
        lock.unlock();
      }
    }

    /** Waits for room, or for the ranges before its own. */
    void put(Entry entry) {
      long bytes = first == NO_RANGE ? 0 : HostColumns.bytes(entry.batch);
      lock.lock();
      try {
        while (!mayPut(bytes, capacity)) {
          waits = bytes;
          waiting++;
          try {
            await(room);
          } finally {
            waits = -1;
            waiting--;
          }
        }
        if (isEarly()) {
          held.computeIfAbsent(first, key -> new ArrayList<>()).add(entry);
          heldBytes += bytes;
          heldCount++;
        } else {
          entries.add(entry);
          arrived.signal();
        }
      } finally {
        lock.unlock();
      }
    }

    private boolean mayPut(long bytes, int most) {
      return isEarly() ? mayHold(bytes, most) : mayAdd(most);
    }

    private boolean isEarly() {
      return first != NO_RANGE && first != turn;
    }

    /** Ends the range: what is held of later ones leaves, as far as none before them is open. */
    void end() {
      lock.lock();
      try {
        boolean isTurn = first == turn;
        first = NO_RANGE;
        if (isTurn) {
          nextTurn();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Cancel flags and deadlines that nobody signals are seen this often. */
  private static final long POLL_MILLIS = 20;

  /** Above all morsels. */
  private static final long NO_RANGE = Long.MAX_VALUE;

  private final QueryExecution query;
  private final ReentrantLock lock = new ReentrantLock();

  /** For the consumer: there are batches, or the producer has ended. */
  private final Condition arrived = lock.newCondition();

  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private final List<Producer> producers = new ArrayList<>();

  /** By the first morsel of their range, those that come too early. */
  private final TreeMap<Long, List<Entry>> held = new TreeMap<>();

  private long heldBytes;
  private int heldCount;

  /** The first of the ranges that are open. */
  private long turn = NO_RANGE;

  private int capacity = Integer.MAX_VALUE;
  private long window = Long.MAX_VALUE;
  private boolean running;

  /** Producers that wait for room. */
  private int waiting;

  ResultQueue(QueryExecution query) {
    this.query = query;
  }

  /**
   * Producers wait when there are this many batches and the consumer has some of them.
   *
   * @param bytes so many of batches are held at most that come too early
   */
  void bound(int batches, long bytes) {
    capacity = batches;
    window = bytes;
  }

  /** Whether batches are made as they are asked for, by who asks. */
  boolean pulled() {
    return capacity == Integer.MAX_VALUE;
  }

  Producer newProducer() {
    Producer producer = new Producer();
    lock.lock();
    try {
      producers.add(producer);
    } finally {
      lock.unlock();
    }
    return producer;
  }

  /**
   * Whether a batch more may be held: if there are few in all, or if the consumer has nothing to
   * do, so that no worker should wait, as many as the window takes; one alone however large it is.
   *
   * @param most batches that are few
   */
  private boolean mayHold(long bytes, int most) {
    return entries.size() + heldCount < most
        || entries.isEmpty() && (heldCount == 0 || heldBytes + bytes <= window);
  }

  /** Whether a batch more may wait for the consumer: one at least, whatever is held. */
  private boolean mayAdd(int most) {
    return entries.size() < Math.max(1, most - heldCount);
  }

  private void nextTurn() {
    turn = NO_RANGE;
    for (Producer producer : producers) {
      turn = Math.min(turn, producer.first);
    }
    while (!held.isEmpty() && held.firstKey() <= turn) {
      for (Entry entry : held.pollFirstEntry().getValue()) {
        heldBytes -= HostColumns.bytes(entry.batch);
        heldCount--;
        entries.add(entry);
      }
      arrived.signal();
    }
    wakeProducers(capacity);
  }

  /**
   * Wakes producers that wait and have room: others would be woken for nothing.
   *
   * @param most batches above which there is no room
   */
  private void wakeProducers(int most) {
    if (waiting == 0) {
      return;
    }
    for (Producer producer : producers) {
      if (producer.waits >= 0 && producer.mayPut(producer.waits, most)) {
        producer.room.signal();
      }
    }
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
      arrived.signalAll();
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
        await(arrived);
      }
      if (query.stopped() != null) {
        query.checkCancelled();
      }
      Entry next = entries.poll();
      wakeProducers(capacity / 2 + 1); // who is woken should find room for more than one
      return next;
    } finally {
      lock.unlock();
    }
  }

  private void await(Condition condition) {
    query.checkCancelled();
    try {
      boolean signalled = condition.await(POLL_MILLIS, TimeUnit.MILLISECONDS);
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
      return !running || !mayAdd(capacity) && waiting > 0 && waiting >= query.workers().busy();
    } finally {
      lock.unlock();
    }
  }

  /** Lets those who wait look at the query's state again. */
  void wake() {
    lock.lock();
    try {
      arrived.signalAll();
      producers.forEach(producer -> producer.room.signal());
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the producer has ended, whatever happens. */
  void awaitEnd() {
    lock.lock();
    try {
      while (running) {
        arrived.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }
}
