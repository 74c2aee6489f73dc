package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.OrderedConsumer;
import io.aragonite.exec.pipeline.OrderedSink;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Collects rows in the order of their pipeline's source, all or the first of them, made by all
 * workers. A worker ends when the ranges of morsels up to its own have rows enough; each has so
 * many at most, so that few more are kept than are wanted.
 */
public final class OrderedCollector implements OrderedSink {
  /** A range should have so many batches of rows, since a block ends with its range. */
  private static final int RANGE_BATCHES = 8;

  private final List<ColumnShape> shapes;
  private final long most;
  private final SpillableRowCollection collection;

  /** Rows of all ranges. */
  private final AtomicLong rows = new AtomicLong();

  /** Rows of ranges that have some, by their first morsels. */
  private final TreeMap<Long, Long> rowsOfRange = new TreeMap<>();

  /** The ranges of the collection's blocks, in its order. */
  private final List<Long> ranges = new ArrayList<>();

  private final List<Worker> workers = new ArrayList<>();

  /**
   * @param most rows that are wanted at most; Long.MAX_VALUE: all
   * @param node whose rows they are, for the metrics
   */
  public OrderedCollector(
      List<ColumnShape> shapes, long most, QuerySpill spill, QueryMetrics.NodeMetrics node) {
    this.shapes = shapes;
    this.most = most;
    this.collection = spill.newRowCollection(shapes, node);
  }

  @Override
  public OrderedConsumer newWorker(ExecContext context) {
    Worker worker = new Worker(context);
    synchronized (this) {
      workers.add(worker);
    }
    return worker;
  }

  @Override
  public synchronized void finish(ExecContext context, Parallel parallel) {
    workers.forEach(Worker::close);
    List<Integer> order = new ArrayList<>();
    for (int block = 0; block < ranges.size(); block++) {
      order.add(block);
    }
    order.sort(Comparator.comparing(ranges::get)); // stable: those of a range are in order
    collection.arrange(order);
  }

  /** The rows, once the pipeline has ended; there may be more than are wanted. */
  public SpillableRowCollection collection() {
    return collection;
  }

  /**
   * The rows, once the pipeline has ended.
   *
   * @param offset of the wanted rows those that are left out
   */
  public Source source(long offset) {
    return new CollectedRows(collection, offset, most);
  }

  private synchronized void count(long range, long more) {
    rowsOfRange.merge(range, more, Long::sum);
  }

  /** Whether ranges up to one have rows enough. */
  private boolean isComplete(long range) {
    if (rows.get() < most) {
      return false;
    }
    synchronized (this) {
      long known = 0;
      for (long of : rowsOfRange.headMap(range, true).values()) {
        known += of;
      }
      return known >= most;
    }
  }

  private synchronized void keep(long range, ColumnBatch batch) {
    ranges.add(range);
    collection.take(batch);
  }

  private final class Worker implements OrderedConsumer {
    /** Behind all ranges. */
    private static final long NO_RANGE = Long.MAX_VALUE;

    private final ExecContext context;
    private final ColumnStore store;
    private long range = NO_RANGE;
    private long taken;

    Worker(ExecContext context) {
      this.context = context;
      this.store = new ColumnStore(shapes, context.memory());
    }

    @Override
    public long rangeRows() {
      return (long) RANGE_BATCHES * context.device().properties().batchRows();
    }

    @Override
    public void begin(long first) {
      range = first;
      taken = 0;
    }

    @Override
    public void accept(ColumnBatch batch) {
      int count = (int) Math.min(batch.rows(), most - taken);
      if (count == 0) {
        return;
      }
      store.append(context, first(context, batch, count));
      taken += count;
      count(range, count);
      rows.addAndGet(count);
      if (collection.isBlock(store)) {
        flush();
      }
    }

    private void flush() {
      if (store.rows() > 0) {
        keep(range, store.take());
      }
    }

    @Override
    public long end() {
      flush();
      range = NO_RANGE;
      return taken;
    }

    @Override
    public void finish() {
      flush();
    }

    private void close() {
      flush();
      store.close();
    }

    @Override
    public boolean done() {
      return isComplete(range);
    }
  }

  private static ColumnBatch first(ExecContext context, ColumnBatch batch, int count) {
    return count == batch.rows() ? batch : some(context, batch, 0, count);
  }

  /** Rows {@code from} to {@code to} of a batch. */
  private static ColumnBatch some(ExecContext context, ColumnBatch batch, int from, int to) {
    Buffer positions = context.scratch().allocate(4L * (to - from));
    context.scan().iota(context, positions, from, to - from);
    return Batches.select(context, batch, positions, to - from);
  }

  /** A collection's rows from a number on, up to another. */
  private static final class CollectedRows implements Source {
    /** So many rows are one morsel: one worker is enough for them. */
    private static final int FEW_ROWS = 1 << 14;

    private final SpillableRowCollection collection;
    private final long offset;
    private final long end;

    /** By block: how many rows there are before it. */
    private final long[] before;

    CollectedRows(SpillableRowCollection collection, long offset, long end) {
      this.collection = collection;
      this.offset = offset;
      before = new long[collection.size() + 1];
      for (int i = 0; i < collection.size(); i++) {
        before[i + 1] = before[i] + collection.rows(i);
      }
      this.end = Math.min(end, before[collection.size()]);
    }

    @Override
    public List<ColumnShape> shapes() {
      return collection.shapes();
    }

    @Override
    public long rows() {
      return Math.max(0, end - offset);
    }

    @Override
    public boolean keepsOrder() {
      return true;
    }

    @Override
    public int morsels() {
      int blocks = collection.size();
      return Math.min(blocks, few() ? 1 : blocks);
    }

    private boolean few() {
      return rows() <= FEW_ROWS;
    }

    @Override
    public void run(ExecContext context, int morsel, BatchConsumer consumer) {
      int last = few() ? collection.size() - 1 : morsel;
      for (int block = morsel; block <= last && !consumer.done(); block++) {
        if (before[block + 1] > offset && before[block] < end) {
          read(context, block, consumer);
        }
        collection.free(block);
      }
    }

    private void read(ExecContext context, int block, BatchConsumer consumer) {
      long[] at = {before[block]};
      collection.readInBatches(
          context,
          block,
          (worker, batch) -> {
            int from = (int) Math.clamp(offset - at[0], 0, batch.rows());
            int to = (int) Math.clamp(end - at[0], 0, batch.rows());
            at[0] += batch.rows();
            if (from < to && !consumer.done()) {
              boolean all = from == 0 && to == batch.rows();
              consumer.accept(all ? batch : some(worker, batch, from, to));
            }
          });
    }

    @Override
    public void close() {
      collection.close();
    }
  }
}
