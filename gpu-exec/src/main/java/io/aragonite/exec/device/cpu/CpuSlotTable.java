package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Open addressing, at most half full; word and row lie side by side, four slots to a cache line.
 * From the slot that its hash says a word goes round in its line first and on to the next line
 * then, so that few words need a second line.
 *
 * <p>Rows are looked up in blocks: all of a block's rows visit their first slot, those that met
 * another word visit their second one, and so on. None of these loops has a branch that depends on
 * the data. Of tables beyond a core's own cache a block's lines are brought near before that by a
 * loop so short that a core waits for many of them at a time; the loop that compares has three
 * times as many instructions, and so a third of the lines in flight.
 */
final class CpuSlotTable extends CpuHashTable {
  /** Slot: word (8 bytes), row or start of the list, -1 if it is free (4), number of rows (4). */
  private static final int SLOT = 16;

  private static final int ROW = 8;
  private static final int COUNT = 12;

  /** Slots of a cache line, as a power of two. */
  private static final int LINE_BITS = 2;

  private static final int LINE = 1 << LINE_BITS;

  /** Slots that a core's own cache does not hold (1 MiB). */
  private static final long FAR = 1 << 16;

  /** Rows at a time: their lines stay in a core's own cache. */
  private static final int BLOCK = 1 << 10;

  private static final int CANCEL_ROWS = 1 << 20;

  private Buffer slots = Buffer.EMPTY;
  private long mask;
  private int shift;

  CpuSlotTable(QueryMemory memory, int rows) {
    super(memory, rows);
  }

  @Override
  void fill(ExecContext context, long words, long rowIds, int count) {
    long capacity = Math.max(LINE, CpuHash.powerOfTwo(2L * count));
    slots = memory.allocate(SLOT * capacity);
    CpuScan.fillInts(slots.address(), -1, SLOT / 4 * capacity);
    mask = capacity - 1;
    shift = CpuHash.shift(capacity);
    long mark = context.scratch().mark();
    long open = context.scratch().allocate(4L * BLOCK).address();
    int found = 0;
    int most = 0;
    for (int from = 0; from < count; from += BLOCK) {
      cancelled(context, from);
      int to = Math.min(count, from + BLOCK);
      if (mask >= FAR) {
        touch(words + 8L * from, to - from, open);
      }
      for (int i = from; i < to; i++) {
        long word = Mem.getLong(words + 8L * i);
        long slot = address(word, 0);
        int row = Mem.getInt(slot + ROW);
        for (int hop = 1; row >= 0 && Mem.getLong(slot) != word; hop++) {
          slot = address(word, hop);
          row = Mem.getInt(slot + ROW);
        }
        if (row < 0) {
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
    }
    distinct = found;
    maxMultiplicity = count == 0 ? 0 : Math.max(1, most);
    if (distinct < count) {
      fillLists(context, words, rowIds, count, open);
    }
    context.scratch().release(mark);
  }

  /**
   * Brings the lines of words' first slots near: so short a loop waits for many of them at a time.
   */
  private void touch(long words, int count, long sink) {
    for (int i = 0; i < count; i++) {
      Mem.putInt(sink + 4L * i, Mem.getInt(address(Mem.getLong(words + 8L * i), 0)));
    }
  }

  private static void cancelled(ExecContext context, int row) {
    if ((row & CANCEL_ROWS - 1) == 0) {
      context.checkCancelled();
    }
  }

  private void fillLists(ExecContext context, long words, long rowIds, int count, long open) {
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
    long places = context.scratch().allocate(8L * BLOCK).address();
    for (int from = 0; from < count; from += BLOCK) {
      cancelled(context, from);
      int block = Math.min(BLOCK, count - from);
      find(words + 8L * from, block, places, open);
      for (int i = 0; i < block; i++) {
        long slot = Mem.getLong(places + 8L * i);
        int matches = Mem.getInt(slot + COUNT);
        int place = Mem.getInt(slot + ROW) + matches;
        Mem.putInt(lists.address() + 4L * place, rowAt(rowIds, from + i));
        Mem.putInt(slot + COUNT, matches + 1);
      }
    }
  }

  /**
   * Where a word is after so many hops, if it is not before: they go round in a line of slots, and
   * on to the next.
   */
  private long address(long word, int hop) {
    long first = CpuHash.slot(word, shift);
    long line = (first >>> LINE_BITS) + (hop >>> LINE_BITS) << LINE_BITS;
    return slots.address() + SLOT * ((line | (first + hop & LINE - 1)) & mask);
  }

  /** The slot of each word, or the free one where it would be. */
  private void find(long words, int count, long out, long open) {
    int rowsOpen = 0;
    if (mask >= FAR) {
      touch(words, count, open);
    }
    for (int i = 0; i < count; i++) {
      long word = Mem.getLong(words + 8L * i);
      long slot = address(word, 0);
      Mem.putLong(out + 8L * i, slot);
      Mem.putInt(open + 4L * rowsOpen, i);
      rowsOpen += CpuHash.differ(Mem.getLong(slot), word) & ~(Mem.getInt(slot + ROW) >> 31) & 1;
    }
    for (int hop = 1; rowsOpen > 0; hop++) {
      int left = 0;
      for (int k = 0; k < rowsOpen; k++) {
        int i = Mem.getInt(open + 4L * k);
        long word = Mem.getLong(words + 8L * i);
        long slot = address(word, hop);
        Mem.putLong(out + 8L * i, slot);
        Mem.putInt(open + 4L * left, i);
        left += CpuHash.differ(Mem.getLong(slot), word) & ~(Mem.getInt(slot + ROW) >> 31) & 1;
      }
      rowsOpen = left;
    }
  }

  @Override
  void lookup(ExecContext context, long words, int count, long out) {
    long mark = context.scratch().mark();
    long open = context.scratch().allocate(4L * BLOCK).address();
    for (int from = 0; from < count; from += BLOCK) {
      lookup(words + 8L * from, Math.min(BLOCK, count - from), out + 4L * from, open);
    }
    context.scratch().release(mark);
  }

  private void lookup(long words, int count, long out, long open) {
    int rowsOpen = 0;
    if (mask >= FAR) {
      touch(words, count, open);
    }
    for (int i = 0; i < count; i++) {
      long word = Mem.getLong(words + 8L * i);
      long slot = address(word, 0);
      int row = Mem.getInt(slot + ROW);
      int differ = CpuHash.differ(Mem.getLong(slot), word);
      Mem.putInt(out + 4L * i, row | differ);
      // To be looked for further on: another word is here. A free slot ends the search.
      Mem.putInt(open + 4L * rowsOpen, i);
      rowsOpen += differ & ~(row >> 31) & 1;
    }
    for (int hop = 1; rowsOpen > 0; hop++) {
      rowsOpen = lookupAgain(words, open, rowsOpen, hop, out);
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
  }

  private int lookupAgain(long words, long open, int count, int hop, long out) {
    int rowsOpen = 0;
    for (int k = 0; k < count; k++) {
      int i = Mem.getInt(open + 4L * k);
      long word = Mem.getLong(words + 8L * i);
      long slot = address(word, hop);
      int row = Mem.getInt(slot + ROW);
      int differ = CpuHash.differ(Mem.getLong(slot), word);
      Mem.putInt(out + 4L * i, row | differ);
      Mem.putInt(open + 4L * rowsOpen, i);
      rowsOpen += differ & ~(row >> 31) & 1;
    }
    return rowsOpen;
  }

  @Override
  void locate(ExecContext context, long words, int count, long outStarts, long outCounts) {
    long mark = context.scratch().mark();
    long open = context.scratch().allocate(4L * count).address();
    long places = context.scratch().allocate(8L * count).address();
    find(words, count, places, open);
    for (int i = 0; i < count; i++) {
      long slot = Mem.getLong(places + 8L * i);
      int start = Mem.getInt(slot + ROW);
      int none = start >> 31;
      Mem.putInt(outStarts + 4L * i, start & ~none);
      Mem.putInt(outCounts + 4L * i, Mem.getInt(slot + COUNT) & ~none);
    }
    context.scratch().release(mark);
  }

  @Override
  Stream<Buffer> parts() {
    return Stream.of(slots);
  }

  @Override
  CpuHashTable withParts(UnaryOperator<Buffer> copy) {
    CpuSlotTable table = new CpuSlotTable(memory, rows);
    table.slots = copy.apply(slots);
    table.mask = mask;
    table.shift = shift;
    return table;
  }

  @Override
  public void close() {
    super.close();
    memory.free(slots);
    slots = Buffer.EMPTY;
  }
}
