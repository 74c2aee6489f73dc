package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionOps.SeparatePartitions;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import java.util.List;

/**
 * Partitions whole rows by the order of a hash table. Each worker has a piece of the rows: it
 * counts, and when all have, moves its rows to where they belong, a block at a time: first where
 * each row goes, then one column after the other.
 */
final class CpuPartition {
  private static final int BLOCK = 2048;

  /** Fewer rows are not worth another worker. */
  private static final int LEAST_PIECE = 1 << 16;

  private CpuPartition() {}

  /** Words of 8 bytes: these ones, or a copy in scratch memory. */
  static Buffer widened(ExecContext context, Buffer words, int wordBytes, int count) {
    if (wordBytes == Long.BYTES) {
      return words;
    }
    Buffer wide = context.scratch().allocate(8L * count);
    CpuScan.convert(words.address(), Integer.BYTES, count, Long.BYTES, wide.address());
    return wide;
  }

  /** As the other; a copy also where words have row numbers. */
  static Buffer widened(ExecContext context, ProbeWords words) {
    if (words.rows().address() == 0) {
      return widened(context, words.values(), words.bytes(), words.count());
    }
    Buffer wide = context.scratch().allocate(8L * words.count());
    long values = words.values().address();
    long rows = words.rows().address();
    boolean narrow = words.bytes() == Integer.BYTES;
    for (int i = 0; i < words.count(); i++) {
      long row = Mem.getInt(rows + 4L * i);
      Mem.putLong(
          wide.address() + 8L * i,
          narrow ? Mem.getInt(values + 4 * row) : Mem.getLong(values + 8 * row));
    }
    return wide;
  }

  static void narrow(Buffer words, int count, long base, int width, Buffer out) {
    for (int i = 0; i < count; i++) {
      long word = base + Mem.getLong(words.address() + 8L * i);
      if (width == Integer.BYTES) {
        Mem.putInt(out.address() + 4L * i, (int) word);
      } else {
        Mem.putLong(out.address() + 8L * i, word);
      }
    }
  }

  /** The base is the least word, signed or unsigned, whichever makes the range smaller. */
  static PartitionFunction order(Buffer words, int wordBytes, int count) {
    if (count == 0) {
      return new PartitionFunction(false, 0, 0);
    }
    long from = words.address();
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    if (wordBytes == Integer.BYTES) {
      for (int i = 0; i < count; i++) {
        int word = Mem.getInt(from + 4L * i);
        min = Math.min(min, word);
        max = Math.max(max, word);
      }
    } else {
      long low = Long.MAX_VALUE;
      long high = Long.MIN_VALUE;
      for (int i = 0; i < count; i++) {
        long word = Mem.getLong(from + 8L * i);
        min = Math.min(min, word);
        max = Math.max(max, word);
        low = Math.min(low, word ^ Long.MIN_VALUE);
        high = Math.max(high, word ^ Long.MIN_VALUE);
      }
      // Dense words may lie around 0, or around the middle of the unsigned numbers.
      if (Long.compareUnsigned(high - low, max - min) < 0) {
        min = low ^ Long.MIN_VALUE;
        max = high ^ Long.MIN_VALUE;
      }
    }
    boolean byWord = CpuHashTable.byWord(max - min, count);
    return new PartitionFunction(!byWord, min, max - min);
  }

  static void rows(
      ExecContext context,
      PartitionFunction order,
      int bits,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer outOffsets) {
    if (words.width() != Integer.BYTES && words.width() != Long.BYTES) {
      throw new IllegalArgumentException("words of " + words.width() + " bytes");
    }
    int parts = 1 << bits;
    Parallel parallel = context.parallel();
    int pieces = Math.clamp(count / LEAST_PIECE, 1, parallel.workers());
    int piece = (int) (((long) count + pieces - 1) / pieces);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    // counts[piece][part], then where the piece's next row of the part goes.
    long counts = scratch.allocate(4L * parts * pieces).address();
    parallel.forEach(
        pieces,
        (worker, i) -> {
          long mine = counts + 4L * parts * i;
          Mem.fill(mine, 4L * parts, (byte) 0);
          int from = i * piece;
          count(worker, order, bits, words, from, Math.min(count, from + piece), mine);
        });
    int sum = 0;
    for (int part = 0; part < parts; part++) {
      Mem.putInt(outOffsets.address() + 4L * part, sum);
      for (int i = 0; i < pieces; i++) {
        long counter = counts + 4L * (parts * i + part);
        int rows = Mem.getInt(counter);
        Mem.putInt(counter, sum);
        sum += rows;
      }
    }
    Mem.putInt(outOffsets.address() + 4L * parts, count);
    parallel.forEach(
        pieces,
        (worker, i) -> {
          long mine = counts + 4L * parts * i;
          int from = i * piece;
          move(worker, order, bits, words, from, Math.min(count, from + piece), columns, mine);
        });
    scratch.release(mark);
  }

  static void sizes(
      ExecContext context,
      PartitionFunction order,
      int bits,
      Buffer words,
      int wordBytes,
      int count,
      Buffer outSizes) {
    Mem.fill(outSizes.address(), 4L << bits, (byte) 0);
    MovedColumn in = new MovedColumn(words, Buffer.EMPTY, wordBytes);
    count(context, order, bits, in, 0, count, outSizes.address());
  }

  /** A row at a time: where rows go to several devices all of them have work. */
  static void place(
      ExecContext context,
      PartitionFunction order,
      int bits,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer places,
      SeparatePartitions aside) {
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    long next = scratch.allocate(4L << bits).address();
    Mem.copy(places.address(), next, 4L << bits);
    long digits = scratch.allocate(4L * BLOCK).address();
    for (int start = 0; start < count; start += BLOCK) {
      context.checkCancelled();
      int rows = Math.min(BLOCK, count - start);
      digits(order, bits, words, start, start + rows, digits);
      for (int i = 0; i < rows; i++) {
        int part = Mem.getInt(digits + 4L * i);
        int place = Mem.getInt(next + 4L * part);
        Mem.putInt(next + 4L * part, place + 1);
        boolean other = aside.partitions().get(part);
        put(words, start + i, other ? aside.words() : words.out(), place);
        for (int c = 0; c < columns.size(); c++) {
          MovedColumn column = columns.get(c);
          put(column, start + i, other ? aside.columns().get(c) : column.out(), place);
        }
      }
    }
    scratch.release(mark);
  }

  private static void put(MovedColumn column, int row, Buffer out, int place) {
    long width = column.width();
    Mem.copy(
        column.in().address() + width * row,
        out.address() + width * Integer.toUnsignedLong(place),
        width);
  }

  private static long word(MovedColumn words, int row) {
    return words.width() == Integer.BYTES
        ? Mem.getInt(words.in().address() + 4L * row)
        : Mem.getLong(words.in().address() + 8L * row);
  }

  /** Writes the partitions of rows, 32-bit. */
  private static void digits(
      PartitionFunction order, int bits, MovedColumn words, int from, int end, long out) {
    int shift = order.shift(bits);
    int mask = (1 << bits) - 1;
    long base = order.base();
    if (order.mixed()) {
      for (int i = from; i < end; i++) {
        Mem.putInt(out + 4L * (i - from), (int) CpuHash.slot(word(words, i), shift) & mask);
      }
    } else {
      for (int i = from; i < end; i++) {
        Mem.putInt(out + 4L * (i - from), (int) ((word(words, i) - base) >>> shift) & mask);
      }
    }
  }

  private static void count(
      ExecContext context,
      PartitionFunction order,
      int bits,
      MovedColumn words,
      int from,
      int end,
      long counts) {
    long mark = context.scratch().mark();
    long digits = context.scratch().allocate(4L * BLOCK).address();
    for (int start = from; start < end; start += BLOCK) {
      int rows = Math.min(BLOCK, end - start);
      digits(order, bits, words, start, start + rows, digits);
      for (int i = 0; i < rows; i++) {
        long counter = counts + 4L * Mem.getInt(digits + 4L * i);
        Mem.putInt(counter, Mem.getInt(counter) + 1);
      }
    }
    context.scratch().release(mark);
  }

  private static void move(
      ExecContext context,
      PartitionFunction order,
      int bits,
      MovedColumn words,
      int from,
      int end,
      List<MovedColumn> columns,
      long next) {
    long mark = context.scratch().mark();
    long places = context.scratch().allocate(4L * BLOCK).address();
    for (int start = from; start < end; start += BLOCK) {
      context.checkCancelled();
      int rows = Math.min(BLOCK, end - start);
      digits(order, bits, words, start, start + rows, places);
      for (int i = 0; i < rows; i++) {
        long counter = next + 4L * Mem.getInt(places + 4L * i);
        int place = Mem.getInt(counter);
        Mem.putInt(counter, place + 1);
        Mem.putInt(places + 4L * i, place);
      }
      scatter(words, start, rows, places);
      for (MovedColumn column : columns) {
        scatter(column, start, rows, places);
      }
    }
    context.scratch().release(mark);
  }

  private static void scatter(MovedColumn column, int from, int rows, long places) {
    int width = column.width();
    long in = column.in().address() + (long) from * width;
    long out = column.out().address();
    switch (width) {
      case 4 -> {
        for (int i = 0; i < rows; i++) {
          Mem.putInt(out + 4L * Mem.getInt(places + 4L * i), Mem.getInt(in + 4L * i));
        }
      }
      case 8 -> {
        for (int i = 0; i < rows; i++) {
          Mem.putLong(out + 8L * Mem.getInt(places + 4L * i), Mem.getLong(in + 8L * i));
        }
      }
      case 2 -> {
        for (int i = 0; i < rows; i++) {
          Mem.putShort(out + 2L * Mem.getInt(places + 4L * i), Mem.getShort(in + 2L * i));
        }
      }
      case 1 -> {
        for (int i = 0; i < rows; i++) {
          Mem.putByte(out + Mem.getInt(places + 4L * i), Mem.getByte(in + i));
        }
      }
      default -> throw new IllegalArgumentException("a column of " + width + " bytes a row");
    }
  }
}
