package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A bit for every word of the range, and the rows of those that are there in the order of their
 * words. A word's place among the rows is its rank: the number of bits before its own. Filtered
 * tables have such keys: few of a moderate range. A quarter of a byte a word of the range keeps the
 * part that every probe visits in cache, and the others (most probes find nothing) end there.
 */
final class CpuRankTable extends CpuHashTable {
  /** Cell of 64 words: their bits (8 bytes), the number of bits in the cells before (4), unused. */
  private static final int CELL = 16;

  private static final int RANK = 8;

  private final long base;

  /** Words in the range; a word's entry is {@code word - base}. */
  private final long size;

  private Buffer cells = Buffer.EMPTY;

  /** The row of each distinct word by rank, one of them if there are several. */
  private Buffer heads = Buffer.EMPTY;

  /** distinct + 1 starts in {@link #lists}; EMPTY if words are unique. */
  private Buffer starts = Buffer.EMPTY;

  CpuRankTable(QueryMemory memory, int rows, long base, long size) {
    super(memory, rows);
    this.base = base;
    this.size = size;
  }

  @Override
  void fill(ExecContext context, long words, long rowIds, int count) {
    long cellCount = (size + 63) / 64;
    cells = memory.allocate(CELL * cellCount);
    Mem.fill(cells.address(), CELL * cellCount, (byte) 0);
    for (int i = 0; i < count; i++) {
      long entry = Mem.getLong(words + 8L * i) - base;
      long cell = cells.address() + CELL * (entry >>> 6);
      Mem.putLong(cell, Mem.getLong(cell) | (1L << entry));
    }
    int sum = 0;
    for (long i = 0; i < cellCount; i++) {
      long cell = cells.address() + CELL * i;
      Mem.putInt(cell + RANK, sum);
      sum += Long.bitCount(Mem.getLong(cell));
    }
    distinct = sum;
    maxMultiplicity = count == 0 ? 0 : 1;
    context.checkCancelled();
    heads = memory.allocate(4L * Math.max(1, distinct));
    // An empty table's probes look here as well.
    Mem.putInt(heads.address(), -1);
    for (int i = 0; i < count; i++) {
      long rank = rank(Mem.getLong(words + 8L * i) - base);
      Mem.putInt(heads.address() + 4 * rank, rowAt(rowIds, i));
    }
    if (distinct < count) {
      context.checkCancelled();
      fillLists(words, rowIds, count);
    }
  }

  private void fillLists(long words, long rowIds, int count) {
    starts = memory.allocate(4L * (distinct + 1));
    lists = memory.allocate(4L * count);
    Mem.fill(starts.address(), 4L * (distinct + 1), (byte) 0);
    long ends = starts.address() + 4;
    for (int i = 0; i < count; i++) {
      long place = ends + 4 * rank(Mem.getLong(words + 8L * i) - base);
      Mem.putInt(place, Mem.getInt(place) + 1);
    }
    maxMultiplicity = countsToStarts(ends, distinct);
    for (int i = 0; i < count; i++) {
      long place = ends + 4 * rank(Mem.getLong(words + 8L * i) - base);
      int next = Mem.getInt(place);
      Mem.putInt(lists.address() + 4L * next, rowAt(rowIds, i));
      Mem.putInt(place, next + 1);
    }
  }

  /** How many words that are there come before one that is there too. */
  private long rank(long entry) {
    long cell = cells.address() + CELL * (entry >>> 6);
    long before = Mem.getLong(cell) & ((1L << entry) - 1);
    return (long) Mem.getInt(cell + RANK) + Long.bitCount(before);
  }

  @Override
  void lookup(ExecContext context, long words, int count, long out) {
    long first = cells.address();
    long rows = heads.address();
    for (int i = 0; i < count; i++) {
      long entry = Mem.getLong(words + 8L * i) - base;
      // Entries from 0 to size - 1 exist; all others are sent to the first and then hidden.
      long outside = (entry | (size - 1 - entry)) >> 63;
      long cell = first + CELL * ((entry & ~outside) >>> 6);
      long bits = Mem.getLong(cell);
      long there = -((bits >>> entry) & 1) & ~outside;
      long rank = (Mem.getInt(cell + RANK) + Long.bitCount(bits & ((1L << entry) - 1))) & there;
      Mem.putInt(out + 4L * i, Mem.getInt(rows + 4 * rank) | (int) ~there);
    }
  }

  @Override
  void locate(ExecContext context, long words, int count, long outStarts, long outCounts) {
    long first = cells.address();
    long table = starts.address();
    for (int i = 0; i < count; i++) {
      long entry = Mem.getLong(words + 8L * i) - base;
      long outside = (entry | (size - 1 - entry)) >> 63;
      long cell = first + CELL * ((entry & ~outside) >>> 6);
      long bits = Mem.getLong(cell);
      long there = -((bits >>> entry) & 1) & ~outside;
      long rank = (Mem.getInt(cell + RANK) + Long.bitCount(bits & ((1L << entry) - 1))) & there;
      int start = Mem.getInt(table + 4 * rank);
      Mem.putInt(outStarts + 4L * i, start);
      Mem.putInt(outCounts + 4L * i, (Mem.getInt(table + 4 * rank + 4) - start) & (int) there);
    }
  }

  @Override
  Stream<Buffer> parts() {
    return Stream.of(cells, heads, starts);
  }

  @Override
  CpuHashTable withParts(UnaryOperator<Buffer> copy) {
    CpuRankTable table = new CpuRankTable(memory, rows, base, size);
    table.cells = copy.apply(cells);
    table.heads = copy.apply(heads);
    table.starts = copy.apply(starts);
    return table;
  }

  @Override
  public void close() {
    super.close();
    memory.free(cells);
    memory.free(heads);
    memory.free(starts);
    cells = Buffer.EMPTY;
    heads = Buffer.EMPTY;
    starts = Buffer.EMPTY;
  }
}
