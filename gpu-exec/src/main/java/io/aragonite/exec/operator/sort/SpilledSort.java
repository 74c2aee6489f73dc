package io.aragonite.exec.operator.sort;

import io.aragonite.exec.device.DeviceProperties;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.SortDigit;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.Partitioner;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A sort of rows that memory does not hold: they are partitioned by ranges of their first word,
 * whose bounds come from a sample, and one range after the other is sorted in memory (sample sort:
 * Frazer and McKellar, 1970). Unlike merging sorted runs that needs nothing but what sorting and
 * partitioning in memory need, on any device. A range that does not fit is partitioned again, one
 * of a single word by the next word of the order.
 */
final class SpilledSort implements Source {
  /** Memory that sorting a row takes beside the row. */
  static final int SORT_BYTES = 44;

  private static final int SAMPLED_BLOCKS = 64;
  private static final int SAMPLED_ROWS = 1 << 14;

  /** Partitions of partitions, of the same word, before a sort is given up. */
  private static final int MOST_LEVELS = 24;

  /**
   * @param words what the rows may still differ in
   */
  private record Range(
      SpillableRowCollection rows, List<SortWord> words, int level, long turn, long span) {}

  private final QueryResources resources;
  private final PhysicalPlan node;
  private final List<SortKey> keys;
  private final int share;
  private final List<ColumnShape> shapes;
  private final Deque<Range> ranges = new ArrayDeque<>();
  private @Nullable SortedSource sorted;

  /** Rows that are all equal, or the only ones: in any order. */
  private @Nullable SpillableRowCollection equal;

  private int morsels;

  /**
   * @param node for the metrics
   * @param share what part of the room a range has, as a divisor
   */
  SpilledSort(
      QueryResources resources,
      PhysicalPlan node,
      List<SortKey> keys,
      SpillableRowCollection rows,
      List<SortWord> words,
      int share) {
    this.resources = resources;
    this.node = node;
    this.keys = List.copyOf(keys);
    this.share = share;
    this.shapes = rows.shapes();
    ranges.add(new Range(rows, words, 0, 0, 1L << 40));
  }

  /** Whether memory holds rows while they are sorted. */
  static boolean fits(QueryResources resources, SpillableRowCollection rows) {
    return need(rows) <= resources.spill().room() && rows.rows() < Integer.MAX_VALUE - 64;
  }

  private boolean fits(SpillableRowCollection rows) {
    return need(rows) <= resources.spill().room() / share && rows.rows() < Integer.MAX_VALUE - 64;
  }

  private static long need(SpillableRowCollection rows) {
    return rows.bytes() + SORT_BYTES * rows.rows();
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public boolean ordered() {
    return true;
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public boolean hasRounds() {
    return true;
  }

  @Override
  public int morsels() {
    return morsels;
  }

  @Override
  public boolean nextRound(ExecContext context) {
    while (true) {
      close();
      Range range = ranges.pollFirst();
      if (range == null) {
        return false;
      }
      if (range.rows.rows() == 0) {
        range.rows.close();
      } else if (range.words.isEmpty()) {
        equal = range.rows;
        morsels = range.rows.size();
        return true;
      } else if (fits(range.rows)) {
        DeviceProperties properties = context.device().properties();
        // Whoever has a share only of the room is not to get a whole range at once.
        int morselRows = share == 1 ? properties.morselRows() : properties.batchRows();
        ColumnBatch rows = range.rows.gather(context);
        range.rows.close();
        Buffer order = Sorter.sort(context, rows, keys);
        SortedSource source =
            new SortedSource(rows, order, 0, Long.MAX_VALUE, morselRows, context.memory());
        sorted = source;
        morsels = source.morsels();
        resources.metrics(node).figures.merge("passes", 1L, Long::sum);
        return true;
      } else {
        split(context, range);
      }
    }
  }

  private void split(ExecContext context, Range range) {
    if (range.level >= MOST_LEVELS) {
      throw new AragoniteException(
          ErrorCode.MEMORY_EXCEEDED,
          "A sort needs %,d bytes for rows that are close to each other, but there are %,d; raise memory="
              .formatted(need(range.rows), resources.spill().room()));
    }
    SortWord word = range.words.getFirst();
    int most =
        1
            << Partitioner.bits(
                need(range.rows), resources.spill().room() / share, context.parallel().workers());
    long[] bounds = bounds(sample(context, range.rows, word), most);
    int bits = Math.max(1, 32 - Integer.numberOfLeadingZeros(bounds.length));
    List<SpillableRowCollection> parts = new ArrayList<>();
    int workers = context.parallel().workers();
    long step = Math.max(1, range.span / (bounds.length + 1));
    for (int i = 0; i <= bounds.length; i++) {
      parts.add(
          resources
              .spill()
              .newRowCollection(
                  shapes,
                  workers * (bounds.length + 1),
                  range.turn + step * i,
                  resources.metrics(node)));
    }
    QueryMemory memory = context.memory();
    Buffer onDevice = memory.allocate(8L * bounds.length);
    upload(context, bounds, onDevice);
    Partitioner.PartitionWords numbers =
        (worker, batch) -> {
          int rows = batch.rows();
          Buffer words = worker.scratch().allocate(8L * rows);
          word.encode(worker, batch, null, 0, rows, words);
          Buffer places = worker.scratch().allocate(4L * rows);
          worker.sort().bound(worker, onDevice, bounds.length, words, rows, true, places);
          worker.scan().convert(worker, places, Integer.BYTES, rows, Long.BYTES, words);
          return words;
        };
    new Partitioner(parts, numbers, 0, bits).runOver(context, range.rows);
    memory.free(onDevice);
    for (int i = bounds.length; i >= 0; i--) {
      boolean single =
          i > 0 && (i < bounds.length ? bounds[i] == bounds[i - 1] + 1 : bounds[i - 1] == -1);
      List<SortWord> words = single ? after(range.words, bounds[i - 1]) : range.words;
      ranges.addFirst(
          new Range(
              parts.get(i), words, single ? 0 : range.level + 1, range.turn + step * i, step));
    }
    resources.metrics(node).figures.merge("partitions", (long) parts.size(), Long::sum);
  }

  /** What rows whose first word is {@code value} may still differ in. */
  private static List<SortWord> after(List<SortWord> words, long value) {
    SortWord first = words.getFirst();
    List<SortWord> rest = new ArrayList<>(words.subList(1, words.size()));
    if (first.isText()) {
      SortDigit digit = first.digits().getFirst();
      long stretch = digit.descending() ? ~value : value;
      // The lowest byte says whether the texts go on; see SortDigit.Kind.
      if ((stretch & 0xff) == SortDigit.TEXT_BYTES + 1) {
        rest.addFirst(first.nextRound());
      }
    }
    return rest;
  }

  /**
   * Bounds of ranges, ascending: range i has the words from bound i - 1 up to, but without, bound
   * i. A word that fills more than a range by itself has one of its own.
   *
   * @param sample words in ascending order
   */
  static long[] bounds(long[] sample, int ranges) {
    List<Long> bounds = new ArrayList<>();
    long last = 0;
    boolean any = false;
    for (int i = 1; i < ranges; i++) {
      long quantile = sample[(int) ((long) sample.length * i / ranges)];
      if (!any || quantile != last) {
        if (bounds.isEmpty() || bounds.getLast() != quantile) {
          bounds.add(quantile);
        }
      } else if (quantile != -1 && bounds.getLast() == quantile) {
        bounds.add(quantile + 1);
      }
      last = quantile;
      any = true;
    }
    return bounds.stream().mapToLong(Long::longValue).toArray();
  }

  /** Words of some rows, ascending as unsigned numbers. */
  private static long[] sample(ExecContext context, SpillableRowCollection rows, SortWord word) {
    int blocks = Math.min(rows.size(), SAMPLED_BLOCKS);
    int perBlock = SAMPLED_ROWS / blocks;
    long[] found = new long[blocks * perBlock];
    int[] count = {0};
    for (int i = 0; i < blocks; i++) {
      int block = (int) ((long) rows.size() * i / blocks);
      rows.read(
          context,
          block,
          (worker, batch) -> {
            worker.checkCancelled();
            int some = Math.min(perBlock, batch.rows());
            long mark = worker.scratch().mark();
            Buffer ids = worker.scratch().allocate(4L * some);
            long markOnHost = worker.hostScratch().mark();
            Buffer host = worker.hostScratch().allocate(8L * some);
            for (int k = 0; k < some; k++) {
              Mem.putInt(host.address() + 4L * k, (int) ((long) batch.rows() * k / some));
            }
            worker.device().transfers().toDevice(worker, host.address(), ids, 4L * some);
            Buffer words = worker.scratch().allocate(8L * some);
            word.encode(worker, batch, ids, 0, some, words);
            worker.device().transfers().toHost(worker, words, host.address(), 8L * some);
            for (int k = 0; k < some; k++) {
              found[count[0]++] = Mem.getLong(host.address() + 8L * k) ^ Long.MIN_VALUE;
            }
            worker.hostScratch().release(markOnHost);
            worker.scratch().release(mark);
          });
    }
    long[] words = Arrays.copyOf(found, count[0]);
    Arrays.sort(words);
    for (int i = 0; i < words.length; i++) {
      words[i] ^= Long.MIN_VALUE;
    }
    return words;
  }

  private static void upload(ExecContext context, long[] values, Buffer to) {
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    Buffer host = scratch.allocate(8L * values.length);
    for (int i = 0; i < values.length; i++) {
      Mem.putLong(host.address() + 8L * i, values[i]);
    }
    context.device().transfers().toDevice(context, host.address(), to, 8L * values.length);
    scratch.release(mark);
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    if (sorted != null) {
      sorted.run(context, morsel, consumer);
    } else if (equal != null) {
      equal.readInBatches(
          context,
          morsel,
          (worker, batch) -> {
            if (!consumer.done()) {
              consumer.accept(batch);
            }
          });
    }
  }

  /** Frees the rows of the last round. */
  @Override
  public void close() {
    if (sorted != null) {
      sorted.close();
      sorted = null;
    }
    if (equal != null) {
      equal.close();
      equal = null;
    }
    morsels = 0;
  }
}
