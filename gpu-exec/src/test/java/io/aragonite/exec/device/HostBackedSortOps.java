package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import org.jspecify.annotations.Nullable;

/**
 * Sort operations of a device with memory of its own, run by its host; see {@link DiscreteDevice}.
 */
final class HostBackedSortOps implements SortOps {
  @Override
  public void sortPairs(
      ExecContext context, Buffer keys, Buffer ids, int count, int fromBit, int toBit) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer hostKeys = call.in(keys, 8L * count);
      Buffer hostIds = call.in(ids, 4L * count);
      call.host().sort().sortPairs(call.host(), hostKeys, hostIds, count, fromBit, toBit);
      call.back(hostKeys, keys, 8L * count);
      call.back(hostIds, ids, 4L * count);
    }
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
    try (StagedCall call = new StagedCall(context)) {
      Buffer hostRows = rows == null ? null : call.in(rows, 4L * (from + count));
      Buffer result = call.in(words, 8L * count);
      call.host()
          .sort()
          .sortDigit(call.host(), digit, call.in(column), hostRows, from, count, shift, result);
      call.back(result, words, 8L * count);
    }
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
    try (StagedCall call = new StagedCall(context)) {
      Buffer tiesBack = call.room(4L * count);
      Buffer idsBack = call.room(4L * count);
      Ties kept =
          call.host()
              .sort()
              .keepTies(
                  call.host(),
                  call.in(keys, 8L * count),
                  call.in(ties, 4L * count),
                  call.in(ids, 4L * count),
                  count,
                  tiesBack,
                  idsBack);
      call.back(tiesBack, outTies, 4L * kept.rows());
      call.back(idsBack, outIds, 4L * kept.rows());
      return kept;
    }
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
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(4L * needleCount);
      call.host()
          .sort()
          .bound(
              call.host(),
              call.in(sortedKeys, 8L * keyCount),
              keyCount,
              call.in(needles, 8L * needleCount),
              needleCount,
              upper,
              result);
      call.back(result, out, 4L * needleCount);
    }
  }

  @Override
  public @Nullable WholeTexts wholeTexts(Column texts, boolean descending) {
    return null;
  }

  @Override
  public boolean sorted(ExecContext context, Buffer words, int count) {
    try (StagedCall call = new StagedCall(context)) {
      return call.host().sort().sorted(call.host(), call.in(words, 8L * count), count);
    }
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
    try (StagedCall call = new StagedCall(context)) {
      Buffer firsts = call.room(4L * needleCount);
      Buffer counts = call.room(4L * needleCount);
      call.host()
          .sort()
          .matchSorted(
              call.host(),
              call.in(sortedKeys, 8L * keyCount),
              keyCount,
              call.in(needles, 8L * needleCount),
              needleCount,
              firsts,
              counts);
      call.back(firsts, outFirsts, 4L * needleCount);
      call.back(counts, outCounts, 4L * needleCount);
    }
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
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(4L * parts + 4);
      call.host()
          .sort()
          .mergePath(
              call.host(),
              call.in(left, 8L * leftCount),
              leftCount,
              call.in(right, 8L * rightCount),
              rightCount,
              parts,
              result);
      call.back(result, outLeft, 4L * parts + 4);
    }
  }

  @Override
  public int runLengthEncode(ExecContext context, Buffer keys, int count, Buffer outStarts) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(4L * count + 4);
      int runs =
          call.host().sort().runLengthEncode(call.host(), call.in(keys, 8L * count), count, result);
      call.back(result, outStarts, 4L * runs + 4);
      return runs;
    }
  }

  @Override
  public int ascendingRuns(
      ExecContext context, Buffer keys, int keyBytes, int count, Buffer outStarts) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(4L * count + 4);
      Buffer in = call.in(keys, (long) keyBytes * count);
      int runs = call.host().sort().ascendingRuns(call.host(), in, keyBytes, count, result);
      if (runs >= 0) {
        call.back(result, outStarts, 4L * runs + 4);
      }
      return runs;
    }
  }
}
