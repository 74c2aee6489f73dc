package io.aragonite.exec.spill;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.Batches;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Parallel;
import io.aragonite.exec.pipeline.Sink;
import java.util.List;

/** Deals rows out to spools by some bits of a word that each of them has. */
public final class Partitioner implements Sink {
  /** Bits of one pass at most: each part has blocks that fill. */
  public static final int MAX_BITS = 6;

  /** Where words come from. */
  @FunctionalInterface
  public interface Words {
    /** The 64-bit words of a batch's rows, in scratch memory. */
    Buffer of(ExecContext context, ColumnBatch batch);

    /** The first column of a projection. */
    static Words of(CompiledProjection projection) {
      return (context, batch) -> {
        Column words = projection.evaluate(context, batch).column(0);
        return words.rowIds() == null
            ? words.values()
            : context.device().primitives().materialize(context, words, context.scratch()).values();
      };
    }
  }

  private final List<Spool> parts;
  private final Words words;
  private final int shift;
  private final int bits;

  /**
   * @param parts as many as the bits can tell apart, or fewer if larger numbers do not occur
   * @param shift the lowest of the bits
   */
  public Partitioner(List<Spool> parts, Words words, int shift, int bits) {
    this.parts = parts;
    this.words = words;
    this.shift = shift;
    this.bits = bits;
  }

  /**
   * Bits of partitions, of which each is expected to take half of the room at most, as far as there
   * is room for the blocks that fill meanwhile.
   */
  public static int bits(long bytes, long room, int workers) {
    int bits = 2;
    while (bits < MAX_BITS
        && bytes / (1L << bits) > room / 2
        && QuerySpill.SMALLEST_BLOCK * 2 * workers << (bits + 1) <= room / 2) {
      bits++;
    }
    return bits;
  }

  @Override
  public BatchConsumer newWorker(ExecContext context) {
    Spool.Writer[] writers = parts.stream().map(Spool::newWriter).toArray(Spool.Writer[]::new);
    if (!context.device().transfers().shared()) {
      return new Lots(context, writers);
    }
    return batch -> {
      if (batch.rows() > 0) {
        deal(context, batch, writers);
      }
    };
  }

  /**
   * Collects batches, since dealing rows out takes some kernels a part and column, however few rows
   * there are.
   */
  private final class Lots implements BatchConsumer {
    private final ExecContext context;
    private final Spool.Writer[] writers;
    private final ColumnStore store =
        new ColumnStore(parts.getFirst().shapes(), parts.getFirst().memory());
    private final long lotBytes = parts.getFirst().lotBytes();

    Lots(ExecContext context, Spool.Writer[] writers) {
      this.context = context;
      this.writers = writers;
    }

    @Override
    public void accept(ColumnBatch batch) {
      if (batch.rows() > 0) {
        store.append(context, batch);
        if (store.bytes() >= lotBytes
            || store.rows() >= 4L * context.device().properties().batchRows()) {
          dealLot();
        }
      }
    }

    private void dealLot() {
      if (store.rows() > 0) {
        deal(context, store.view(), writers);
        store.clear();
      }
    }

    @Override
    public void finish() {
      dealLot();
      store.close();
    }
  }

  private void deal(ExecContext context, ColumnBatch batch, Spool.Writer[] writers) {
    Primitives primitives = context.device().primitives();
    QueryMemory.Arena scratch = context.scratch();
    int rows = batch.rows();
    long mark = scratch.mark();
    Buffer word = words.of(context, batch);
    Buffer numbers = scratch.allocate(4L * rows);
    primitives.iota(context, numbers, 0, rows);
    Buffer outWords = scratch.allocate(8L * rows);
    Buffer ids = scratch.allocate(4L * rows);
    Buffer starts = scratch.allocate((4L << bits) + 4);
    primitives.radixPartition(context, word, numbers, rows, shift, bits, outWords, ids, starts);
    int[] from = HostColumns.ints(context, starts, (1 << bits) + 1);
    for (int part = 0; part < writers.length; part++) {
      int count = from[part + 1] - from[part];
      if (count > 0) {
        long before = scratch.mark();
        Buffer some = ids.slice(4L * from[part], 4L * count);
        writers[part].append(context, Batches.select(context, batch, some, count));
        scratch.release(before);
      }
    }
    scratch.release(mark);
  }

  @Override
  public void finish(ExecContext context, Parallel parallel) {
    parts.forEach(Spool::seal);
  }

  /** Deals out the rows of a spool, which is closed then. */
  public void runOver(ExecContext context, Spool spool) {
    BatchConsumer[] workers = new BatchConsumer[spool.size()];
    // A writer a worker would do, but tasks do not know theirs; a writer a block would leave many
    // small blocks. So blocks are dealt out in as many runs as there are workers.
    int runs = Math.min(spool.size(), context.parallel().workers());
    context
        .parallel()
        .forEach(
            runs,
            (worker, run) -> {
              workers[run] = newWorker(worker);
              for (int i = run; i < spool.size(); i += runs) {
                worker.checkCancelled();
                int block = i;
                spool.consume(
                    worker, block, (context2, batch) -> inBatches(context2, batch, workers[run]));
              }
              workers[run].finish();
            });
    finish(context, context.parallel());
    spool.close();
  }

  private static void inBatches(ExecContext context, ColumnBatch rows, BatchConsumer consumer) {
    // Larger than a batch of the pipeline, so that parts get many rows at once.
    int step = Math.max(context.device().properties().morselRows(), 1);
    for (int from = 0; from < rows.rows(); from += step) {
      context.checkCancelled();
      int count = Math.min(step, rows.rows() - from);
      consumer.accept(Batches.slice(rows, from, count));
    }
  }
}
