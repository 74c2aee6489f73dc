package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.GroupTable;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;

/**
 * Numbers distinct words. It starts as an array addressed by the word itself and stays so while
 * words are small, absolutely or compared with the number of groups; else it becomes an
 * open-addressing table with linear probing, at most half full, whose slots hold word and number
 * side by side. When that has to grow and its words turn out to be dense, it becomes an array
 * again.
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

  /** ... and up to this many entries always (1 MiB). */
  private static final int DIRECT_SMALL = 1 << 18;

  /** Words looked up at once: what the first step touches is still in cache in the second. */
  private static final int PIECE = 1 << 13;

  private static final int DIRECT_FIRST = 1 << 10;
  private static final int HASH_FIRST = 1 << 12;

  private final QueryMemory memory;
  private boolean direct = true;

  /** Group numbers by word, or slots. */
  private Buffer table = Buffer.EMPTY;

  /** Entries of the table, a power of two. */
  private long capacity;

  private int groups;

  /** All bits that occur in words, an upper bound of them. */
  private long bits;

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

  @Override
  public int assign(
      ExecContext context, Buffer words, int count, Buffer outGroups, Buffer outNewRows) {
    int added = 0;
    for (int from = 0; from < count; from += PIECE) {
      int rows = Math.min(PIECE, count - from);
      if (from > 0) {
        context.checkCancelled();
      }
      long newRows = outNewRows.address() + 4L * added;
      int more =
          assignPiece(
              context, words.address() + 8L * from, rows, outGroups.address() + 4L * from, newRows);
      if (from > 0) {
        for (int i = 0; i < more; i++) {
          Mem.putInt(newRows + 4L * i, Mem.getInt(newRows + 4L * i) + from);
        }
      }
      added += more;
    }
    return added;
  }

  private int assignPiece(
      ExecContext context, long words, int count, long outGroups, long outNewRows) {
    if (groups > Integer.MAX_VALUE - count) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE, "More than 2^31 groups; group by fewer values.");
    }
    bits |= bits(words, count);
    if (direct && Long.compareUnsigned(bits, capacity) >= 0) {
      if (directPays(Math.max(DIRECT_SMALL, DIRECT_FACTOR * ((long) groups + count)))) {
        growDirect();
      } else {
        toHashed();
      }
    }
    long mark = context.scratch().mark();
    long open = context.scratch().allocate(4L * count).address();
    int misses =
        direct
            ? findDirect(words, count, outGroups, open)
            : findHashed(words, count, outGroups, open);
    if (!direct && 2L * (groups + misses) > capacity) {
      if (directPays(DIRECT_FACTOR * ((long) groups + misses))) {
        toDirect();
      } else {
        // Where most words are new, many more will be.
        growHashed(context, (2 * misses > count ? 4L : 2L) * (groups + misses));
      }
    }
    int added =
        direct
            ? addDirect(words, open, misses, outGroups, outNewRows)
            : addHashed(words, open, misses, outGroups, outNewRows);
    context.scratch().release(mark);
    return added;
  }

  /** Whether an array of so many entries would hold all words. */
  private boolean directPays(long entries) {
    return bits >= 0 && bits < entries;
  }

  private static long bits(long words, int count) {
    long bits = 0;
    long more = 0;
    int i = 0;
    for (; i < count - 3; i += 4) {
      bits |= Mem.getLong(words + 8L * i) | Mem.getLong(words + 8L * i + 8);
      more |= Mem.getLong(words + 8L * i + 16) | Mem.getLong(words + 8L * i + 24);
    }
    for (; i < count; i++) {
      bits |= Mem.getLong(words + 8L * i);
    }
    return bits | more;
  }

  /** The groups of the words that are there; the positions of the others go to {@code open}. */
  private int findDirect(long words, int count, long out, long open) {
    long places = table.address();
    int misses = 0;
    for (int i = 0; i < count; i++) {
      int group = Mem.getInt(places + 4 * Mem.getLong(words + 8L * i));
      Mem.putInt(out + 4L * i, group);
      Mem.putInt(open + 4L * misses, i);
      misses += group >>> 31;
    }
    return misses;
  }

  private int addDirect(long words, long open, int misses, long out, long newRows) {
    long places = table.address();
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

  /** As {@link #findDirect}, but only one slot a word is looked at, so that some stay open. */
  private int findHashed(long words, int count, long out, long open) {
    long slots = table.address();
    int shift = CpuHash.shift(capacity);
    int misses = 0;
    for (int i = 0; i < count; i++) {
      long word = Mem.getLong(words + 8L * i);
      long slot = slots + SLOT * CpuHash.slot(word, shift);
      int group = Mem.getInt(slot + 8);
      // Another word is there, or none.
      int other = CpuHash.differ(Mem.getLong(slot), word) | (group >> 31);
      Mem.putInt(out + 4L * i, group);
      Mem.putInt(open + 4L * misses, i);
      misses -= other;
    }
    return misses;
  }

  private int addHashed(long words, long open, int misses, long out, long newRows) {
    long slots = table.address();
    int shift = CpuHash.shift(capacity);
    long mask = capacity - 1;
    int added = 0;
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
        index = (index + 1) & mask;
      }
      Mem.putInt(out + 4L * i, group);
    }
    return added;
  }

  private void growDirect() {
    long newCapacity = Long.highestOneBit(bits) << 1;
    Buffer grown = memory.allocate(4 * newCapacity);
    Mem.copy(table.address(), grown.address(), 4 * capacity);
    CpuScan.fillInts(grown.address() + 4 * capacity, -1, newCapacity - capacity);
    memory.free(table);
    table = grown;
    capacity = newCapacity;
  }

  private void toDirect() {
    Buffer old = table;
    long oldCapacity = capacity;
    long newCapacity = Long.highestOneBit(bits) << 1;
    table = memory.allocate(4 * newCapacity);
    capacity = newCapacity;
    direct = true;
    CpuScan.fillInts(table.address(), -1, newCapacity);
    for (long i = 0; i < oldCapacity; i++) {
      long slot = old.address() + SLOT * i;
      int group = Mem.getInt(slot + 8);
      if (group >= 0) {
        Mem.putInt(table.address() + 4 * Mem.getLong(slot), group);
      }
    }
    memory.free(old);
  }

  private void toHashed() {
    Buffer old = table;
    long oldCapacity = capacity;
    newSlots(Math.max(HASH_FIRST, 4L * groups));
    direct = false;
    for (long word = 0; word < oldCapacity; word++) {
      int group = Mem.getInt(old.address() + 4 * word);
      if (group >= 0) {
        insert(word, group);
      }
    }
    memory.free(old);
  }

  /** Which slots are used is collected first, without branches that nobody could predict. */
  private void growHashed(ExecContext context, long least) {
    Buffer old = table;
    long oldCapacity = capacity;
    newSlots(Math.max(least, 2 * capacity));
    long mark = context.scratch().mark();
    int piece = (int) Math.min(PIECE, oldCapacity);
    long used = context.scratch().allocate(4L * piece).address();
    for (long from = 0; from < oldCapacity; from += piece) {
      long slots = old.address() + SLOT * from;
      int count = usedSlots(slots, piece, used);
      insert(slots, used, count);
    }
    context.scratch().release(mark);
    memory.free(old);
  }

  private static int usedSlots(long slots, int count, long out) {
    int used = 0;
    for (int i = 0; i < count; i++) {
      Mem.putInt(out + 4L * used, i);
      used += ~Mem.getInt(slots + (long) SLOT * i + 8) >>> 31;
    }
    return used;
  }

  private void insert(long from, long used, int count) {
    long slots = table.address();
    int shift = CpuHash.shift(capacity);
    long mask = capacity - 1;
    for (int k = 0; k < count; k++) {
      long slot = from + (long) SLOT * Mem.getInt(used + 4L * k);
      long word = Mem.getLong(slot);
      long index = CpuHash.slot(word, shift);
      while (Mem.getInt(slots + SLOT * index + 8) >= 0) {
        index = (index + 1) & mask;
      }
      Mem.putLong(slots + SLOT * index, word);
      Mem.putInt(slots + SLOT * index + 8, Mem.getInt(slot + 8));
    }
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
      index = (index + 1) & (capacity - 1);
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
