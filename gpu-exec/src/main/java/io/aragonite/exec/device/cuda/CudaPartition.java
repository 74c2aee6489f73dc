package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.OrderPrimitives.Aside;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.device.WordOrder;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Partitions whole rows by the order of a hash table, in one pass or two; see partition.cu. */
final class CudaPartition {
  private static final String FILE = "partition";
  private static final int THREADS = 256;
  private static final int SWEEP_THREADS = 384;
  private static final int BINS = 256;
  private static final int PASS_BITS = Primitives.PASS_BITS;

  /** Rows of a thread of the counting kernel, as in partition.cu. */
  private static final int COUNT_ITEMS = 8;

  /** Rows of a tile where words and all columns have four bytes at most, and of any other. */
  private static final int NARROW_TILE = 16 * SWEEP_THREADS;

  private static final int WIDE_TILE = 12 * SWEEP_THREADS;

  /** In front of the look-back: the counter of tiles. */
  private static final int HEADER = 256;

  /** Columns of a launch at most. */
  private static final int COLUMNS = 8;

  /** Words of a set of partitions. */
  private static final int SET_WORDS = BINS / Long.SIZE;

  /** Two bits of a tile's state are not for counts. */
  private static final int MOST_ROWS = (1 << 30) - 1;

  private CudaPartition() {}

  static void widen(ExecContext context, Buffer in, int count, Buffer out) {
    CudaStream stream = CudaStream.of(context);
    stream.launch(
        stream.gpu().kernel(FILE, "ara_widen"),
        stream.gridStride(count, THREADS),
        THREADS,
        0,
        in,
        count,
        out);
  }

  static void narrow(
      ExecContext context, Buffer words, int count, long base, int width, Buffer out) {
    CudaStream stream = CudaStream.of(context);
    stream.launch(
        stream.gpu().kernel(FILE, "ara_narrow_" + width),
        stream.gridStride(count, THREADS),
        THREADS,
        0,
        words,
        count,
        base,
        out);
  }

  static void rows(
      ExecContext context,
      WordOrder order,
      int bits,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer outOffsets) {
    requireFew(count);
    long mark = context.scratch().mark();
    int shift = order.shift(bits);
    int lower = bits <= PASS_BITS ? bits : bits / 2;
    boolean twice = lower < bits;
    boolean quickly = twice && order.mixed();
    Pass first = new Pass(order, quickly, shift, (1 << lower) - 1);
    Pass second = new Pass(order, quickly, shift + lower, (1 << (bits - lower)) - 1);
    CudaStream stream = CudaStream.of(context);
    Buffer counts = context.scratch().allocate(2 * 4L * BINS);
    count(stream, first, second, words.in(), words.width(), count, counts);
    stream.launch(
        stream.gpu().kernel(FILE, "ara_rows_starts"),
        twice ? 2 : 1,
        BINS,
        0,
        counts,
        twice ? Buffer.EMPTY : outOffsets,
        1 << bits,
        count);
    if (twice) {
      twice(context, first, second, words, count, columns, counts);
      edges(stream, new Pass(order, quickly, shift, (1 << bits) - 1), words, count, outOffsets);
    } else {
      pass(context, first, words, count, columns, counts, null);
    }
    context.scratch().release(mark);
  }

  private static void requireFew(int count) {
    if (count > MOST_ROWS) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "A partitioned join takes at most 2^30 rows of a side at once, not %,d; use join=nphj"
              .formatted(count));
    }
  }

  private static void count(
      CudaStream stream,
      Pass first,
      Pass second,
      Buffer words,
      int wordBytes,
      int count,
      Buffer counts) {
    stream.fill(counts.address(), (byte) 0, counts.size());
    stream.launch(
        stream.gpu().kernel(FILE, "ara_rows_count_" + wordBytes),
        stream.gridStride((count + COUNT_ITEMS - 1L) / COUNT_ITEMS, THREADS),
        THREADS,
        0,
        words,
        count,
        first.order().base(),
        first.mixed(),
        first.shift(),
        first.mask(),
        second.shift(),
        second.mask(),
        counts);
  }

  static void sizes(
      ExecContext context,
      WordOrder order,
      int bits,
      Buffer words,
      int wordBytes,
      int count,
      Buffer outSizes) {
    Pass pass = new Pass(order, false, order.shift(bits), (1 << bits) - 1);
    Pass none = new Pass(order, false, 0, 0);
    Buffer sizes = outSizes.slice(0, 4L << bits);
    count(CudaStream.of(context), pass, none, words, wordBytes, count, sizes);
  }

  static void place(
      ExecContext context,
      WordOrder order,
      int bits,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer places,
      Aside aside) {
    requireFew(count);
    Pass pass = new Pass(order, false, order.shift(bits), (1 << bits) - 1);
    pass(context, pass, words, count, columns, places, aside);
  }

  /** By which bits of a word's place a pass partitions. */
  private record Pass(WordOrder order, boolean quickly, int shift, int mask) {
    /** As in partition.cu. */
    int mixed() {
      return quickly ? 2 : order.mixed() ? 1 : 0;
    }
  }

  /** By the lower bits, then, in that order, by the upper ones. */
  private static void twice(
      ExecContext context,
      Pass first,
      Pass second,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer starts) {
    List<Buffer> between = new ArrayList<>();
    try {
      List<MovedColumn> there = new ArrayList<>();
      List<MovedColumn> back = new ArrayList<>();
      Buffer moved = context.memory().allocate((long) words.width() * count);
      between.add(moved);
      for (MovedColumn column : columns) {
        Buffer buffer = context.memory().allocate((long) column.width() * count);
        between.add(buffer);
        there.add(new MovedColumn(column.in(), buffer, column.width()));
        back.add(new MovedColumn(buffer, column.out(), column.width()));
      }
      int width = words.width();
      pass(context, first, new MovedColumn(words.in(), moved, width), count, there, starts, null);
      Buffer others = starts.slice(4L * BINS, 4L * BINS);
      pass(context, second, new MovedColumn(moved, words.out(), width), count, back, others, null);
    } finally {
      between.forEach(context.memory()::free);
    }
  }

  private static void edges(
      CudaStream stream, Pass all, MovedColumn words, int count, Buffer outOffsets) {
    stream.launch(
        stream.gpu().kernel(FILE, "ara_rows_edges_" + words.width()),
        CudaWords.blocks(all.mask() + 2L, THREADS),
        THREADS,
        0,
        words.out(),
        count,
        all.order().base(),
        all.mixed(),
        all.shift(),
        all.mask(),
        outOffsets);
  }

  private static void pass(
      ExecContext context,
      Pass pass,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer starts,
      @Nullable Aside aside) {
    for (int from = 0; from == 0 || from < columns.size(); from += COLUMNS) {
      int end = Math.min(columns.size(), from + COLUMNS);
      Aside some =
          aside == null
              ? null
              : new Aside(aside.partitions(), aside.words(), aside.columns().subList(from, end));
      sweep(context, pass, words, count, columns.subList(from, end), starts, some);
    }
  }

  private static void sweep(
      ExecContext context,
      Pass pass,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer starts,
      @Nullable Aside aside) {
    CudaStream stream = CudaStream.of(context);
    long widths = 0;
    int widest = words.width();
    Object[] args = new Object[10 + 2 * COLUMNS + (aside == null ? 0 : SET_WORDS + 1 + COLUMNS)];
    for (int c = 0; c < COLUMNS; c++) {
      MovedColumn column = c < columns.size() ? columns.get(c) : null;
      args[10 + c] = column == null ? Buffer.EMPTY : column.in();
      args[10 + COLUMNS + c] = column == null ? Buffer.EMPTY : column.out();
      if (column != null) {
        widths |= (long) column.width() << (8 * c);
        widest = Math.max(widest, column.width());
      }
    }
    int tiles = CudaPass.blocks(count, widest == 4 ? NARROW_TILE : WIDE_TILE);
    // Given back at once: of scratch memory it would stay beside the join's output.
    Buffer lookback = context.memory().allocate(HEADER + 4L * BINS * tiles);
    stream.fill(lookback.address(), (byte) 0, lookback.size());
    args[0] = words.in();
    args[1] = words.out();
    args[2] = count;
    args[3] = pass.order().base();
    args[4] = pass.mixed();
    args[5] = pass.shift();
    args[6] = pass.mask();
    args[7] = starts;
    args[8] = lookback;
    args[9] = widths;
    if (aside != null) {
      int at = 10 + 2 * COLUMNS;
      long[] set = Arrays.copyOf(aside.partitions().toLongArray(), SET_WORDS);
      for (long word : set) {
        args[at++] = word;
      }
      args[at++] = aside.words();
      for (int c = 0; c < COLUMNS; c++) {
        args[at + c] = c < columns.size() ? aside.columns().get(c) : Buffer.EMPTY;
      }
    }
    String kernel =
        "ara_rows_%s_%d_%d".formatted(aside == null ? "sweep" : "place", words.width(), widest);
    try {
      stream.launch(stream.gpu().kernel(FILE, kernel), tiles, SWEEP_THREADS, 0, args);
    } finally {
      context.memory().free(lookback);
    }
  }
}
