package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives.GroupTable;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;

/**
 * Numbers distinct words. It starts as an array addressed by the word itself and stays so while
 * words are small compared with the number of groups; else it becomes an open-addressing table with
 * linear probing, at most half full, whose slots hold word and number side by side.
 *
 * <p>A batch is looked up in two steps. The first visits one place a word, without a branch, so
 * that many cache misses overlap; it collects the positions that it could not settle. The second
 * treats those in order, and adds what is new.
 */
final class CpuGroupTable implements GroupTable {
  /** Slot: word (8 bytes), group or -1 (4 bytes), unused. */
  private static final int SLOT = 16;

  /** Direct addressing is worth up to this many times the number of groups ... */
  private static final int DIRECT_FACTOR = 8;

  /** ... and up to this many entries always (256 KiB). */
  private static final int DIRECT_SMALL = 1 << 16;

  private static final int DIRECT_FIRST = 1 << 10;
  private static final int HASH_FIRST = 1 << 12;

  private final QueryMemory memory;
  private boolean direct = true;

  /** Group numbers by word, or slots. */
  private Buffer table = Buffer.EMPTY;

  /** Entries of the table, a power of two. */
  private long capacity;

  private int groups;

  CpuGroupTable(QueryMemory memory) {
    this.memory = memory;
    this.capacity = DIRECT_FIRST;
    this.table = memory.allocate(4L * capacity);
    CpuScan.fillInts(table.address(), -1, capacity);
  }

  @Override
  public int groups() {
    return groups;
  }

  int assign(ExecContext context, Buffer words, int count, Buffer outGroups, Buffer outNewRows) {
    if (count == 0) {
      return 0;
    }
    if (direct) {
      long largest = largest(words.address(), count);
      if (Long.compareUnsigned(largest, capacity) >= 0) {
        makeRoom(largest, count);
      }
    }
    if (groups > Integer.MAX_VALUE - count) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE, "More than 2^31 groups; group by fewer values.");
    }
    long mark = context.scratch().mark();
    long open = context.scratch().allocate(4L * count).address();
    int added =
        direct
            ? assignDirect(words.address(), count, outGroups.address(), outNewRows.address(), open)
            : assignHashed(words.address(), count, outGroups.address(), outNewRows.address(), open);
    context.scratch().release(mark);
    return added;
  }

  /** An upper bound of the words: all bits that occur in them. */
  private static long largest(long words, int count) {
    long bits = 0;
    for (int i = 0; i < count; i++) {
      bits |= Mem.getLong(words + 8L * i);
    }
    return bits;
  }

  private int assignDirect(long words, int count, long out, long newRows, long open) {
    long places = table.address();
    int misses = 0;
    for (int i = 0; i < count; i++) {
      int group = Mem.getInt(places + 4 * Mem.getLong(words + 8L * i));
      Mem.putInt(out + 4L * i, group);
      Mem.putInt(open + 4L * misses, i);
      misses += group >>> 31;
    }
    int added = 0;
    for (int k = 0; k < misses; k++) {
      int i = Mem.getInt(open + 4L * k);
      long place = places + 4 * Mem.getLong(words + 8L * i);
      int group = Mem.getInt(place);
      if (group < 0) {
        group = groups++;
        Mem.putInt(place, group);
        Mem.putInt(newRows + 4L * added++, i);
      }
      Mem.putInt(out + 4L * i, group);
    }
    return added;
  }

  private int assignHashed(long words, int count, long out, long newRows, long open) {
    long slots = table.address();
    int shift = CpuHash.shift(capacity);
    int misses = 0;
    for (int i = 0; i < count; i++) {
      long word = Mem.getLong(words + 8L * i);
      long slot = slots + SLOT * CpuHash.slot(word, shift);
      int group = Mem.getInt(slot + 8);
      // Not found: another word is there, or none.
      int other = CpuHash.differ(Mem.getLong(slot), word) | group >> 31;
      Mem.putInt(out + 4L * i, group);
      Mem.putInt(open + 4L * misses, i);
      misses -= other;
    }
    if (2L * (groups + misses) > capacity) {
      growHashed(2L * (groups + misses));
    }
    int added = 0;
    slots = table.address();
    shift = CpuHash.shift(capacity);
    long mask = capacity - 1;
    for (int k = 0; k < misses; k++) {
      int i = Mem.getInt(open + 4L * k);
      long word = Mem.getLong(words + 8L * i);
      long index = CpuHash.slot(word, shift);
      int group;
      while (true) {
        long slot = slots + SLOT * index;
        group = Mem.getInt(slot + 8);
        if (group < 0) {
          group = groups++;
          Mem.putLong(slot, word);
          Mem.putInt(slot + 8, group);
          Mem.putInt(newRows + 4L * added++, i);
          break;
        }
        if (Mem.getLong(slot) == word) {
          break;
        }
        index = index + 1 & mask;
      }
      Mem.putInt(out + 4L * i, group);
    }
    return added;
  }

  /** Makes the table hold words up to {@code largest}: by address if that pays, else by hash. */
  private void makeRoom(long largest, int count) {
    long wanted = Math.max(DIRECT_SMALL, DIRECT_FACTOR * ((long) groups + count));
    if (largest < 0 || largest >= wanted) {
      toHashed();
      return;
    }
    long newCapacity = Long.highestOneBit(largest) << 1;
    Buffer grown = memory.allocate(4 * newCapacity);
    Mem.copy(table.address(), grown.address(), 4 * capacity);
    CpuScan.fillInts(grown.address() + 4 * capacity, -1, newCapacity - capacity);
    memory.free(table);
    table = grown;
    capacity = newCapacity;
  }

  private void toHashed() {
    Buffer old = table;
    long oldCapacity = capacity;
    direct = false;
    newSlots(Math.max(HASH_FIRST, 4L * groups));
    for (long word = 0; word < oldCapacity; word++) {
      int group = Mem.getInt(old.address() + 4 * word);
      if (group >= 0) {
        insert(word, group);
      }
    }
    memory.free(old);
  }

  private void growHashed(long least) {
    Buffer old = table;
    long oldCapacity = capacity;
    newSlots(Math.max(least, 2 * capacity));
    for (long i = 0; i < oldCapacity; i++) {
      long slot = old.address() + SLOT * i;
      int group = Mem.getInt(slot + 8);
      if (group >= 0) {
        insert(Mem.getLong(slot), group);
      }
    }
    memory.free(old);
  }

  private void newSlots(long least) {
    long newCapacity = CpuHash.powerOfTwo(least);
    Buffer slots = memory.allocate(SLOT * newCapacity);
    CpuScan.fillInts(slots.address(), -1, SLOT / 4 * newCapacity);
    table = slots;
    capacity = newCapacity;
  }

  private void insert(long word, int group) {
    long index = CpuHash.slot(word, CpuHash.shift(capacity));
    while (Mem.getInt(table.address() + SLOT * index + 8) >= 0) {
      index = index + 1 & capacity - 1;
    }
    Mem.putLong(table.address() + SLOT * index, word);
    Mem.putInt(table.address() + SLOT * index + 8, group);
  }

  @Override
  public void close() {
    memory.free(table);
    table = Buffer.EMPTY;
  }
}
