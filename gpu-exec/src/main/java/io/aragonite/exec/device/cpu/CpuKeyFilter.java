package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.KeyColumns;
import io.aragonite.exec.device.KeyColumns.PackedColumn;
import io.aragonite.exec.device.KeyFilter;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import org.jspecify.annotations.Nullable;

/** A bit a word of the range that words lie in; else a Bloom filter whose bits lie in one word. */
final class CpuKeyFilter implements KeyFilter {
  /** Bits of an exact filter at most: a quarter of a large last cache, 8 MiB. */
  private static final long WIDEST = 1 << 26;

  /** ... and for each word that is tested. */
  private static final double BITS_OF_TESTED = 16;

  private final QueryMemory memory;
  private final boolean exact;
  private final long base;
  private final long range;

  /** Blocks of a Bloom filter less one. */
  private final long mask;

  private Buffer bits;

  CpuKeyFilter(Buffer words, int count, double tested, QueryMemory memory) {
    this.memory = memory;
    PartitionFunction order = CpuPartition.order(words, Long.BYTES, count);
    base = order.base();
    range = order.range();
    exact = KeyFilter.exact(range, count) || pays(range, tested);
    long blocks = exact ? (range >>> 6) + 1 : KeyFilter.blocks(count);
    mask = blocks - 1;
    bits = memory.allocate(8 * blocks);
    Mem.fill(bits.address(), 8 * blocks, (byte) 0);
    for (int i = 0; i < count; i++) {
      long word = Mem.getLong(words.address() + 8L * i);
      long place = place(word);
      Mem.putLong(place, Mem.getLong(place) | bits(word));
    }
  }

  /**
   * Whether so many words are tested that a bit for each word of a wide range costs little beside
   * them. Rows that lie by their key, as those of fact tables do, visit the bits in order, and no
   * word must be mixed.
   */
  private static boolean pays(long range, double tested) {
    return range >= 0 && range < Math.min(WIDEST, BITS_OF_TESTED * tested);
  }

  /** Of an exact filter only for words of the range. */
  private long place(long word) {
    long block = exact ? (word - base) >>> 6 : KeyFilter.mix(word) >>> 32 & mask;
    return bits.address() + 8 * block;
  }

  private long bits(long word) {
    return exact ? 1L << (word - base) : KeyFilter.bits(KeyFilter.mix(word));
  }

  @Override
  public int select(ExecContext context, KeyColumns words, Buffer out) {
    int count = words.count();
    PackedColumn low = words.columns().getFirst();
    PackedColumn high = words.columns().size() > 1 ? words.columns().getLast() : null;
    long rows = words.rows().address();
    int n = 0;
    boolean plain = exact && high == null && rows == 0 && low.shift() == 0;
    if (plain && low.bytes() == Integer.BYTES) {
      return selectInts(low.values().address(), low.zero() + base, count, out.address());
    }
    if (plain && low.bytes() == Long.BYTES) {
      return selectLongs(low.values().address(), low.zero() + base, count, out.address());
    }
    if (exact) {
      for (int i = 0; i < count; i++) {
        long distance = word(low, high, rows, i) - base;
        boolean inside = Long.compareUnsigned(distance, range) <= 0;
        long block = Mem.getLong(bits.address() + 8 * (inside ? distance >>> 6 : 0));
        Mem.putInt(out.address() + 4L * n, i);
        n += inside ? (int) (block >>> distance) & 1 : 0;
      }
      return n;
    }
    for (int i = 0; i < count; i++) {
      long mixed = KeyFilter.mix(word(low, high, rows, i));
      long wanted = KeyFilter.bits(mixed);
      long block = Mem.getLong(bits.address() + 8 * (mixed >>> 32 & mask));
      Mem.putInt(out.address() + 4L * n, i);
      n += (block & wanted) == wanted ? 1 : 0;
    }
    return n;
  }

  // A loop for each of the common widths, so that none asks for the width of each value.

  private int selectInts(long values, long first, int count, long out) {
    long words = bits.address();
    int n = 0;
    for (int i = 0; i < count; i++) {
      long distance = Mem.getInt(values + 4L * i) - first;
      boolean inside = Long.compareUnsigned(distance, range) <= 0;
      long block = Mem.getLong(words + 8 * (inside ? distance >>> 6 : 0));
      Mem.putInt(out + 4L * n, i);
      n += inside ? (int) (block >>> distance) & 1 : 0;
    }
    return n;
  }

  private int selectLongs(long values, long first, int count, long out) {
    long words = bits.address();
    int n = 0;
    for (int i = 0; i < count; i++) {
      long distance = Mem.getLong(values + 8L * i) - first;
      boolean inside = Long.compareUnsigned(distance, range) <= 0;
      long block = Mem.getLong(words + 8 * (inside ? distance >>> 6 : 0));
      Mem.putInt(out + 4L * n, i);
      n += inside ? (int) (block >>> distance) & 1 : 0;
    }
    return n;
  }

  private static long word(PackedColumn low, @Nullable PackedColumn high, long rows, int i) {
    long row = rows == 0 ? i : Mem.getInt(rows + 4L * i);
    long word = part(low, row);
    return high == null ? word : word | part(high, row);
  }

  private static long part(PackedColumn column, long row) {
    return value(column, row) - column.zero() << column.shift();
  }

  private static long value(PackedColumn column, long row) {
    long values = column.values().address();
    return switch (column.bytes()) {
      case Byte.BYTES -> Mem.getByte(values + row);
      case Short.BYTES -> Mem.getShort(values + 2 * row);
      case Integer.BYTES -> Mem.getInt(values + 4 * row);
      default -> Mem.getLong(values + 8 * row);
    };
  }

  @Override
  public long bytes() {
    return bits.size();
  }

  @Override
  public boolean exact() {
    return exact;
  }

  @Override
  public long distinct() {
    if (!exact) {
      return -1;
    }
    long distinct = 0;
    for (long at = 0; at < bits.size(); at += Long.BYTES) {
      distinct += Long.bitCount(Mem.getLong(bits.address() + at));
    }
    return distinct;
  }

  @Override
  public void close() {
    memory.free(bits);
    bits = Buffer.EMPTY;
  }
}
