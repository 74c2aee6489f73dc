package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ScanOps;
import io.aragonite.exec.expr.KeyLayout.KeyField;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Passes over arrays of words and flags, as loops over native memory. */
final class CpuScanOps implements ScanOps {
  @Override
  public void fill(ExecContext context, Buffer out, int width, long value, int count) {
    CpuScan.fill(out, width, value, count);
  }

  @Override
  public void iota(ExecContext context, Buffer out, int start, int count) {
    CpuScan.iota(out, start, count);
  }

  @Override
  public long exclusiveSum(ExecContext context, Buffer in, int count, Buffer out) {
    return CpuScan.exclusiveSum(in, count, out);
  }

  @Override
  public void convert(ExecContext context, Buffer in, int from, int count, int to, Buffer out) {
    CpuScan.convert(in.address(), from, count, to, out.address());
  }

  @Override
  public void narrow(
      ExecContext context, Buffer words, int count, long base, int width, Buffer out) {
    CpuPartition.narrow(words, count, base, width, out);
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
    CpuScan.unpack(words, count, key, shift, width, out, outValidity);
  }

  @Override
  public List<@Nullable ValueRange> valueRanges(ExecContext context, List<Column> columns) {
    List<@Nullable ValueRange> ranges = new ArrayList<>();
    columns.forEach(column -> ranges.add(CpuSortWords.range(column)));
    return ranges;
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
    CpuSearch.expand(sums, firsts, count, from, outCount, outRow, outPosition);
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
    CpuSearch.expand(sums, null, count, from, outCount, outRow, outPlace);
  }

  @Override
  public int select(ExecContext context, Buffer flags, int count, boolean set, Buffer out) {
    return CpuScan.select(flags, count, set, out);
  }

  @Override
  public int selectUpTo(ExecContext context, Buffer words, int count, long bound, Buffer out) {
    return CpuScan.selectUpTo(words, count, bound, out);
  }

  @Override
  public int selectIds(ExecContext context, Buffer ids, int count, boolean matched, Buffer out) {
    return CpuScan.selectIds(ids, count, matched, out);
  }
}
