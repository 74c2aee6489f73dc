package io.aragonite.exec.codegen;

import java.util.Collection;
import java.util.Collections;

/** An immutable set of longs: a bitmap where they lie close together, else open addressing. */
final class LongSet {
  private static final long MAX_BITMAP = 1 << 16;

  private final long min;
  private final long span;
  private final long[] bits;
  private final long[] slots;
  private final boolean[] full;
  private final int mask;

  private LongSet(Collection<Long> members) {
    long low = members.isEmpty() ? 0 : Collections.min(members);
    long high = members.isEmpty() ? -1 : Collections.max(members);
    long width = high - low;
    min = low;
    if (members.isEmpty() || (width >= 0 && width < MAX_BITMAP)) {
      span = width + 1;
      bits = new long[(int) (span + 63) / 64];
      for (long member : members) {
        bits[(int) ((member - low) >> 6)] |= 1L << (member - low);
      }
      slots = new long[0];
      full = new boolean[0];
      mask = 0;
      return;
    }
    span = -1;
    bits = new long[0];
    int capacity = Integer.highestOneBit(members.size()) * 4;
    slots = new long[capacity];
    full = new boolean[capacity];
    mask = capacity - 1;
    for (long member : members) {
      int slot = slot(member);
      while (full[slot] && slots[slot] != member) {
        slot = slot + 1 & mask;
      }
      full[slot] = true;
      slots[slot] = member;
    }
  }

  static LongSet of(Collection<Long> members) {
    return new LongSet(members);
  }

  private int slot(long value) {
    long hash = value * 0x9E3779B97F4A7C15L;
    return (int) (hash ^ hash >>> 32) & mask;
  }

  boolean contains(long value) {
    if (span >= 0) {
      long offset = value - min;
      return offset >= 0 && offset < span && (bits[(int) (offset >> 6)] >>> offset & 1) != 0;
    }
    int slot = slot(value);
    while (full[slot]) {
      if (slots[slot] == value) {
        return true;
      }
      slot = slot + 1 & mask;
    }
    return false;
  }
}
