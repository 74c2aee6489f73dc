package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Entries addressed by the word itself, for words that lie close together. */
final class CpuDirectTable extends CpuHashTable {
  private final long base;

  /** Entries; a word's entry is {@code word - base}. */
  private final long size;

  /** A row of each entry, -1 for none. */
  private Buffer heads = Buffer.EMPTY;

  /** size + 1 starts in {@link #lists}; EMPTY if words are unique. */
  private Buffer starts = Buffer.EMPTY;

  CpuDirectTable(QueryMemory memory, int rows, long base, long size) {
    super(memory, rows);
    this.base = base;
    this.size = size;
  }

  @Override
  void fill(ExecContext context, long words, long rowIds, int count) {
    heads = memory.allocate(4 * size);
    long table = heads.address();
    CpuScan.fillInts(table, -1, size);
    int repeated = 0;
    for (int i = 0; i < count; i++) {
      long entry = table + 4 * (Mem.getLong(words + 8L * i) - base);
      repeated += ~Mem.getInt(entry) >>> 31;
      Mem.putInt(entry, rowAt(rowIds, i));
    }
    distinct = count - repeated;
    maxMultiplicity = count == 0 ? 0 : 1;
    if (repeated > 0) {
      context.checkCancelled();
      fillLists(words, rowIds, count);
    }
  }

  private void fillLists(long words, long rowIds, int count) {
    starts = memory.allocate(4 * (size + 1));
    lists = memory.allocate(4L * count);
    long ends = starts.address() + 4;
    Mem.fill(starts.address(), 4 * (size + 1), (byte) 0);
    for (int i = 0; i < count; i++) {
      long entry = ends + 4 * (Mem.getLong(words + 8L * i) - base);
      Mem.putInt(entry, Mem.getInt(entry) + 1);
    }
    maxMultiplicity = countsToStarts(ends, size);
    for (int i = 0; i < count; i++) {
      long entry = ends + 4 * (Mem.getLong(words + 8L * i) - base);
      int place = Mem.getInt(entry);
      Mem.putInt(lists.address() + 4L * place, rowAt(rowIds, i));
      Mem.putInt(entry, place + 1);
    }
  }

  @Override
  void lookup(ExecContext context, long words, int count, long out) {
    long table = heads.address();
    for (int i = 0; i < count; i++) {
      long entry = Mem.getLong(words + 8L * i) - base;
      // Entries from 0 to size - 1 exist; all others are sent to the first and then hidden.
      long outside = outside(entry);
      int row = Mem.getInt(table + 4 * (entry & ~outside));
      Mem.putInt(out + 4L * i, row | (int) outside);
    }
  }

  /** -1 if an entry is none of the table's, 0 if it is. */
  private long outside(long entry) {
    return (entry | size - 1 - entry) >> 63;
  }

  @Override
  void locate(ExecContext context, long words, int count, long outStarts, long outCounts) {
    long table = starts.address();
    for (int i = 0; i < count; i++) {
      long entry = Mem.getLong(words + 8L * i) - base;
      long outside = outside(entry);
      long place = table + 4 * (entry & ~outside);
      int start = Mem.getInt(place);
      Mem.putInt(outStarts + 4L * i, start);
      Mem.putInt(outCounts + 4L * i, Mem.getInt(place + 4) - start & ~(int) outside);
    }
  }

  @Override
  Stream<Buffer> parts() {
    return Stream.of(heads, starts);
  }

  @Override
  CpuHashTable withParts(UnaryOperator<Buffer> copy) {
    CpuDirectTable table = new CpuDirectTable(memory, rows, base, size);
    table.heads = copy.apply(heads);
    table.starts = copy.apply(starts);
    return table;
  }

  @Override
  public void close() {
    super.close();
    memory.free(heads);
    memory.free(starts);
    heads = Buffer.EMPTY;
    starts = Buffer.EMPTY;
  }
}
