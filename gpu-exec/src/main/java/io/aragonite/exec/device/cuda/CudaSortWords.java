package io.aragonite.exec.device.cuda;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ValueRange;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.SortDigit;
import io.aragonite.exec.memory.Buffer;
import org.jspecify.annotations.Nullable;

/** What sorts are made of: digits of words, ties, bounds. */
final class CudaSortWords {
  private static final int THREADS = CudaPass.THREADS;

  /** Rows of a tile, as in sortwords.cu. */
  private static final int TIES_TILE = 2048;

  private static final int DESCENDING = 1;
  private static final int NULLS_FIRST = 2;
  private static final int NULL_SLOT = 4;

  private CudaSortWords() {}

  static void sortDigit(
      ExecContext context,
      SortDigit digit,
      Column column,
      @Nullable Buffer rows,
      int from,
      int count,
      int shift,
      Buffer words) {
    CudaStream stream = CudaStream.of(context);
    int flags =
        (digit.descending() ? DESCENDING : 0)
            | (digit.nullsFirst() ? NULLS_FIRST : 0)
            | (digit.nullSlot() ? NULL_SLOT : 0);
    stream.launch(
        stream.gpu().kernel("sortwords", "ara_sort_digit"),
        stream.gridStride(count, THREADS),
        THREADS,
        0,
        column.values(),
        column.offsets(),
        CudaGather.orEmpty(column.validity()),
        CudaGather.ids(column),
        rows == null ? Buffer.EMPTY : rows.slice(4L * from, 4L * count),
        from,
        count,
        digit.kind().ordinal(),
        column.shape().storage().width(),
        digit.min(),
        digit.max(),
        digit.bits(),
        flags,
        digit.round(),
        shift,
        words);
  }

  static int keepTies(
      ExecContext context,
      Buffer keys,
      Buffer ties,
      Buffer ids,
      int count,
      Buffer outTies,
      Buffer outIds) {
    if (count == 0) {
      return 0;
    }
    long mark = context.scratch().mark();
    CudaPass pass = CudaPass.of(context, count, TIES_TILE);
    pass.launch("sortwords", "ara_keep_ties", keys, ties, ids, count, outTies, outIds);
    context.scratch().release(mark);
    return (int) pass.await() & Integer.MAX_VALUE;
  }

  static @Nullable ValueRange valueRange(ExecContext context, Column column) {
    CudaStream stream = CudaStream.of(context);
    int count = column.rows();
    long mark = context.scratch().mark();
    Buffer range = context.scratch().allocate(4L * Long.BYTES);
    context.scratch().release(mark);
    Buffer most = range.slice(2L * Long.BYTES, Long.BYTES);
    CudaScan.fill(context, range, Long.BYTES, Long.MAX_VALUE, 1);
    CudaScan.fill(context, most, Long.BYTES, Long.MIN_VALUE, 1);
    stream.launch(
        stream.gpu().kernel("sortwords", "ara_value_range"),
        stream.gridStride((count + 7L) / 8, THREADS),
        THREADS,
        0,
        column.values(),
        column.shape().storage().width(),
        CudaGather.orEmpty(column.validity()),
        CudaGather.ids(column),
        count,
        range);
    long least = stream.readLong(range.address());
    long greatest = stream.readLong(most.address());
    return least > greatest ? null : new ValueRange(least, greatest);
  }
}
