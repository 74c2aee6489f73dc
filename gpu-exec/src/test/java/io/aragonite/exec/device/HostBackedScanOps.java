package io.aragonite.exec.device;

import io.aragonite.exec.expr.KeyLayout.KeyField;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ValueRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scan operations of a device with memory of its own, run by its host; see {@link DiscreteDevice}.
 */
final class HostBackedScanOps implements ScanOps {
  @Override
  public void fill(ExecContext context, Buffer out, int width, long value, int count) {
    try (StagedCall call = new StagedCall(context)) {
      long bytes = (long) width * count;
      Buffer result = call.room(bytes);
      call.host().scan().fill(call.host(), result, width, value, count);
      call.back(result, out, bytes);
    }
  }

  @Override
  public void iota(ExecContext context, Buffer out, int start, int count) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(4L * count);
      call.host().scan().iota(call.host(), result, start, count);
      call.back(result, out, 4L * count);
    }
  }

  @Override
  public long exclusiveSum(ExecContext context, Buffer in, int count, Buffer out) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(8L * count + 8);
      long sum =
          call.host().scan().exclusiveSum(call.host(), call.in(in, 4L * count), count, result);
      call.back(result, out, 8L * count + 8);
      return sum;
    }
  }

  @Override
  public void narrow(
      ExecContext context, Buffer words, int count, long base, int width, Buffer out) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room((long) width * count);
      call.host()
          .scan()
          .narrow(call.host(), call.in(words, 8L * count), count, base, width, result);
      call.back(result, out, (long) width * count);
    }
  }

  @Override
  public void convert(ExecContext context, Buffer in, int from, int count, int to, Buffer out) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room((long) to * count);
      Buffer source = call.in(in, (long) from * count);
      call.host().scan().convert(call.host(), source, from, count, to, result);
      call.back(result, out, (long) to * count);
    }
  }

  @Override
  public void unpack(
      ExecContext context,
      Buffer words,
      int count,
      KeyField key,
      int shift,
      int width,
      Buffer out,
      @Nullable Buffer outValidity) {
    try (StagedCall call = new StagedCall(context)) {
      long validityBytes = outValidity == null ? 0 : (count + 63L) / 64 * 8;
      Buffer result = call.room((long) width * count);
      Buffer validity = outValidity == null ? null : call.room(validityBytes);
      Buffer source = call.in(words, 4L * count);
      call.host().scan().unpack(call.host(), source, count, key, shift, width, result, validity);
      call.back(result, out, (long) width * count);
      if (validity != null && outValidity != null) {
        call.back(validity, outValidity, validityBytes);
      }
    }
  }

  @Override
  public List<@Nullable ValueRange> valueRanges(ExecContext context, List<Column> columns) {
    try (StagedCall call = new StagedCall(context)) {
      return call.host().scan().valueRanges(call.host(), columns.stream().map(call::in).toList());
    }
  }

  @Override
  public void expandRanges(
      ExecContext context,
      Buffer sums,
      Buffer firsts,
      int count,
      long from,
      int outCount,
      Buffer outRow,
      Buffer outPosition) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer rows = call.room(4L * outCount);
      Buffer positions = call.room(4L * outCount);
      call.host()
          .scan()
          .expandRanges(
              call.host(),
              call.in(sums, 8L * count + 8),
              call.in(firsts, 4L * count),
              count,
              from,
              outCount,
              rows,
              positions);
      call.back(rows, outRow, 4L * outCount);
      call.back(positions, outPosition, 4L * outCount);
    }
  }

  @Override
  public void expand(
      ExecContext context,
      Buffer sums,
      int count,
      long from,
      int outCount,
      Buffer outRow,
      Buffer outPlace) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer rows = call.room(4L * outCount);
      Buffer places = call.room(4L * outCount);
      Buffer hostSums = call.in(sums, 8L * count + 8);
      call.host().scan().expand(call.host(), hostSums, count, from, outCount, rows, places);
      call.back(rows, outRow, 4L * outCount);
      call.back(places, outPlace, 4L * outCount);
    }
  }

  @Override
  public int select(ExecContext context, Buffer flags, int count, boolean set, Buffer out) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(4L * count);
      int found = call.host().scan().select(call.host(), call.in(flags, count), count, set, result);
      call.back(result, out, 4L * found);
      return found;
    }
  }

  @Override
  public int selectUpTo(ExecContext context, Buffer words, int count, long bound, Buffer out) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(4L * count);
      int found =
          call.host()
              .scan()
              .selectUpTo(call.host(), call.in(words, 8L * count), count, bound, result);
      call.back(result, out, 4L * found);
      return found;
    }
  }

  @Override
  public int selectIds(ExecContext context, Buffer ids, int count, boolean matched, Buffer out) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(4L * count);
      int found =
          call.host()
              .scan()
              .selectIds(call.host(), call.in(ids, 4L * count), count, matched, result);
      call.back(result, out, 4L * found);
      return found;
    }
  }
}
