package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.RadixHistogramPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.RadixSortPolicy;
import io.aragonite.exec.memory.Buffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Stable radix sort and partition of (key, value) pairs of 4 or 8 bytes each, by unsigned keys:
 * onesweep (Adinets and Merrill) with CUB's agents. One pass over the keys counts all digits; then
 * each digit in which keys differ takes one pass over the pairs, from one pair of buffers to
 * another.
 */
public final class CudaRadixSort {
  /** Bits of a pass at most. */
  public static final int DIGIT = RadixSortPolicy.DIGIT_BITS;

  private static final int BINS = RadixHistogramPolicy.BINS;
  private static final int MAX_DIGITS = RadixHistogramPolicy.DIGITS;
  private static final int THREADS = BlockPolicy.THREADS;
  private static final int SWEEP_THREADS = RadixSortPolicy.THREADS;

  /** Rows of a block of the counting kernel. */
  private static final int COUNT_TILE = RadixHistogramPolicy.TILE;

  /** A pass takes at most so many rows at once: two bits of a state are not for counts. */
  private static final int PORTION = (1 << 28) - 1;

  /** In front of the counts: the bits in which keys differ; of the look-back: its counter. */
  private static final int HEADER = 256;

  /** Keys and the values that go with them. */
  public record SortPairs(Buffer keys, Buffer values) {}

  /** A digit of the keys, and which of the counted ones it is. */
  record Digit(int index, int shift, int bits) {
    boolean in(long varying) {
      return (varying >>> shift & (1L << bits) - 1) != 0;
    }
  }

  private final ExecContext context;
  private final CudaStream stream;
  private final int keyBytes;
  private final int valueBytes;

  /** Rows of a block of a pass. */
  private final int tile;

  public CudaRadixSort(ExecContext context, int keyBytes, int valueBytes) {
    this.context = context;
    this.stream = CudaStream.of(context);
    this.keyBytes = keyBytes;
    this.valueBytes = valueBytes;
    this.tile =
        switch (10 * keyBytes + valueBytes) {
          case 44 -> RadixSortPolicy.TILE_4_4;
          case 48 -> RadixSortPolicy.TILE_4_8;
          case 84 -> RadixSortPolicy.TILE_8_4;
          case 88 -> RadixSortPolicy.TILE_8_8;
          default -> throw new IllegalArgumentException(keyBytes + " + " + valueBytes + " bytes");
        };
  }

  /**
   * Sorts by the key's bits from {@code fromBit} to {@code toBit}. Waits once, for the bits in
   * which keys differ, unless one pass is enough in any case.
   *
   * @param other as large as {@code in}; both are overwritten
   * @return where the sorted pairs are, one of the two
   */
  public SortPairs sort(SortPairs in, SortPairs other, int count, int fromBit, int toBit) {
    if (count < 2 || fromBit >= toBit) {
      return in;
    }
    long mark = context.scratch().mark();
    try {
      List<Digit> digits = digits(fromBit, toBit);
      Buffer counts = count(in.keys(), count, digits);
      long mask = (toBit - fromBit >= Long.SIZE ? -1L : (1L << (toBit - fromBit)) - 1) << fromBit;
      boolean one = digits.size() == 1;
      long varying = one ? mask : stream.readLong(counts.address()) & mask;
      List<Digit> passes = digits.stream().filter(digit -> digit.in(varying)).toList();
      List<Digit> fewer = varyingDigits(varying, toBit);
      if (fewer.size() < passes.size()) {
        // Counting again costs less than a pass.
        digits = fewer;
        passes = fewer;
        counts = count(in.keys(), count, digits);
      }
      starts(counts, digits, Buffer.EMPTY, 0, count);
      return passes(in, other, count, counts, digits.size(), passes);
    } finally {
      context.scratch().release(mark);
    }
  }

  /**
   * Partitions by at most {@link #DIGIT} bits, at least one.
   *
   * @param offsets where to put the 2^bits + 1 starts of the partitions; EMPTY: nowhere
   */
  public void partition(
      SortPairs in, SortPairs out, int count, int shift, int bits, Buffer offsets) {
    long mark = context.scratch().mark();
    try {
      List<Digit> digits = List.of(new Digit(0, shift, bits));
      Buffer counts = count(in.keys(), count, digits);
      starts(counts, digits, offsets, 1 << bits, count);
      passes(in, out, count, counts, 1, digits);
    } finally {
      context.scratch().release(mark);
    }
  }

  private SortPairs passes(
      SortPairs in, SortPairs other, int count, Buffer counts, int digits, List<Digit> passes) {
    SortPairs from = in;
    SortPairs to = other;
    if (count > 0) {
      Buffer lookback = context.scratch().allocate(HEADER + 4L * BINS * tiles(count));
      for (Digit pass : passes) {
        context.checkCancelled();
        sweep(from, to, count, counts, digits, pass, lookback);
        SortPairs swap = from;
        from = to;
        to = swap;
      }
    }
    return from;
  }

  /** Neighbouring digits of the bits, from the lowest on. */
  static List<Digit> digits(int fromBit, int toBit) {
    List<Digit> digits = new ArrayList<>();
    for (int shift = fromBit; shift < toBit; shift += DIGIT) {
      digits.add(new Digit(digits.size(), shift, Math.min(DIGIT, toBit - shift)));
    }
    return digits;
  }

  /** As few digits as have all bits in which keys differ. */
  static List<Digit> varyingDigits(long varying, int toBit) {
    List<Digit> digits = new ArrayList<>();
    long left = varying;
    while (left != 0) {
      int shift = Long.numberOfTrailingZeros(left);
      int bits = Math.min(DIGIT, toBit - shift);
      digits.add(new Digit(digits.size(), shift, bits));
      left &= ~((1L << bits) - 1 << shift);
    }
    return digits;
  }

  private int tiles(int count) {
    return CudaLookBack.blocks(Math.min(count, PORTION), tile);
  }

  private int portionRows() {
    return PORTION / tile * tile;
  }

  /** Where the counts, then starts, of a digit for a portion of the rows are. */
  private static Buffer bins(Buffer counts, int digits, int portion, int digit) {
    return counts.slice(HEADER + 4L * BINS * ((long) portion * digits + digit), 4L * BINS);
  }

  /** Counts digits; the result begins with the 64 bits in which keys differ. */
  private Buffer count(Buffer keys, int count, List<Digit> digits) {
    if (digits.size() > MAX_DIGITS) {
      throw new IllegalArgumentException(digits.size() + " digits");
    }
    int portions = Math.max(1, CudaLookBack.blocks(count, portionRows()));
    Buffer counts = context.scratch().allocate(HEADER + 4L * BINS * digits.size() * portions);
    stream.fill(counts.address(), (byte) 0, HEADER + 4L * BINS * digits.size());
    long shifts = 0;
    long bits = 0;
    for (Digit digit : digits) {
      shifts |= (long) digit.shift() << (8 * digit.index());
      bits |= (long) digit.bits() << (8 * digit.index());
    }
    stream.launch(
        stream.gpu().kernel(KernelFamily.RADIX_HISTOGRAM, "ara_digits_" + keyBytes),
        Math.min(CudaLookBack.blocks(count, COUNT_TILE), 8L * stream.gpu().sms()),
        THREADS,
        0,
        keys,
        count,
        shifts,
        bits,
        digits.size(),
        bins(counts, digits.size(), 0, 0),
        counts);
    return counts;
  }

  private void starts(Buffer counts, List<Digit> digits, Buffer offsets, int parts, int count) {
    stream.launch(
        stream.gpu().kernel(KernelFamily.RADIX_HISTOGRAM, "ara_digit_starts"),
        digits.size(),
        BINS,
        0,
        bins(counts, digits.size(), 0, 0),
        offsets,
        parts,
        count);
  }

  /** One pass over all pairs. */
  private void sweep(
      SortPairs in,
      SortPairs out,
      int count,
      Buffer counts,
      int digits,
      Digit digit,
      Buffer lookback) {
    CudaKernel kernel =
        stream.gpu().kernel(KernelFamily.RADIX_SORT, "ara_sweep_" + keyBytes + "_" + valueBytes);
    int portion = 0;
    for (long from = 0; from < count; from += portionRows(), portion++) {
      int rows = (int) Math.min(portionRows(), count - from);
      int tiles = CudaLookBack.blocks(rows, tile);
      boolean last = from + rows == count;
      stream.fill(lookback.address(), (byte) 0, HEADER + 4L * BINS * tiles);
      stream.launch(
          kernel,
          tiles,
          SWEEP_THREADS,
          0,
          lookback.slice(HEADER, 4L * BINS * tiles),
          lookback,
          last ? Buffer.EMPTY : bins(counts, digits, portion + 1, digit.index()),
          bins(counts, digits, portion, digit.index()),
          out.keys(),
          in.keys().slice(from * keyBytes, (long) rows * keyBytes),
          out.values(),
          in.values().slice(from * valueBytes, (long) rows * valueBytes),
          rows,
          digit.shift(),
          digit.bits());
    }
  }
}
