package io.aragonite.adapter.format.dictionary;

import io.aragonite.exec.memory.Mem;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the distinct byte strings of a column while it is loaded, up to a limit. Open addressing.
 */
public final class DistinctBytes {
  private final int limit;
  private long[] addresses = new long[64];
  private int[] lengths = new int[64];
  private long[] hashes = new long[64];
  private int[] slots = new int[256];
  private int count;

  /** The values, once they are kept. */
  private byte @Nullable [][] kept;

  public DistinctBytes(int limit) {
    this.limit = limit;
    Arrays.fill(slots, -1);
  }

  /** How many there are. */
  public int count() {
    return count;
  }

  /**
   * The number of a value, or -1 if it is new and the limit is reached.
   *
   * @param address must stay readable until the values are kept, or not asked for any more
   */
  public int add(long address, int length) {
    long hash = hash(address, length);
    int mask = slots.length - 1;
    int slot = (int) hash & mask;
    while (true) {
      int id = slots[slot];
      if (id < 0) {
        break;
      }
      if (hashes[id] == hash && lengths[id] == length && equal(addresses[id], address, length)) {
        return id;
      }
      slot = (slot + 1) & mask;
    }
    if (count == limit) {
      return -1;
    }
    if (count == addresses.length) {
      addresses = Arrays.copyOf(addresses, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
      hashes = Arrays.copyOf(hashes, 2 * count);
    }
    addresses[count] = address;
    lengths[count] = length;
    hashes[count] = hash;
    slots[slot] = count;
    if (2 * ++count > slots.length) {
      rehash();
    }
    return count - 1;
  }

  /** Of all values, by their numbers. */
  public long[] hashes() {
    return Arrays.copyOf(hashes, count);
  }

  /** Copies the values: what they came from may go. None may be added then. */
  public void keep() {
    byte[][] values = new byte[count][];
    for (int i = 0; i < count; i++) {
      values[i] = value(i);
    }
    kept = values;
  }

  /** Where a value is, unless they are kept. */
  public long address(int id) {
    return addresses[id];
  }

  /** Bytes of a value. */
  public int length(int id) {
    return lengths[id];
  }

  /** A value, copied unless they are kept. */
  public byte[] value(int id) {
    byte[][] values = kept;
    if (values != null) {
      return values[id];
    }
    byte[] value = new byte[lengths[id]];
    Mem.copy(addresses[id], value, 0, value.length);
    return value;
  }

  private void rehash() {
    slots = new int[2 * slots.length];
    Arrays.fill(slots, -1);
    int mask = slots.length - 1;
    for (int id = 0; id < count; id++) {
      int slot = (int) hashes[id] & mask;
      while (slots[slot] >= 0) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = id;
    }
  }

  /** A 64-bit hash of bytes, also used for distinct counts. */
  public static long hash(long address, int length) {
    long hash = length * 0x9E3779B97F4A7C15L;
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      hash = mix(hash ^ Mem.getLong(address + i));
    }
    if (i < length) {
      long tail = 0;
      for (int shift = 0; i < length; i++, shift += 8) {
        tail |= (Mem.getByte(address + i) & 0xFFL) << shift;
      }
      hash = mix(hash ^ tail);
    }
    return mix(hash);
  }

  /** Spreads the bits of a number. */
  public static long mix(long x) {
    x = (x ^ (x >>> 32)) * 0xD6E8FEB86659FD93L;
    x = (x ^ (x >>> 32)) * 0xD6E8FEB86659FD93L;
    return x ^ (x >>> 32);
  }

  private static boolean equal(long a, long b, int length) {
    if (length > 64) {
      return MemorySegment.mismatch(
              Mem.segment(a, length), 0, length, Mem.segment(b, length), 0, length)
          < 0;
    }
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      if (Mem.getLong(a + i) != Mem.getLong(b + i)) {
        return false;
      }
    }
    for (; i < length; i++) {
      if (Mem.getByte(a + i) != Mem.getByte(b + i)) {
        return false;
      }
    }
    return true;
  }
}
