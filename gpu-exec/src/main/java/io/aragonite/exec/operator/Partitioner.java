package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PackedKeys;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Sink;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.spill.PartitionedRun;
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

/** Deals rows out to collections by some bits of a word that each of them has. */
public final class Partitioner implements Sink {
  /** Bits of one pass at most: each part has blocks that fill. */
  public static final int MAX_BITS = 6;

  /** Kernels count rows of a partition in 30 bits. */
  private static final int MOST_RUN_ROWS = 1 << 28;

  /** The same of runs. */
  private static final int MAX_RUN_BITS = 7;

  /** Where words come from. */
  @FunctionalInterface
  public interface PartitionWords {
    /** The 64-bit words of a batch's rows, in scratch memory. */
    Buffer of(ExecContext context, ColumnBatch batch);

    /** The places of a 4-byte key's values, which has no nulls: see {@link PackedKeys}. */
    static PartitionWords places(int column) {
      return new KeyPlaces(column);
    }

    /** The first column of a projection. */
    static PartitionWords of(CompiledProjection projection) {
      return (context, batch) -> {
        Column words = projection.evaluate(context, batch).column(0);
        return words.rowIds() == null
            ? words.values()
            : context.gather().materialize(context, words, context.scratch()).values();
      };
    }
  }

  /** Places as words: one to one, so that a part says some bits of its rows' keys. */
  private record KeyPlaces(int column) implements PartitionWords {
    @Override
    public Buffer of(ExecContext context, ColumnBatch batch) {
      Column keys = batch.column(column);
      Buffer places = context.scratch().allocate(8L * batch.rows());
      Buffer values =
          keys.rowIds() == null
              ? keys.values()
              : context.gather().materialize(context, keys, context.scratch()).values();
      context.partition().keyPlaces(context, values, batch.rows(), Long.BYTES, places);
      return places;
    }
  }

  private final List<SpillableRowCollection> parts;
  private final PartitionWords words;
  private final int shift;
  private final int bits;

  private final int leastPackedRows = EngineSettings.current().sizes().packedRows();

  /**
   * @param parts as many as the bits can tell apart, or fewer if larger numbers do not occur
   * @param shift the lowest of the bits
   */
  public Partitioner(
      List<SpillableRowCollection> parts, PartitionWords words, int shift, int bits) {
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
    return bits(bytes, room, workers, MAX_BITS, 2);
  }

  /**
   * As {@link #bits}, of rows that may stay in one piece ({@link PartitionedRun}): parts cost
   * little then, and while one is worked with there is to be room for the next.
   */
  public static int bitsOfRuns(long bytes, long room, int workers) {
    return bits(bytes, room, workers, MAX_RUN_BITS, 4);
  }

  private static int bits(long bytes, long room, int workers, int most, int share) {
    int bits = 2;
    while (bits < most
        && bytes / (1L << bits) > room / share
        && QuerySpill.SMALLEST_BLOCK * 2 * workers << (bits + 1) <= room / 2) {
      bits++;
    }
    return bits;
  }

  /** Whether rows of such columns may stay in one piece where a device has memory of its own. */
  public static boolean inRuns(List<ColumnShape> shapes) {
    return !shapes.isEmpty()
        && shapes.stream().allMatch(shape -> PartitionedRun.moves(shape) && !shape.mayBeNull());
  }

  @Override
  public BatchConsumer newWorker(ExecContext context) {
    SpillableRowCollection.Writer[] writers =
        parts.stream()
            .map(SpillableRowCollection::newWriter)
            .toArray(SpillableRowCollection.Writer[]::new);
    if (!context.device().traits().morselDriven()) {
      return new RunCollector(context, writers);
    }
    return batch -> {
      if (batch.rows() > 0) {
        deal(context, batch, writers);
      }
    };
  }

  /**
   * Collects batches, since dealing rows out takes some kernels a part and column, however few rows
   * there are; and so that what stays in one piece is large.
   */
  private final class RunCollector implements BatchConsumer {
    private final ExecContext context;
    private final SpillableRowCollection.Writer[] writers;
    private final List<ColumnShape> shapes = parts.getFirst().shapes();
    private final ColumnStore store = new ColumnStore(shapes, parts.getFirst().memory());

    /** Whether runs stay in one piece if they have no nulls. */
    private final boolean whole;

    private final int runRows;
    private final long runBytes;

    RunCollector(ExecContext context, SpillableRowCollection.Writer[] writers) {
      this.context = context;
      this.writers = writers;
      whole = !shapes.isEmpty() && shapes.stream().allMatch(PartitionedRun::moves);
      long width = shapes.stream().mapToLong(shape -> shape.storage().width()).sum();
      long most = 4L * context.device().properties().batchRows();
      runBytes = parts.getFirst().query().runBytes(whole);
      runRows = (int) (whole ? Math.clamp(runBytes / width, 1, MOST_RUN_ROWS) : most);
    }

    @Override
    public void accept(ColumnBatch batch) {
      if (whole && batch.rows() > runRows / 2 && PartitionedRun.takes(batch, shapes)) {
        dealWhole(context, batch);
      } else if (batch.rows() > 0) {
        store.append(context, batch);
        if (store.rows() >= runRows || (!whole && store.bytes() >= runBytes)) {
          dealRun();
        }
      }
    }

    private void dealRun() {
      if (store.rows() > 0) {
        ColumnBatch run = store.view();
        if (whole && PartitionedRun.takes(run, shapes)) {
          dealWhole(context, run);
        } else {
          deal(context, run, writers);
        }
        store.clear();
      }
    }

    @Override
    public void finish() {
      dealRun();
      store.close();
    }
  }

  /**
   * Whether keys leave without the bits that their part says: where the first bits of their places
   * part them, and a group of such rows is not shorter than where it begins.
   */
  private boolean packs(int rows) {
    return words instanceof KeyPlaces
        && shift + bits == Integer.SIZE
        && parts.size() == 1 << bits
        && rows >= leastPackedRows;
  }

  /** As {@link #dealWhole}, into runs whose keys are packed. */
  private void dealPacked(ExecContext context, ColumnBatch batch, int key) {
    QuerySpill query = parts.getFirst().query();
    QueryMemory.Arena scratch = context.scratch();
    int rows = batch.rows();
    long mark = scratch.mark();
    Buffer places = scratch.allocate(4L * rows);
    context.partition().keyPlaces(context, batch.column(key).values(), rows, Integer.BYTES, places);
    Buffer outPlaces = scratch.allocate(4L * rows);
    Buffer groups = scratch.allocate((4L << PackedKeys.SAID_BITS) + 4);
    List<MovedColumn> moved = new ArrayList<>();
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < batch.columns().size(); i++) {
      Column column = batch.column(i);
      if (i != key) {
        columns.add(moved(column, rows, query.memory(), moved));
      }
    }
    PartitionFunction order = new PartitionFunction(false, 0, 0xFFFF_FFFFL);
    context
        .partition()
        .partitionRows(
            context,
            order,
            PackedKeys.SAID_BITS,
            places,
            Integer.BYTES,
            rows,
            outPlaces,
            moved,
            groups);
    Buffer packed = query.memory().allocate(PackedKeys.offset(bits, 1 << bits, rows));
    Buffer starts = scratch.allocate((4L << bits) + 4);
    context.partition().packPlaces(context, outPlaces, rows, groups, bits, packed, starts);
    columns.add(key, new Column(batch.column(key).shape(), rows, packed, Buffer.EMPTY, null, null));
    int[] from = HostColumns.ints(context, starts, (1 << bits) + 1);
    scratch.release(mark);
    parts.getFirst().note("partitions with packed keys", 1);
    share(new PartitionedRun(query, new ColumnBatch(columns, rows), false, parts, from, key));
  }

  private static Column moved(Column column, int rows, QueryMemory to, List<MovedColumn> moved) {
    int width = column.shape().storage().width();
    Buffer out = to.allocate((long) width * rows);
    moved.add(new MovedColumn(column.values(), out, width));
    return new Column(column.shape(), rows, out, Buffer.EMPTY, null, null);
  }

  private static void share(PartitionedRun run) {
    run.share();
    run.query().ahead(run);
  }

  /** Partitions rows all at once; they stay in one piece, of which each part has a stretch. */
  private void dealWhole(ExecContext context, ColumnBatch batch) {
    if (words instanceof KeyPlaces key && packs(batch.rows())) {
      dealPacked(context, batch, key.column);
      return;
    }
    QuerySpill query = parts.getFirst().query();
    QueryMemory.Arena scratch = context.scratch();
    int rows = batch.rows();
    long mark = scratch.mark();
    Buffer word = words.of(context, batch);
    Buffer outWords = scratch.allocate(8L * rows);
    Buffer starts = scratch.allocate((4L << bits) + 4);
    List<MovedColumn> moved = new ArrayList<>();
    List<Column> columns = new ArrayList<>();
    for (Column column : batch.columns()) {
      columns.add(moved(column, rows, query.memory(), moved));
    }
    // Just the bits that radixPartition would take.
    PartitionFunction order = new PartitionFunction(false, 0, -1L >>> (Long.SIZE - shift - bits));
    context
        .partition()
        .partitionRows(context, order, bits, word, Long.BYTES, rows, outWords, moved, starts);
    int[] from = HostColumns.ints(context, starts, (1 << bits) + 1);
    scratch.release(mark);
    share(new PartitionedRun(query, new ColumnBatch(columns, rows), false, parts, from, -1));
  }

  private void deal(
      ExecContext context, ColumnBatch batch, SpillableRowCollection.Writer[] writers) {
    QueryMemory.Arena scratch = context.scratch();
    int rows = batch.rows();
    long mark = scratch.mark();
    Buffer word = words.of(context, batch);
    Buffer numbers = scratch.allocate(4L * rows);
    context.scan().iota(context, numbers, 0, rows);
    Buffer outWords = scratch.allocate(8L * rows);
    Buffer ids = scratch.allocate(4L * rows);
    Buffer starts = scratch.allocate((4L << bits) + 4);
    context
        .partition()
        .radixPartition(context, word, numbers, rows, shift, bits, outWords, ids, starts);
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
    parts.forEach(SpillableRowCollection::seal);
  }

  /** Deals out the rows of a collection, which is closed then. */
  public void runOver(ExecContext context, SpillableRowCollection collection) {
    BatchConsumer[] workers = new BatchConsumer[collection.size()];
    // A writer a worker would do, but tasks do not know theirs; a writer a block would leave many
    // small blocks. So blocks are dealt out in as many runs as there are workers.
    int runs = Math.min(collection.size(), context.parallel().workers());
    context
        .parallel()
        .forEach(
            runs,
            (worker, run) -> {
              workers[run] = newWorker(worker);
              for (int i = run; i < collection.size(); i += runs) {
                worker.checkCancelled();
                int block = i;
                collection.consume(
                    worker, block, (context2, batch) -> inBatches(context2, batch, workers[run]));
              }
              workers[run].finish();
            });
    finish(context, context.parallel());
    collection.close();
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
