package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ScanOps;
import io.aragonite.exec.expr.KeyLayout.KeyField;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ValueRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Passes over arrays of words and flags, as kernels. */
final class CudaScanOps implements ScanOps {
  @Override
  public void fill(ExecContext context, Buffer out, int width, long value, int count) {
    CudaScan.fill(context, out, width, value, count);
  }

  @Override
  public void iota(ExecContext context, Buffer out, int start, int count) {
    CudaScan.iota(context, out, start, count);
  }

  @Override
  public List<@Nullable ValueRange> valueRanges(ExecContext context, List<Column> columns) {
    return CudaSortWords.valueRanges(context, columns);
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
    CudaHashProbe.expandRanges(context, sums, firsts, count, from, outCount, outRow, outPosition);
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
    CudaSearch.expand(context, sums, count, from, outCount, outRow, outPlace);
  }

  @Override
  public long exclusiveSum(ExecContext context, Buffer in, int count, Buffer out) {
    return CudaScan.exclusiveSum(context, in, count, out);
  }

  @Override
  public int select(ExecContext context, Buffer flags, int count, boolean set, Buffer out) {
    return CudaSelect.select(context, flags, count, set, out);
  }

  @Override
  public int selectUpTo(ExecContext context, Buffer words, int count, long bound, Buffer out) {
    return CudaSelect.selectUpTo(context, words, count, bound, out);
  }

  @Override
  public int selectIds(ExecContext context, Buffer ids, int count, boolean matched, Buffer out) {
    return CudaSelect.selectIds(context, ids, count, matched, out);
  }

  @Override
  public void convert(ExecContext context, Buffer in, int from, int count, int to, Buffer out) {
    CudaScan.convert(context, in, from, count, to, out);
  }

  @Override
  public void narrow(
      ExecContext context, Buffer words, int count, long base, int width, Buffer out) {
    CudaPartition.narrow(context, words, count, base, width, out);
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
    CudaScan.unpack(context, words, count, key, shift, width, out, outValidity);
  }
}
