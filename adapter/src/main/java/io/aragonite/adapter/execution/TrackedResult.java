package io.aragonite.adapter.execution;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.HostObjects;
import io.aragonite.rules.runtime.GpuQuery;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query's result that can change hands: JDBC's cursor looks at the first batch when it is opened,
 * and a program that then asks for whole columns must get that batch again.
 */
public final class TrackedResult implements BatchResult {
  /** Why there are no Arrow columns of a result. */
  public static final String ROWS_READ =
      "Rows of this result have been read already; ask for Arrow before the first next().";

  private final GpuQuery query;
  private final BatchResult result;
  private final Execution execution;
  private @Nullable ColumnBatch batch;
  private int batches;

  /** Nanoseconds, as those see them who read. */
  private volatile long waited;

  private boolean taken;
  private boolean asArrow;
  private volatile boolean closed;

  TrackedResult(GpuQuery query, BatchResult result, Execution execution) {
    this.query = query;
    this.result = result;
    this.execution = execution;
  }

  public GpuQuery query() {
    return query;
  }

  @Override
  public List<ColumnShape> shapes() {
    return result.shapes();
  }

  @Override
  public @Nullable ColumnBatch next() {
    if (taken) {
      throw gone();
    }
    return advance();
  }

  private @Nullable ColumnBatch advance() {
    long begin = System.nanoTime();
    batch = result.next();
    waited += System.nanoTime() - begin;
    batches++;
    execution.delivered(query, batch);
    return batch;
  }

  @Override
  public void read(ColumnBatch rows, Runnable reader) {
    result.read(rows, reader);
  }

  /**
   * Hands all batches to another reader; afterwards {@link #next} fails.
   *
   * @param forArrow whether it reads Arrow columns, otherwise rows
   * @throws AragoniteException INVALID_CALL if batches have been read already
   */
  public synchronized BatchResult take(boolean forArrow) {
    if (taken || batches > 1) {
      throw gone();
    }
    taken = true;
    asArrow = forArrow;
    return new Taken();
  }

  private AragoniteException gone() {
    return new AragoniteException(
        ErrorCode.INVALID_CALL,
        asArrow
            ? "The rows of this result are being read as Arrow columns; they cannot be read twice."
            : ROWS_READ);
  }

  /** Whether its memory is free, or soon will be. */
  public boolean closed() {
    return closed;
  }

  /** What reads that come too late end with. */
  public static AragoniteException late() {
    return new AragoniteException(
        ErrorCode.INVALID_CALL,
        "The result is closed, so that its rows cannot be read any more; run the query again.");
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
    if (!closed) {
      query.ran(waited);
    }
    closed = true;
    // Whoever comes second returns when its memory is free as well.
    result.close();
  }

  private final class Taken implements BatchResult {
    private boolean first = batches == 1;

    @Override
    public List<ColumnShape> shapes() {
      return result.shapes();
    }

    @Override
    public @Nullable ColumnBatch next() {
      if (first) {
        first = false;
        return batch;
      }
      return batch == null && batches > 0 ? null : advance();
    }

    @Override
    public void read(ColumnBatch rows, Runnable reader) {
      result.read(rows, reader);
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
      TrackedResult.this.close();
    }
  }
}
