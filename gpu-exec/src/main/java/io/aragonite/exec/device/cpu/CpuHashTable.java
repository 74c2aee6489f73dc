package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.RowIds;
import java.util.Iterator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A multimap from words to rows. Each distinct word has one entry; an entry says its row, or, if
 * any word has several rows, where its rows lie next to each other in a list. Entries are found by
 * address where words are dense, else by hash.
 */
abstract sealed class CpuHashTable implements HashTable
    permits CpuDirectTable, CpuRankTable, CpuSlotTable {
  /** An entry a word of the range pays up to this many words a row ... */
  private static final long DIRECT_FACTOR = 2;

  /** ... and up to this many words always (64 KiB). */
  private static final long DIRECT_SMALL = 1 << 14;

  /** A bit a word pays up to this many words a row; that is no more memory than slots ... */
  private static final long RANK_FACTOR = 128;

  /** ... and up to this many words always (2 MiB), which takes a tenth of a millisecond to make. */
  private static final long RANK_SMALL = 1 << 23;

  /** Probe words that are located at once, before their pairs are written. */
  private static final int BLOCK = 1024;

  private static final int PIECE = 1 << 13;

  final QueryMemory memory;
  int rows;
  int distinct;
  int maxMultiplicity;

  /** Rows by entry, equal words next to each other; EMPTY if words are unique. */
  Buffer lists = Buffer.EMPTY;

  CpuHashTable(QueryMemory memory, int rows) {
    this.memory = memory;
    this.rows = rows;
  }

  static CpuHashTable build(
      ExecContext context, Buffer words, @Nullable RowIds rowIds, int count, QueryMemory memory) {
    PartitionFunction order = CpuPartition.order(words, Long.BYTES, count);
    long base = order.base();
    long range = order.range();
    CpuHashTable table;
    if (fits(range, Math.max(DIRECT_SMALL, DIRECT_FACTOR * count))) {
      table = new CpuDirectTable(memory, count, base, range + 1);
    } else if (!order.mixed()) {
      table = new CpuRankTable(memory, count, base, range + 1);
    } else {
      table = new CpuSlotTable(memory, count);
    }
    try {
      table.fill(context, words.address(), rowIds == null ? 0 : rowIds.ids().address(), count);
    } catch (RuntimeException e) {
      table.close();
      throw e;
    }
    return table;
  }

  /** Whether entries are in the order of their words. */
  static boolean byWord(long range, int count) {
    return fits(range, Math.max(DIRECT_SMALL, DIRECT_FACTOR * count))
        || count > 0 && fits(range, Math.max(RANK_SMALL, RANK_FACTOR * count));
  }

  private static boolean fits(long range, long most) {
    return Long.compareUnsigned(range, most) <= 0;
  }

  /**
   * Turns counts into starts, in place. They lie one place further on than the starts they become:
   * writing each row at its start and moving that on leaves the end, which is the next one's start.
   *
   * @return the largest count
   */
  static int countsToStarts(long counts, long size) {
    int sum = 0;
    int most = 0;
    for (long i = 0; i < size; i++) {
      int matches = Mem.getInt(counts + 4 * i);
      Mem.putInt(counts + 4 * i, sum);
      sum += matches;
      most = Math.max(most, matches);
    }
    return most;
  }

  /**
   * @param rowIds the row of each word, 0 if it is the word's number
   */
  abstract void fill(ExecContext context, long words, long rowIds, int count);

  abstract void lookup(ExecContext context, long words, int count, long out);

  /** In pieces that stay in cache. */
  @Override
  public final void lookup(ExecContext context, ProbeWords words, Buffer outRows) {
    int count = words.count();
    long mark = context.scratch().mark();
    long wide = CpuPartition.widened(context, words).address();
    long out = outRows.address();
    for (int from = 0; from < count; from += PIECE) {
      if (from > 0) {
        context.checkCancelled();
      }
      lookup(context, wide + 8L * from, Math.min(PIECE, count - from), out + 4L * from);
    }
    context.scratch().release(mark);
  }

  /** The first place in {@link #lists} of each word's rows, and how many there are. */
  abstract void locate(ExecContext context, long words, int count, long outStarts, long outCounts);

  static int rowAt(long rowIds, int i) {
    return rowIds == 0 ? i : Mem.getInt(rowIds + 4L * i);
  }

  @Override
  public final int probe(
      ExecContext context,
      ProbeWords words,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    int count = words.count();
    long mark = context.scratch().mark();
    long wide = CpuPartition.widened(context, words).address();
    long probe = outProbe.address();
    long build = outBuild.address();
    int written =
        lists.address() == 0
            ? probeUnique(context, wide, count, cursor, probe, build, capacity)
            : probeLists(context, wide, count, cursor, probe, build, capacity);
    context.scratch().release(mark);
    cursor.done = cursor.row >= count;
    return written;
  }

  @Override
  public final int fetch(
      ExecContext context, Buffer words, int wordBytes, int count, List<MovedColumn> columns) {
    return CpuProbeGather.fetch(context, this, words, wordBytes, count, columns);
  }

  private int probeUnique(
      ExecContext context,
      long words,
      int count,
      ProbeCursor cursor,
      long outProbe,
      long outBuild,
      int capacity) {
    long mark = context.scratch().mark();
    long found = context.scratch().allocate(4L * BLOCK).address();
    int n = 0;
    int row = cursor.row;
    while (row < count && n < capacity) {
      // A row has at most one pair, so that this many rows cannot overflow the output.
      int block = Math.min(BLOCK, Math.min(count - row, capacity - n));
      lookup(context, words + 8L * row, block, found);
      for (int i = 0; i < block; i++) {
        int match = Mem.getInt(found + 4L * i);
        Mem.putInt(outProbe + 4L * n, row + i);
        Mem.putInt(outBuild + 4L * n, match);
        n += ~match >>> 31;
      }
      row += block;
    }
    cursor.row = row;
    context.scratch().release(mark);
    return n;
  }

  private int probeLists(
      ExecContext context,
      long words,
      int count,
      ProbeCursor cursor,
      long outProbe,
      long outBuild,
      int capacity) {
    long mark = context.scratch().mark();
    long starts = context.scratch().allocate(4L * BLOCK).address();
    long counts = context.scratch().allocate(4L * BLOCK).address();
    long list = lists.address();
    int n = 0;
    int row = cursor.row;
    int place = (int) Math.max(0, cursor.place);
    while (row < count && n < capacity) {
      int block = Math.min(BLOCK, count - row);
      locate(context, words + 8L * row, block, starts, counts);
      int i = 0;
      for (; i < block; i++) {
        int matches = Mem.getInt(counts + 4L * i) - place;
        long from = list + 4L * (Mem.getInt(starts + 4L * i) + place);
        int take = Math.min(matches, capacity - n);
        put(row + i, from, take, outProbe + 4L * n, outBuild + 4L * n);
        n += take;
        if (take < matches) {
          place += take;
          break;
        }
        place = 0;
      }
      row += i;
    }
    cursor.row = row;
    cursor.place = place == 0 ? -1 : place;
    context.scratch().release(mark);
    return n;
  }

  /**
   * Writes the pairs of one probe row. Four are written whatever their number: that needs no
   * branch, and buffers have room for more than they hold.
   */
  private static void put(int row, long from, int count, long outProbe, long outBuild) {
    long twice = row & 0xFFFF_FFFFL;
    twice |= twice << 32;
    Mem.putLong(outProbe, twice);
    Mem.putLong(outProbe + 8, twice);
    Mem.putLong(outBuild, Mem.getLong(from));
    Mem.putLong(outBuild + 8, Mem.getLong(from + 8));
    for (int k = 4; k < count; k += 4) {
      Mem.putLong(outProbe + 4L * k, twice);
      Mem.putLong(outProbe + 4L * k + 8, twice);
      Mem.putLong(outBuild + 4L * k, Mem.getLong(from + 4L * k));
      Mem.putLong(outBuild + 4L * k + 8, Mem.getLong(from + 4L * k + 8));
    }
  }

  @Override
  public final List<Buffer> buffers(ExecContext context) {
    return Stream.concat(Stream.of(lists), parts()).filter(part -> part.address() != 0).toList();
  }

  @Override
  public final CpuHashTable over(List<Buffer> copies) {
    Iterator<Buffer> left = copies.iterator();
    UnaryOperator<Buffer> copy = part -> part.address() == 0 ? Buffer.EMPTY : left.next();
    Buffer copiedLists = copy.apply(lists);
    CpuHashTable table = withParts(copy);
    table.lists = copiedLists;
    table.distinct = distinct;
    table.maxMultiplicity = maxMultiplicity;
    return table;
  }

  /** Its buffers but for the lists, EMPTY where it does not have one. */
  abstract Stream<Buffer> parts();

  /** A table with other buffers in place of {@link #parts}. */
  abstract CpuHashTable withParts(UnaryOperator<Buffer> copy);

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public int distinct() {
    return distinct;
  }

  @Override
  public int maxMultiplicity() {
    return maxMultiplicity;
  }

  @Override
  public void close() {
    memory.free(lists);
    lists = Buffer.EMPTY;
  }
}
