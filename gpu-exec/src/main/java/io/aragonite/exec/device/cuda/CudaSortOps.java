package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.SortDigit;
import io.aragonite.exec.device.SortOps;
import io.aragonite.exec.device.SortOps.Ties;
import io.aragonite.exec.device.WholeTexts;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import org.jspecify.annotations.Nullable;

/** Puts rows in order, and profits from rows in order, as kernels. */
final class CudaSortOps implements SortOps {
  @Override
  public void sortPairs(
      ExecContext context, Buffer keys, Buffer ids, int count, int fromBit, int toBit) {
    CudaSort.sortPairs(context, keys, ids, count, fromBit, toBit);
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
    CudaSortWords.sortDigit(context, digit, column, rows, from, count, shift, words);
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
    return CudaSortWords.keepTies(context, keys, ties, ids, count, outTies, outIds);
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
    CudaSearch.bound(context, sortedKeys, keyCount, needles, needleCount, upper, out);
  }

  @Override
  public @Nullable WholeTexts wholeTexts(Column texts, boolean descending) {
    return null;
  }

  @Override
  public boolean sorted(ExecContext context, Buffer words, int count) {
    return CudaSearch.sorted(context, words, count);
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
    CudaSearch.match(context, sortedKeys, keyCount, needles, needleCount, outFirsts, outCounts);
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
    CudaSearch.mergePath(context, left, leftCount, right, rightCount, parts, outLeft);
  }

  @Override
  public int runLengthEncode(ExecContext context, Buffer keys, int count, Buffer outStarts) {
    return CudaSelect.runLengthEncode(context, keys, count, outStarts);
  }

  @Override
  public int ascendingRuns(
      ExecContext context, Buffer keys, int keyBytes, int count, Buffer outStarts) {
    return CudaSelect.ascendingRuns(context, keys, keyBytes, count, outStarts);
  }
}
