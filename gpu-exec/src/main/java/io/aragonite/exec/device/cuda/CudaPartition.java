package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.WordOrder;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import java.util.List;

/** Partitions whole rows by the order of a hash table, in one pass; see partition.cu. */
final class CudaPartition {
  private static final String FILE = "partition";
  private static final int THREADS = 256;
  private static final int SWEEP_THREADS = 384;
  private static final int BINS = 256;

  /** Rows of a thread of the counting kernel, as in partition.cu. */
  private static final int COUNT_ITEMS = 8;

  /** Rows of a tile where words and all columns have four bytes at most, and of any other. */
  private static final int NARROW_TILE = 16 * SWEEP_THREADS;

  private static final int WIDE_TILE = 12 * SWEEP_THREADS;

  /** In front of the look-back: the counter of tiles. */
  private static final int HEADER = 256;

  /** Columns of a launch at most. */
  private static final int COLUMNS = 8;

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

  static void rows(
      ExecContext context,
      WordOrder order,
      int bits,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer outOffsets) {
    if (count > MOST_ROWS) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "A partitioned join takes at most 2^30 rows of a side at once, not %,d; use join=nphj"
              .formatted(count));
    }
    CudaStream stream = CudaStream.of(context);
    long mark = context.scratch().mark();
    int shift = order.shift(bits);
    int mask = (1 << bits) - 1;
    int mixed = order.mixed() ? 1 : 0;
    // Mixed words are what a packed table mixes: distances from the base.
    Buffer counts = context.scratch().allocate(4L * BINS);
    stream.fill(counts.address(), (byte) 0, 4L * BINS);
    stream.launch(
        stream.gpu().kernel(FILE, "ara_rows_count_" + words.width()),
        stream.gridStride((count + COUNT_ITEMS - 1L) / COUNT_ITEMS, THREADS),
        THREADS,
        0,
        words.in(),
        count,
        order.base(),
        mixed,
        shift,
        mask,
        counts);
    stream.launch(
        stream.gpu().kernel(FILE, "ara_rows_starts"),
        1,
        BINS,
        0,
        counts,
        outOffsets,
        1 << bits,
        count);
    for (int from = 0; from == 0 || from < columns.size(); from += COLUMNS) {
      List<MovedColumn> some = columns.subList(from, Math.min(columns.size(), from + COLUMNS));
      sweep(context, order.base(), mixed, shift, mask, words, count, some, counts);
    }
    context.scratch().release(mark);
  }

  private static void sweep(
      ExecContext context,
      long base,
      int mixed,
      int shift,
      int mask,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer starts) {
    CudaStream stream = CudaStream.of(context);
    long widths = 0;
    int widest = words.width();
    Object[] args = new Object[10 + 2 * COLUMNS];
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
    Buffer lookback = context.scratch().allocate(HEADER + 4L * BINS * tiles);
    stream.fill(lookback.address(), (byte) 0, lookback.size());
    args[0] = words.in();
    args[1] = words.out();
    args[2] = count;
    args[3] = base;
    args[4] = mixed;
    args[5] = shift;
    args[6] = mask;
    args[7] = starts;
    args[8] = lookback;
    args[9] = widths;
    String kernel = "ara_rows_sweep_" + words.width() + "_" + widest;
    stream.launch(stream.gpu().kernel(FILE, kernel), tiles, SWEEP_THREADS, 0, args);
  }
}
