package io.aragonite.exec.operator.sort;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Sink;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the first rows of an order. Each worker holds a few times as many as are wanted, and cuts
 * them back to the best from time to time; from then on it takes in only rows whose first word is
 * not beyond the last of these.
 */
final class TopN implements Sink {
  /** Rows beyond which a full sort is the better way. */
  static final int MAX_ROWS = 1 << 17;

  /** Rows that a worker keeps beyond those wanted at most, whatever batches its device likes. */
  private static final int MOST_KEPT = 1 << 18;

  private final List<ColumnShape> shapes;
  private final List<SortKey> keys;
  private final int limit;
  private final QueryMemory memory;
  private final SortWord firstWord;
  private final List<Worker> workers = new ArrayList<>();
  private ColumnBatch rows = new ColumnBatch(List.of(), 0);

  /**
   * @param limit rows wanted, offset included
   * @param words the order's words by the shapes alone; not empty
   */
  TopN(
      List<ColumnShape> shapes,
      List<SortKey> keys,
      List<SortWord> words,
      int limit,
      QueryMemory memory) {
    this.shapes = shapes;
    this.keys = keys;
    this.firstWord = words.getFirst();
    this.limit = limit;
    this.memory = memory;
  }

  @Override
  public BatchConsumer newWorker(ExecContext context) {
    Worker worker = new Worker(context);
    synchronized (workers) {
      workers.add(worker);
    }
    return worker;
  }

  @Override
  public void finish(ExecContext context, Parallel parallel) {
    ColumnStore all = workers.isEmpty() ? new ColumnStore(shapes, memory) : workers.getFirst().kept;
    for (int i = 1; i < workers.size(); i++) {
      all.append(context, workers.get(i).kept.view());
      workers.get(i).kept.close();
    }
    if (!context.device().leavesToHost(all.rows())) {
      // The host may sort them then, where the device's sort waits again and again for its ties.
      all = fewer(context, all);
    }
    rows = all.take();
    workers.clear();
  }

  /**
   * Those of the rows that {@link #best} leaves, if it leaves out much; closes what it replaces.
   */
  private ColumnStore fewer(ExecContext context, ColumnStore all) {
    // Of morsels so few rows are kept that they are in order about as soon as their first words.
    if (context.device().traits().morselDriven() || all.rows() <= limit) {
      return all;
    }
    long mark = context.scratch().mark();
    try {
      ColumnBatch best = best(context, all.view()).rows();
      if (best.rows() > all.rows() / 2) {
        return all;
      }
      ColumnStore few = new ColumnStore(shapes, memory);
      few.append(context, best);
      all.close();
      return few;
    } finally {
      context.scratch().release(mark);
    }
  }

  /**
   * @param last the first word of the {@link #limit}-th row
   */
  private record Best(ColumnBatch rows, long last) {}

  /**
   * The rows whose first words are not beyond that of the {@link #limit}-th, of which it has more.
   */
  private Best best(ExecContext context, ColumnBatch batch) {
    int count = batch.rows();
    Buffer words = context.scratch().allocate(count * 8L);
    firstWord.encode(context, batch, null, 0, count, words);
    Buffer order = context.scratch().allocate(count * 4L);
    context.scan().iota(context, order, 0, count);
    context.sort().sortPairs(context, words, order, count, 0, firstWord.bits());
    Buffer places = context.scratch().allocate(4);
    Buffer bound = words.slice((limit - 1) * 8L, 8);
    context.sort().bound(context, words, count, bound, 1, true, places);
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    List<Buffer> read = List.of(scratch.allocate(4), scratch.allocate(8));
    // The device is waited for once.
    context.device().transfers().toHost(context, List.of(places, bound), read);
    int best = Mem.getInt(read.getFirst().address());
    long last = Mem.getLong(read.getLast().address());
    scratch.release(mark);
    return new Best(best == count ? batch : Batches.select(context, batch, order, best), last);
  }

  /** A superset of the rows wanted, not sorted. */
  ColumnBatch rows() {
    return rows;
  }

  private final class Worker implements BatchConsumer {
    private final ExecContext context;
    private final int cutAt;
    private ColumnStore kept = new ColumnStore(shapes, memory);

    /** Whether there are {@link #limit} rows whose first words are not beyond {@link #last}. */
    private boolean full;

    private long last;

    Worker(ExecContext context) {
      this.context = context;
      int batchRows = context.device().properties().batchRows();
      this.cutAt = limit + Math.max(limit, Math.min(batchRows, MOST_KEPT));
    }

    @Override
    public void accept(ColumnBatch batch) {
      ColumnBatch candidates = full ? notBeyond(batch) : batch;
      // A sort of the words costs less than keeping all rows of a large batch.
      if (candidates.rows() > Math.max(limit, cutAt - kept.rows())) {
        Best best = best(context, candidates);
        full(best.last);
        candidates = best.rows;
      }
      if (candidates.rows() == 0) {
        return;
      }
      kept.append(context, candidates);
      if (kept.rows() >= cutAt) {
        cut();
      }
    }

    private ColumnBatch notBeyond(ColumnBatch batch) {
      int count = batch.rows();
      Buffer words = context.scratch().allocate(count * 8L);
      firstWord.encode(context, batch, null, 0, count, words);
      Buffer positions = context.scratch().allocate(count * 4L);
      int some = context.scan().selectUpTo(context, words, count, last, positions);
      return some == count ? batch : Batches.select(context, batch, positions, some);
    }

    /** Notes the first word of the last of so many rows as are wanted. */
    private void full(long word) {
      last = full && Long.compareUnsigned(last, word) < 0 ? last : word;
      full = true;
    }

    private void cut() {
      kept = fewer(context, kept);
      if (kept.rows() < cutAt) {
        return;
      }
      ColumnBatch view = kept.view();
      Buffer order = Sorter.sort(context, view, keys);
      Buffer best = order.slice(0, limit * 4L);
      ColumnStore next = new ColumnStore(shapes, memory);
      next.append(context, Batches.select(context, view, best, limit));
      Buffer word = context.scratch().allocate(8);
      firstWord.encode(context, view, best, limit - 1, 1, word);
      full(context.device().transfers().readLong(context, word, 0));
      memory.free(order);
      kept.close();
      kept = next;
    }
  }
}
