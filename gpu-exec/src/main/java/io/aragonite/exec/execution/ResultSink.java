package io.aragonite.exec.execution;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.OrderedConsumer;
import io.aragonite.exec.pipeline.OrderedSink;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the rows of the last pipeline into batches of host memory of their own. */
final class ResultSink implements OrderedSink {
  /** Rows of a batch up to which it is copied as it is and put together on the host. */
  private static final int FEW_ROWS = 1 << 14;

  /** Bytes of a column up to which it is copied whole, whatever of it is wanted. */
  private static final int FEW_BYTES = 64 << 10;

  /** What part of the host's memory a piece of a device's batch fills at most. */
  private static final int PIECE_SHARE = 64;

  private final ResultQueue queue;
  private final QueryExecution query;
  private final List<ColumnShape> shapes;
  private @Nullable CopiedResults copied;

  ResultSink(ResultQueue queue, QueryExecution query, List<ColumnShape> shapes) {
    this.queue = queue;
    this.query = query;
    this.shapes = shapes;
  }

  @Override
  public OrderedConsumer newWorker(ExecContext context) {
    // Rows are put together where they are, or on their way to the host.
    if (query.device().traits().hostMemory()) {
      return new SharedMemoryResults(context);
    }
    CopiedResults worker = new CopiedResults(context);
    copied = worker;
    return worker;
  }

  /**
   * Where rows come as they are asked for, from one worker: emits some that it has been given
   * already.
   *
   * @return false: all have left
   */
  boolean emitMore() {
    return copied != null && copied.send();
  }

  /** A worker's results, with what it puts into the queue. */
  private abstract class WorkerResults implements OrderedConsumer {
    final ExecContext context;
    private final ResultQueue.Producer producer = queue.newProducer();

    /** Rows of the range that it is at. */
    private long rows;

    WorkerResults(ExecContext context) {
      this.context = context;
    }

    @Override
    public final long rangeRows() {
      return query.device().properties().batchRows();
    }

    @Override
    public final void begin(long first) {
      producer.begin(first);
      rows = 0;
    }

    @Override
    public final void accept(ColumnBatch batch) {
      rows += batch.rows();
      take(batch);
    }

    abstract void take(ColumnBatch batch);

    /** Emits all that it has been given. */
    abstract void flush();

    @Override
    public final long end() {
      flush();
      producer.end();
      return rows;
    }

    final void put(ColumnBatch batch) {
      producer.put(new ResultQueue.Entry(batch));
    }

    /** Emits what a store has; it is empty then. */
    final void emit(ColumnStore store) {
      if (store.rows() > 0) {
        put(store.take());
      }
    }
  }

  /** Where the device's memory is the host's. */
  private final class SharedMemoryResults extends WorkerResults {
    private final int enough;
    private final ColumnStore store = new ColumnStore(shapes, query.memory());

    SharedMemoryResults(ExecContext context) {
      super(context);
      this.enough = query.device().properties().batchRows();
    }

    @Override
    void take(ColumnBatch batch) {
      store.append(context, batch);
      if (store.rows() >= enough) {
        emit(store);
      }
    }

    @Override
    void flush() {
      emit(store);
    }

    @Override
    public void finish() {
      flush();
      store.close();
    }
  }

  /**
   * From a device with memory of its own: large batches are put together there and copied, in
   * pieces where the host has little memory for what a device does at once; of small ones the
   * columns are copied as they are, since a copy takes less time than kernels that save some bytes.
   */
  private final class CopiedResults extends WorkerResults {
    /** Rows on their way to the host while the device works on the next ones. */
    private record OutgoingRows(ColumnBatch onDevice, HostColumns.PendingCopy moving) {}

    private @Nullable OutgoingRows leaving;
    private final int enough;
    private final long most;
    private final ColumnStore small = new ColumnStore(shapes, query.hostMemory());
    private final ColumnStore large = new ColumnStore(shapes, query.memory());

    /** Rows put together on the device, of which those from {@link #sent} on are still to leave. */
    private @Nullable ColumnBatch whole;

    private int sent;

    CopiedResults(ExecContext context) {
      super(context);
      this.enough = Math.min(FEW_ROWS, query.device().properties().batchRows());
      this.most = query.device().host().memory().limit() / PIECE_SHARE;
    }

    @Override
    void take(ColumnBatch batch) {
      sendAll();
      if (batch.rows() > FEW_ROWS) {
        emit(small);
        large.append(context, batch);
        whole = large.take();
        sent = 0;
        send();
        if (!queue.pulled()) {
          sendAll();
        }
        return;
      }
      arrive();
      List<Column> columns = new ArrayList<>();
      for (Column column : batch.columns()) {
        columns.add(brief(column));
      }
      QueryMemory.Arena scratch = context.hostScratch();
      long mark = scratch.mark();
      ColumnBatch given = new ColumnBatch(columns, batch.rows());
      small.append(context.onHost(), HostColumns.toHost(context, given, scratch));
      scratch.release(mark);
      if (small.rows() >= enough) {
        emit(small);
      }
    }

    private void sendAll() {
      while (send()) {}
    }

    /** Has the next piece leave, and hands the one before on; false if there is none. */
    boolean send() {
      ColumnBatch all = whole;
      if (all == null) {
        return false;
      }
      long bytes = HostColumns.bytes(all);
      long rows = bytes <= most ? all.rows() : (long) ((double) most / bytes * all.rows()) & -64;
      int count = (int) Math.min(all.rows() - sent, Math.max(FEW_ROWS, rows));
      boolean last = sent + count == all.rows();
      ColumnBatch piece = all;
      if (count < all.rows()) {
        // A copy of its own: texts begin with their first byte, and bitmaps with their first bit.
        large.append(context, Batches.slice(all, sent, count));
        piece = large.take();
      }
      if (last) {
        whole = null;
        if (count < all.rows()) {
          all.columns().forEach(column -> Batches.free(query.memory(), column));
        }
      }
      sent += count;
      OutgoingRows before = leaving;
      leaving =
          new OutgoingRows(piece, HostColumns.startToHost(context, piece, query.hostMemory()));
      arrive(before);
      return true;
    }

    private void arrive() {
      OutgoingRows last = leaving;
      leaving = null;
      arrive(last);
    }

    /** Hands rows on when they have come. */
    private void arrive(@Nullable OutgoingRows rows) {
      if (rows != null) {
        rows.moving.ticket().await();
        rows.onDevice.columns().forEach(column -> Batches.free(query.memory(), column));
        put(rows.moving.rows());
      }
    }

    /** The column, without what is not wanted if that is much. */
    private Column brief(Column column) {
      RowIds rowIds = column.rowIds();
      long bytes = HostColumns.bytes(column) - (rowIds == null ? 0 : 4L * rowIds.count());
      return bytes <= FEW_BYTES
          ? column
          : context.gather().materialize(context, column, context.scratch());
    }

    @Override
    void flush() {
      sendAll();
      arrive();
      emit(small);
    }

    @Override
    public void finish() {
      flush();
      small.close();
      large.close();
    }
  }

  @Override
  public void finish(ExecContext context, Parallel parallel) {}
}
