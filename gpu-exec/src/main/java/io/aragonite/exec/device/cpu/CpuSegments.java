package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.jspecify.annotations.Nullable;

/**
 * Reduction of segments. Counts are the segments' lengths. Sums of 64 bits are differences of
 * running sums, without a branch at the end of a segment, which nobody could predict where they are
 * short. All else an accumulator folds whose groups are the segments.
 */
final class CpuSegments {
  private CpuSegments() {}

  static Column reduce(
      ExecContext context,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int segments,
      DataType type,
      Allocator allocator) {
    int first = segments == 0 ? 0 : Mem.getInt(starts.address());
    int end = segments == 0 ? 0 : Mem.getInt(starts.address() + 4L * segments);
    if (segments > 0 && !mayBeNull(values)) {
      Column quick = null;
      if (function == AggregateFunction.COUNT) {
        quick = counts(context, starts, segments, type, allocator);
      } else if (isSum(function) && first == 0 && end == values.rows()) {
        quick = sums(context, values, starts, segments, type, allocator);
      }
      if (quick != null) {
        return quick;
      }
    }
    return fold(context, function, values, starts, segments, type, allocator);
  }

  private static boolean mayBeNull(Column values) {
    return values.shape().storage() == Storage.NONE
        || values.validity() != null
        || (values.rowIds() != null && values.rowIds().mayBeNull());
  }

  private static boolean isSum(AggregateFunction function) {
    return function == AggregateFunction.SUM || function == AggregateFunction.SUM0;
  }

  private static Column counts(
      ExecContext context, Buffer starts, int segments, DataType type, Allocator allocator) {
    long counts = context.scratch().allocate(8L * segments).address();
    for (int i = 0; i < segments; i++) {
      long start = starts.address() + 4L * i;
      Mem.putLong(counts + 8L * i, Mem.getInt(start + 4) - Mem.getInt(start));
    }
    ColumnShape shape = ColumnShape.of(type).withMayBeNull(false);
    return CpuResults.narrow(shape, counts, segments, null, allocator);
  }

  /**
   * Null if sums may leave 64 bits, or be null, or are not of whole numbers of one scale. The
   * result may be in the scratch memory, which the caller releases.
   */
  private static @Nullable Column sums(
      ExecContext context,
      Column values,
      Buffer starts,
      int segments,
      DataType type,
      Allocator allocator) {
    ColumnShape input = values.shape();
    boolean exact = isExact(type) && isExact(input.type()) && input.storage().isInteger();
    if (type.nullable() || !exact || type.scale() != input.type().scale()) {
      return null;
    }
    int count = values.rows();
    long ids = values.rowIds() == null ? 0 : values.rowIds().ids().address();
    long longs = new AccumulatorRows(count, ids, 0).longs(context, values);
    long largest = CpuFolds.magnitude(input, longs, count);
    if (Math.multiplyHigh(largest, count) != 0 || largest * count < 0) {
      return null;
    }
    long running = context.scratch().allocate(8L * (count + 1)).address();
    runningSums(longs, count, running);
    long sums = context.scratch().allocate(8L * segments).address();
    for (int i = 0; i < segments; i++) {
      long start = starts.address() + 4L * i;
      long sum =
          Mem.getLong(running + 8L * Mem.getInt(start + 4))
              - Mem.getLong(running + 8L * Mem.getInt(start));
      Mem.putLong(sums + 8L * i, sum);
    }
    CpuResults.checkSums(type, sums, false, segments, null);
    Storage storage = Storage.of(type) == Storage.LONG128 ? Storage.LONG : Storage.of(type);
    ColumnShape shape = new ColumnShape(type, storage, false, null, null);
    return CpuResults.narrow(shape, sums, segments, null, allocator);
  }

  private static boolean isExact(DataType type) {
    return type.kind().isInteger() || type.kind() == TypeKind.DECIMAL;
  }

  /** {@code out[i] = values[0] + ... + values[i-1]} for i in 0..count. */
  private static void runningSums(long values, int count, long out) {
    long sum = 0;
    Mem.putLong(out, 0);
    for (int i = 0; i < count; i++) {
      sum += Mem.getLong(values + 8L * i);
      Mem.putLong(out + 8L * i + 8, sum);
    }
  }

  private static Column fold(
      ExecContext context,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int segments,
      DataType type,
      Allocator allocator) {
    int first = segments == 0 ? 0 : Mem.getInt(starts.address());
    int end = segments == 0 ? 0 : Mem.getInt(starts.address() + 4L * segments);
    Buffer groups = context.memory().allocate(4L * (end + 1));
    Buffer mask = Buffer.EMPTY;
    try (Accumulator accumulator =
        CpuAccumulators.create(function, values.shape(), type, context.memory())) {
      number(starts, segments, groups.address(), end);
      int rows = values.rows();
      if (first != 0 || end != rows) {
        mask = context.memory().allocate(4L * (end - first));
        CpuScan.iota(mask, first, end - first);
        accumulator.update(context, values, groups, mask, end - first, segments);
      } else {
        accumulator.update(context, values, groups, null, end, segments);
      }
      return accumulator.finish(context, segments, allocator);
    } finally {
      context.memory().free(groups);
      context.memory().free(mask);
    }
  }

  /** The segment of each row: how many begin up to there. */
  private static void number(Buffer starts, int segments, long groups, int end) {
    Mem.fill(groups, 4L * (end + 1), (byte) 0);
    for (int segment = 0; segment < segments; segment++) {
      long place = groups + 4L * Mem.getInt(starts.address() + 4L * segment);
      Mem.putInt(place, Mem.getInt(place) + 1);
    }
    int segment = -1;
    for (int i = 0; i < end; i++) {
      segment += Mem.getInt(groups + 4L * i);
      Mem.putInt(groups + 4L * i, segment);
    }
  }
}
