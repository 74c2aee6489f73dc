package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionOps.SeparatePartitions;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.ColumnsPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.PartitionMixing;
import io.aragonite.exec.device.cuda.CudaConstants.PartitionPolicy;
import io.aragonite.exec.memory.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Partitions whole rows by the order of a hash table, in one pass or two; see agent/partition.cuh.
 */
final class CudaPartition {
  private static final KernelFamily FAMILY = KernelFamily.PARTITION;
  private static final int THREADS = BlockPolicy.THREADS;
  private static final int BINS = PartitionPolicy.BINS;
  private static final int PASS_BITS = PartitionPolicy.BITS;
  private static final int PLACES = PartitionPolicy.PLACES;
  private static final int COUNT_ITEMS = PartitionPolicy.COUNT_ITEMS;

  /** Bytes in front of the look-back: the counter of tiles. */
  private static final int HEADER = Integer.BYTES * PartitionPolicy.HEADER_WORDS;

  private static final int COLUMNS = ColumnsPolicy.COLUMNS;

  /** Words of a set of partitions. */
  private static final int SET_WORDS = PLACES / Long.SIZE;

  /** Rows that a pass moves at once. */
  static final int CHUNK_ROWS = PartitionPolicy.MOST_ROWS;

  private CudaPartition() {}

  static void narrow(
      ExecContext context, Buffer words, int count, long base, int width, Buffer out) {
    CudaStream stream = CudaStream.of(context);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_narrow_" + width),
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
      PartitionFunction order,
      int bits,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer outOffsets) {
    rows(context, order, bits, words, count, columns, outOffsets, CHUNK_ROWS);
  }

  /** With chunks of another size, for tests. */
  static void rows(
      ExecContext context,
      PartitionFunction order,
      int bits,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer outOffsets,
      int chunkRows) {
    long mark = context.scratch().mark();
    Pass all = Pass.of(order, bits);
    int lower = bits <= PASS_BITS ? bits : bits / 2;
    boolean twice = lower < bits;
    Pass first = new Pass(order, all.quickly(), all.shift(), (1 << lower) - 1);
    Pass second = new Pass(order, all.quickly(), all.shift() + lower, (1 << (bits - lower)) - 1);
    CudaStream stream = CudaStream.of(context);
    Buffer counts = context.scratch().allocate(2 * 4L * BINS);
    stream.fill(counts.address(), (byte) 0, counts.size());
    count(
        stream,
        "ara_rows_count",
        words.in(),
        words.width(),
        count,
        first,
        second.shift(),
        second.mask(),
        counts);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_rows_starts"),
        twice ? 2 : 1,
        BINS,
        0,
        counts,
        twice ? Buffer.EMPTY : outOffsets,
        1 << bits,
        count);
    if (twice) {
      twice(context, first, second, words, count, columns, counts, chunkRows);
      edges(stream, all, words, count, outOffsets);
    } else {
      pass(context, first, words, count, columns, counts, null, chunkRows);
    }
    context.scratch().release(mark);
  }

  /**
   * @param more behind the first pass's arguments
   */
  private static void count(
      CudaStream stream,
      String kernel,
      Buffer words,
      int wordBytes,
      int count,
      Pass pass,
      Object... more) {
    List<Object> args =
        new ArrayList<>(
            List.of(words, count, pass.order().base(), pass.mixed(), pass.shift(), pass.mask()));
    args.addAll(List.of(more));
    stream.launch(
        stream.gpu().kernel(FAMILY, kernel + "_" + wordBytes),
        stream.gridStride((count + COUNT_ITEMS - 1L) / COUNT_ITEMS, THREADS),
        THREADS,
        0,
        args.toArray());
  }

  static void sizes(
      ExecContext context,
      PartitionFunction order,
      int bits,
      Buffer words,
      int wordBytes,
      int count,
      Buffer outSizes) {
    Pass pass = Pass.of(order, bits);
    Buffer sizes = outSizes.slice(0, 4L << bits);
    CudaStream stream = CudaStream.of(context);
    stream.fill(sizes.address(), (byte) 0, sizes.size());
    count(stream, "ara_rows_sizes", words, wordBytes, count, pass, sizes);
  }

  static void place(
      ExecContext context,
      PartitionFunction order,
      int bits,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer places,
      SeparatePartitions aside) {
    place(context, order, bits, words, count, columns, places, aside, CHUNK_ROWS);
  }

  /** With chunks of another size, for tests. */
  static void place(
      ExecContext context,
      PartitionFunction order,
      int bits,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer places,
      SeparatePartitions aside,
      int chunkRows) {
    long mark = context.scratch().mark();
    Buffer starts = places;
    if (count > chunkRows) {
      // They are moved on from chunk to chunk, and are the caller's.
      starts = context.scratch().allocate(places.size());
      CudaStream.of(context).copy(places.address(), starts.address(), places.size());
    }
    pass(context, Pass.of(order, bits), words, count, columns, starts, aside, chunkRows);
    context.scratch().release(mark);
  }

  /** By which bits of a word's place a pass partitions. */
  private record Pass(PartitionFunction order, boolean quickly, int shift, int mask) {
    /** All bits at once; where rows take two passes for so many, by what these mix words with. */
    static Pass of(PartitionFunction order, int bits) {
      boolean quickly = bits > PASS_BITS && order.mixed();
      return new Pass(order, quickly, order.shift(bits), (1 << bits) - 1);
    }

    /** How the kernels spread words. */
    int mixed() {
      return quickly
          ? PartitionMixing.QUICKLY
          : order.mixed() ? PartitionMixing.MIXED : PartitionMixing.AS_THEY_ARE;
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
      Buffer starts,
      int chunkRows) {
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
      MovedColumn in = new MovedColumn(words.in(), moved, width);
      pass(context, first, in, count, there, starts, null, chunkRows);
      MovedColumn out = new MovedColumn(moved, words.out(), width);
      Buffer others = starts.slice(4L * BINS, 4L * BINS);
      pass(context, second, out, count, back, others, null, chunkRows);
    } finally {
      between.forEach(context.memory()::free);
    }
  }

  private static void edges(
      CudaStream stream, Pass all, MovedColumn words, int count, Buffer outOffsets) {
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_rows_edges_" + words.width()),
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

  /**
   * @param starts where partitions begin; overwritten where there are several chunks
   */
  private static void pass(
      ExecContext context,
      Pass pass,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer starts,
      @Nullable SeparatePartitions aside,
      int chunkRows) {
    CudaStream stream = CudaStream.of(context);
    int width = words.width();
    for (int from = 0; from < count; ) {
      int rows = Math.min(chunkRows, count - from);
      MovedColumn chunk = chunk(words, from, rows);
      sweep(context, pass, chunk, from, rows, columns, starts, aside);
      from += rows;
      if (from < count) {
        // The next chunk's rows of a partition come behind this one's.
        count(stream, "ara_rows_sizes", chunk.in(), width, rows, pass, starts);
      }
    }
  }

  /** Some rows of a column, which go to anywhere in its place. */
  private static MovedColumn chunk(MovedColumn column, int from, int rows) {
    if (from == 0) {
      return column;
    }
    long width = column.width();
    Buffer in = column.in().slice(width * from, width * rows);
    return new MovedColumn(in, column.out(), column.width());
  }

  private static void sweep(
      ExecContext context,
      Pass pass,
      MovedColumn words,
      int first,
      int rows,
      List<MovedColumn> columns,
      Buffer starts,
      @Nullable SeparatePartitions aside) {
    for (int from = 0; from == 0 || from < columns.size(); from += COLUMNS) {
      int end = Math.min(columns.size(), from + COLUMNS);
      List<MovedColumn> some =
          columns.subList(from, end).stream().map(column -> chunk(column, first, rows)).toList();
      SeparatePartitions besides =
          aside == null
              ? null
              : new SeparatePartitions(
                  aside.partitions(), aside.words(), aside.columns().subList(from, end));
      sweep(context, pass, words, rows, some, starts, besides);
    }
  }

  private static void sweep(
      ExecContext context,
      Pass pass,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer starts,
      @Nullable SeparatePartitions aside) {
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
    int threads = aside == null ? PartitionPolicy.SWEEP_THREADS : PartitionPolicy.PLACE_THREADS;
    int items = widest == 4 ? PartitionPolicy.NARROW_ITEMS : PartitionPolicy.WIDE_ITEMS;
    int tiles = CudaLookBack.blocks(count, items * threads);
    // Given back at once: of scratch memory it would stay beside the join's output.
    long states = aside == null ? BINS : PLACES;
    Buffer lookback = context.memory().allocate(HEADER + 4L * states * tiles);
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
        (aside == null ? "ara_rows_sweep_" : "ara_rows_place_") + words.width() + "_" + widest;
    int shared = aside == null ? 0 : PartitionPolicy.PLACE_SHARED;
    try {
      stream.launch(stream.gpu().kernel(FAMILY, kernel), tiles, threads, shared, args);
    } finally {
      context.memory().free(lookback);
    }
  }
}
