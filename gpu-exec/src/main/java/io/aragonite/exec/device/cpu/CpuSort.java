package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;

/** Radix partition and stable sort of (key, id) pairs. */
final class CpuSort {
  private static final int DIGIT = 8;
  private static final int DIGITS = 1 << DIGIT;

  /** Up to here insertion beats counting. */
  private static final int INSERTION = 48;

  /** Pairs up to this many are moved through scratch memory, more through the query's. */
  private static final int SCRATCH_PAIRS = 1 << 14;

  private CpuSort() {}

  static void radixPartition(
      ExecContext context,
      Buffer keys,
      Buffer ids,
      int count,
      int shift,
      int bits,
      Buffer outKeys,
      Buffer outIds,
      Buffer outOffsets) {
    int parts = 1 << bits;
    long offsets = outOffsets.address();
    CpuScan.histogram(keys, count, shift, bits, outOffsets);
    int sum = 0;
    for (int part = 0; part < parts; part++) {
      int size = Mem.getInt(offsets + 4L * part);
      Mem.putInt(offsets + 4L * part, sum);
      sum += size;
    }
    long mark = context.scratch().mark();
    long next = context.scratch().allocate(4L * parts).address();
    Mem.copy(offsets, next, 4L * parts);
    Mem.putInt(offsets + 4L * parts, count);
    move(
        keys.address(),
        ids.address(),
        count,
        shift,
        parts - 1,
        next,
        outKeys.address(),
        outIds.address());
    context.scratch().release(mark);
  }

  /**
   * @param next where the next pair of each digit goes; moved on
   */
  private static void move(
      long keys, long ids, int count, int shift, int mask, long next, long outKeys, long outIds) {
    for (int i = 0; i < count; i++) {
      long key = Mem.getLong(keys + 8L * i);
      long counter = next + 4L * ((int) (key >>> shift) & mask);
      int place = Mem.getInt(counter);
      Mem.putInt(counter, place + 1);
      Mem.putLong(outKeys + 8L * place, key);
      Mem.putInt(outIds + 4L * place, Mem.getInt(ids + 4L * i));
    }
  }

  static void sortPairs(
      ExecContext context, Buffer keys, Buffer ids, int count, int fromBit, int toBit) {
    if (count < 2 || fromBit >= toBit) {
      return;
    }
    long mask = (toBit - fromBit >= 64 ? -1L : (1L << (toBit - fromBit)) - 1) << fromBit;
    if (count <= INSERTION) {
      insertion(keys.address(), ids.address(), count, mask);
      return;
    }
    long varying = varying(keys.address(), count) & mask;
    if (varying == 0) {
      return;
    }
    if (count <= SCRATCH_PAIRS) {
      long mark = context.scratch().mark();
      long otherKeys = context.scratch().allocate(8L * count).address();
      long otherIds = context.scratch().allocate(4L * count).address();
      radix(context, keys.address(), ids.address(), otherKeys, otherIds, count, varying, mask);
      context.scratch().release(mark);
      return;
    }
    QueryMemory memory = context.memory();
    Buffer otherKeys = memory.allocate(8L * count);
    Buffer otherIds = Buffer.EMPTY;
    try {
      otherIds = memory.allocate(4L * count);
      radix(
          context,
          keys.address(),
          ids.address(),
          otherKeys.address(),
          otherIds.address(),
          count,
          varying,
          mask);
    } finally {
      memory.free(otherKeys);
      memory.free(otherIds);
    }
  }

  /** The bits in which keys differ. */
  private static long varying(long keys, int count) {
    long first = Mem.getLong(keys);
    long bits = 0;
    for (int i = 0; i < count; i++) {
      bits |= Mem.getLong(keys + 8L * i) ^ first;
    }
    return bits;
  }

  /**
   * Least significant digit first; digits begin at the lowest bit that varies, constant ones go.
   */
  private static void radix(
      ExecContext context,
      long keys,
      long ids,
      long otherKeys,
      long otherIds,
      int count,
      long varying,
      long mask) {
    long fromKeys = keys;
    long fromIds = ids;
    long toKeys = otherKeys;
    long toIds = otherIds;
    int low = Long.numberOfTrailingZeros(varying);
    long counters = context.scratch().allocate(4L * DIGITS).address();
    int end = 64 - Long.numberOfLeadingZeros(mask);
    for (int shift = low; shift < end && varying >>> shift != 0; shift += DIGIT) {
      // The last digit may reach beyond the bits asked for.
      int digitMask = (int) (mask >>> shift) & DIGITS - 1;
      if ((varying >>> shift & DIGITS - 1) == 0) {
        continue;
      }
      context.checkCancelled();
      count(fromKeys, count, shift, digitMask, counters);
      move(fromKeys, fromIds, count, shift, digitMask, counters, toKeys, toIds);
      long swap = fromKeys;
      fromKeys = toKeys;
      toKeys = swap;
      swap = fromIds;
      fromIds = toIds;
      toIds = swap;
    }
    if (fromKeys != keys) {
      Mem.copy(fromKeys, keys, 8L * count);
      Mem.copy(fromIds, ids, 4L * count);
    }
  }

  /** Where each digit's pairs start. */
  private static void count(long keys, int count, int shift, int mask, long counters) {
    Mem.fill(counters, 4L * DIGITS, (byte) 0);
    for (int i = 0; i < count; i++) {
      long counter = counters + 4L * ((int) (Mem.getLong(keys + 8L * i) >>> shift) & mask);
      Mem.putInt(counter, Mem.getInt(counter) + 1);
    }
    int sum = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
      int size = Mem.getInt(counters + 4L * digit);
      Mem.putInt(counters + 4L * digit, sum);
      sum += size;
    }
  }

  private static void insertion(long keys, long ids, int count, long mask) {
    for (int i = 1; i < count; i++) {
      long key = Mem.getLong(keys + 8L * i);
      int id = Mem.getInt(ids + 4L * i);
      long order = (key & mask) ^ Long.MIN_VALUE;
      int j = i;
      for (; j > 0; j--) {
        long other = Mem.getLong(keys + 8L * (j - 1));
        if (((other & mask) ^ Long.MIN_VALUE) <= order) {
          break;
        }
        Mem.putLong(keys + 8L * j, other);
        Mem.putInt(ids + 4L * j, Mem.getInt(ids + 4L * (j - 1)));
      }
      Mem.putLong(keys + 8L * j, key);
      Mem.putInt(ids + 4L * j, id);
    }
  }
}
