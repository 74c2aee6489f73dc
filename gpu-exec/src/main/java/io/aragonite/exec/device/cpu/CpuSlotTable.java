package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;

/**
 * Open addressing with linear probing, at most half full; word and row lie side by side, so that a
 * lookup costs one cache line.
 */
final class CpuSlotTable extends CpuHashTable {
  /** Slot: word (8 bytes), row or start of the list, -1 if it is free (4), number of rows (4). */
  private static final int SLOT = 16;

  private static final int ROW = 8;
  private static final int COUNT = 12;

  private static final int CANCEL_ROWS = 1 << 20;

  private Buffer slots = Buffer.EMPTY;
  private long mask;
  private int shift;

  CpuSlotTable(QueryMemory memory, int rows) {
    super(memory, rows);
  }

  @Override
  void fill(ExecContext context, long words, long rowIds, int count) {
    long capacity = CpuHash.powerOfTwo(2L * count);
    slots = memory.allocate(SLOT * capacity);
    CpuScan.fillInts(slots.address(), -1, SLOT / 4 * capacity);
    mask = capacity - 1;
    shift = CpuHash.shift(capacity);
    int found = 0;
    int most = 0;
    for (int i = 0; i < count; i++) {
      if ((i & CANCEL_ROWS - 1) == 0) {
        context.checkCancelled();
      }
      long word = Mem.getLong(words + 8L * i);
      long slot = find(word, CpuHash.slot(word, shift));
      if (Mem.getInt(slot + ROW) < 0) {
        Mem.putLong(slot, word);
        Mem.putInt(slot + ROW, rowAt(rowIds, i));
        Mem.putInt(slot + COUNT, 1);
        found++;
      } else {
        int matches = Mem.getInt(slot + COUNT) + 1;
        Mem.putInt(slot + COUNT, matches);
        most = Math.max(most, matches);
      }
    }
    distinct = found;
    maxMultiplicity = count == 0 ? 0 : Math.max(1, most);
    if (found < count) {
      fillLists(context, words, rowIds, count);
    }
  }

  private void fillLists(ExecContext context, long words, long rowIds, int count) {
    lists = memory.allocate(4L * count);
    int sum = 0;
    for (long i = 0; i <= mask; i++) {
      long slot = slots.address() + SLOT * i;
      if (Mem.getInt(slot + ROW) >= 0) {
        Mem.putInt(slot + ROW, sum);
        sum += Mem.getInt(slot + COUNT);
        Mem.putInt(slot + COUNT, 0);
      }
    }
    for (int i = 0; i < count; i++) {
      if ((i & CANCEL_ROWS - 1) == 0) {
        context.checkCancelled();
      }
      long word = Mem.getLong(words + 8L * i);
      long slot = find(word, CpuHash.slot(word, shift));
      int matches = Mem.getInt(slot + COUNT);
      int place = Mem.getInt(slot + ROW) + matches;
      Mem.putInt(lists.address() + 4L * place, rowAt(rowIds, i));
      Mem.putInt(slot + COUNT, matches + 1);
    }
  }

  /** The slot of a word, or the free one where it would be, from place {@code index} on. */
  private long find(long word, long index) {
    while (true) {
      long slot = slots.address() + SLOT * index;
      if (Mem.getLong(slot) == word || Mem.getInt(slot + ROW) < 0) {
        return slot;
      }
      index = index + 1 & mask;
    }
  }

  @Override
  void lookup(ExecContext context, long words, int count, long out) {
    long mark = context.scratch().mark();
    long open = context.scratch().allocate(4L * count).address();
    long table = slots.address();
    int misses = 0;
    for (int i = 0; i < count; i++) {
      long word = Mem.getLong(words + 8L * i);
      long slot = table + SLOT * CpuHash.slot(word, shift);
      int row = Mem.getInt(slot + ROW);
      int differ = CpuHash.differ(Mem.getLong(slot), word);
      Mem.putInt(out + 4L * i, row | differ);
      // To be looked for further on: another word is here. A free slot ends the search.
      Mem.putInt(open + 4L * misses, i);
      misses -= differ & ~(row >> 31);
    }
    for (int k = 0; k < misses; k++) {
      int i = Mem.getInt(open + 4L * k);
      long word = Mem.getLong(words + 8L * i);
      long slot = find(word, CpuHash.slot(word, shift) + 1 & mask);
      Mem.putInt(out + 4L * i, Mem.getInt(slot + ROW));
    }
    if (lists.address() != 0) {
      // So far the first place in the list.
      long list = lists.address();
      for (int i = 0; i < count; i++) {
        int place = Mem.getInt(out + 4L * i);
        int none = place >> 31;
        Mem.putInt(out + 4L * i, Mem.getInt(list + 4L * (place & ~none)) | none);
      }
    }
    context.scratch().release(mark);
  }

  @Override
  void locate(ExecContext context, long words, int count, long outStarts, long outCounts) {
    long table = slots.address();
    for (int i = 0; i < count; i++) {
      long word = Mem.getLong(words + 8L * i);
      long slot = table + SLOT * CpuHash.slot(word, shift);
      int start = Mem.getInt(slot + ROW);
      int differ = CpuHash.differ(Mem.getLong(slot), word);
      Mem.putInt(outStarts + 4L * i, start | differ);
      // -1 (which a free slot has as well): nothing is known yet.
      Mem.putInt(
          outCounts + 4L * i, (Mem.getInt(slot + COUNT) & ~differ) | (differ & ~(start >> 31)));
    }
    for (int i = 0; i < count; i++) {
      int start = Mem.getInt(outStarts + 4L * i);
      if (start >= 0) {
        continue;
      }
      if (Mem.getInt(outCounts + 4L * i) < 0) {
        long word = Mem.getLong(words + 8L * i);
        long slot = find(word, CpuHash.slot(word, shift) + 1 & mask);
        start = Mem.getInt(slot + ROW);
        Mem.putInt(outCounts + 4L * i, Mem.getInt(slot + COUNT));
      }
      if (start < 0) {
        start = 0;
        Mem.putInt(outCounts + 4L * i, 0);
      }
      Mem.putInt(outStarts + 4L * i, start);
    }
  }

  @Override
  public void close() {
    super.close();
    memory.free(slots);
    slots = Buffer.EMPTY;
  }
}
