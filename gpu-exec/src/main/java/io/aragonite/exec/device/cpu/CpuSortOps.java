package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostRows;
import io.aragonite.exec.device.SortDigit;
import io.aragonite.exec.device.SortOps;
import io.aragonite.exec.device.SortOps.Ties;
import io.aragonite.exec.device.WholeTexts;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Puts rows in order, and profits from rows in order, as loops over native memory. */
final class CpuSortOps implements SortOps {
  @Override
  public void sortPairs(
      ExecContext context, Buffer keys, Buffer ids, int count, int fromBit, int toBit) {
    CpuParallelSort.sortPairs(context, keys, ids, count, fromBit, toBit);
  }

  @Override
  public void sortDigit(
      ExecContext context,
      SortDigit digit,
      Column column,
      @Nullable Buffer rows,
      int from,
      int count,
      int shift,
      Buffer words) {
    CpuSortWords.encode(digit, column, rows, from, count, shift, words);
  }

  @Override
  public Ties keepTies(
      ExecContext context,
      Buffer keys,
      Buffer ties,
      Buffer ids,
      int count,
      Buffer outTies,
      Buffer outIds) {
    return CpuSortWords.keepTies(keys, ties, ids, count, outTies, outIds);
  }

  @Override
  public void bound(
      ExecContext context,
      Buffer sortedKeys,
      int keyCount,
      Buffer needles,
      int needleCount,
      boolean upper,
      Buffer out) {
    CpuSearch.bound(sortedKeys, keyCount, needles, needleCount, upper, out);
  }

  @Override
  public WholeTexts wholeTexts(Column texts, boolean descending) {
    return new CpuTexts(texts, descending);
  }

  @Override
  public boolean sorted(ExecContext context, Buffer words, int count) {
    return CpuSearch.sorted(words, count);
  }

  @Override
  public void matchSorted(
      ExecContext context,
      Buffer sortedKeys,
      int keyCount,
      Buffer needles,
      int needleCount,
      Buffer outFirsts,
      Buffer outCounts) {
    CpuSearch.match(sortedKeys, keyCount, needles, needleCount, outFirsts, outCounts);
  }

  @Override
  public void mergePath(
      ExecContext context,
      Buffer left,
      int leftCount,
      Buffer right,
      int rightCount,
      int parts,
      Buffer outLeft) {
    CpuSearch.mergePath(left, leftCount, right, rightCount, parts, outLeft);
  }

  @Override
  public void mergeRuns(
      ExecContext context, List<HostRows> runs, long[] rows, HostRows out, Executor executor) {
    int threads = context.device().properties().workers();
    CpuChunkMerge.merge(runs, rows, out, executor, threads, context::checkCancelled);
  }

  @Override
  public int runLengthEncode(ExecContext context, Buffer keys, int count, Buffer outStarts) {
    return CpuSearch.runLengthEncode(keys, count, outStarts);
  }

  @Override
  public int ascendingRuns(
      ExecContext context, Buffer keys, int keyBytes, int count, Buffer outStarts) {
    return CpuSearch.ascendingRuns(keys, keyBytes, count, outStarts);
  }
}
