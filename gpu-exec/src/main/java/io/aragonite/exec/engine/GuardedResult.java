package io.aragonite.exec.engine;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryThreads;
import io.aragonite.exec.runtime.UseGate;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.HostObjects;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A result that any thread may read and close at any time. One reads at a time; who closes stops
 * the query and waits until the reader, and with it all workers, has left; later calls get
 * INVALID_CALL.
 */
final class GuardedResult implements BatchResult {
  private final BatchResult result;
  private final UseGate gate;

  /** Held by who reads, for as long as a call takes. */
  private final ReentrantLock turn = new ReentrantLock();

  private volatile @Nullable List<ColumnShape> shapes;
  private @Nullable ColumnBatch current;
  private volatile boolean ended;

  /**
   * @param result used by one thread at a time from now on
   * @param gone told when it has been closed
   */
  GuardedResult(BatchResult result, Consumer<BatchResult> gone) {
    this.result = result;
    gate =
        new UseGate(
            "The result is closed, so that its rows cannot be read any more; run the query again.",
            () -> {
              try {
                result.close();
              } finally {
                gone.accept(this);
              }
            });
  }

  private <T extends @Nullable Object> T inTurn(Supplier<T> call) {
    gate.enter();
    QueryThreads.enter();
    turn.lock();
    try {
      return call.get();
    } finally {
      turn.unlock();
      QueryThreads.leave();
      gate.leave();
    }
  }

  @Override
  public List<ColumnShape> shapes() {
    List<ColumnShape> known = shapes;
    if (known == null) {
      known = inTurn(result::shapes);
      shapes = known;
    }
    return known;
  }

  @Override
  public @Nullable ColumnBatch next() {
    return inTurn(this::advance);
  }

  private @Nullable ColumnBatch advance() {
    current = null; // nor is there one after an error
    ColumnBatch batch = result.next();
    current = batch;
    ended = batch == null;
    if (ended) {
      // Who has seen the last row may ask for them after it has been closed.
      shapes = result.shapes();
    }
    return batch;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // these very rows
  public void read(ColumnBatch batch, Runnable reader) {
    inTurn(() -> {
      if (batch != current) {
        throw new AragoniteException(
            ErrorCode.INVALID_CALL,
            "The result has moved on from these rows: another thread reads it as well.");
      }
      reader.run();
      return true;
    });
  }

  @Override
  public boolean resting() {
    return result.resting();
  }

  @Override
  public HostObjects hostObjects() {
    return result.hostObjects();
  }

  @Override
  public void cancel() {
    result.cancel();
  }

  @Override
  public QueryMetrics metrics() {
    return result.metrics();
  }

  @Override
  public void close() {
    gate.close(() -> {
      // Members of a query whose rows have all been handed out end by themselves.
      if (!ended) {
        result.cancel();
      }
    });
  }
}
