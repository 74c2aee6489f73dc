package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.SortDigit;
import io.aragonite.exec.device.SortOps.Ties;
import io.aragonite.exec.device.cuda.CudaConstants.NormalizedKeysPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.SortDigitFlag;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What sorts are made of: digits of words, ties, bounds. */
final class CudaSortWords {
  private static final int THREADS = CudaLookBack.THREADS;

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
        (digit.descending() ? SortDigitFlag.DESCENDING : 0)
            | (digit.nullsFirst() ? SortDigitFlag.NULLS_FIRST : 0)
            | (digit.nullSlot() ? SortDigitFlag.NULL_SLOT : 0);
    stream.launch(
        stream.gpu().kernel(KernelFamily.NORMALIZED_KEYS, "ara_sort_digit"),
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

  static Ties keepTies(
      ExecContext context,
      Buffer keys,
      Buffer ties,
      Buffer ids,
      int count,
      Buffer outTies,
      Buffer outIds) {
    if (count == 0) {
      return new Ties(0, 0);
    }
    long mark = context.scratch().mark();
    CudaLookBack pass = CudaLookBack.of(context, count, NormalizedKeysPolicy.TIES_TILE);
    pass.launch(
        KernelFamily.NORMALIZED_KEYS, "ara_keep_ties", keys, ties, ids, count, outTies, outIds);
    context.scratch().release(mark);
    long found = pass.await();
    return new Ties((int) found & Integer.MAX_VALUE, (int) (found >>> 31));
  }

  /** All with one wait. */
  static List<@Nullable ValueRange> valueRanges(ExecContext context, List<Column> columns) {
    CudaStream stream = CudaStream.of(context);
    // The least values of two columns, then the greatest, as the kernel has it.
    int words = 4 * ((columns.size() + 1) / 2);
    long mark = context.scratch().mark();
    Buffer found = context.scratch().allocate((long) words * Long.BYTES);
    context.scratch().release(mark);
    for (int at = 0; at < words; at += 4) {
      Buffer pair = found.slice((long) at * Long.BYTES, 4L * Long.BYTES);
      CudaScan.fill(context, pair, Long.BYTES, Long.MAX_VALUE, 2);
      CudaScan.fill(
          context, pair.slice(2L * Long.BYTES, 2L * Long.BYTES), Long.BYTES, Long.MIN_VALUE, 2);
    }
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      int count = column.rows();
      stream.launch(
          stream.gpu().kernel(KernelFamily.NORMALIZED_KEYS, "ara_value_range"),
          stream.gridStride((count + 7L) / 8, THREADS),
          THREADS,
          0,
          column.values(),
          column.shape().storage().width(),
          CudaGather.orEmpty(column.validity()),
          CudaGather.ids(column),
          count,
          found.address() + (long) Long.BYTES * least(i));
    }
    long[] bounds = CudaWords.read(stream, found, words);
    List<@Nullable ValueRange> ranges = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      long least = bounds[least(i)];
      long greatest = bounds[least(i) + 2];
      ranges.add(least > greatest ? null : new ValueRange(least, greatest));
    }
    return ranges;
  }

  private static int least(int column) {
    return column / 2 * 4 + (column & 1);
  }
}
