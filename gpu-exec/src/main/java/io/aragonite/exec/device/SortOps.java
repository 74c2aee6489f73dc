package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Puts rows in order, and profits from rows in order: sorts, bounds, merge paths, runs. What {@link
 * ScanOps} says of words, ids and outputs holds here too.
 */
public interface SortOps {
  /**
   * Stable sort of (key, id) pairs, in place, by the key's bits from {@code fromBit} to {@code
   * toBit}.
   */
  void sortPairs(ExecContext context, Buffer keys, Buffer ids, int count, int fromBit, int toBit);

  /**
   * ORs one digit of each row's place in an order, shifted up by {@code shift} bits, into its word.
   * The words of an order are made of one digit or several; sorting by the words sorts the rows.
   *
   * @param column of the storage that the digit's kind is for, with any indirection
   * @param rows rows of the column's batch, 32-bit; null: row i is row i
   * @param from the first place in {@code rows} (or the first row) to encode
   * @param count how many from there
   * @param words a word for each of these; the first is that of {@code from}
   */
  void sortDigit(
      ExecContext context,
      SortDigit digit,
      Column column,
      @Nullable Buffer rows,
      int from,
      int count,
      int shift,
      Buffer words);

  /**
   * Of rows in order keeps those that are not told apart from a neighbour: same tie before, same
   * key now.
   *
   * @param keys 64-bit keys, sorted within each tie
   * @param ties the 32-bit number of each row's tie so far, ascending
   * @param ids a 32-bit number that goes along with each row
   * @param outTies new numbers of the ties of the rows kept, from 0 without gaps; not {@code ties}
   * @param outIds their ids; not {@code ids}
   * @return how many are kept
   */
  Ties keepTies(
      ExecContext context,
      Buffer keys,
      Buffer ties,
      Buffer ids,
      int count,
      Buffer outTies,
      Buffer outIds);

  /**
   * For each needle the number of sorted keys that are smaller ({@code upper} false) or not greater
   * (true), 32-bit.
   */
  void bound(
      ExecContext context,
      Buffer sortedKeys,
      int keyCount,
      Buffer needles,
      int needleCount,
      boolean upper,
      Buffer out);

  /**
   * Whole texts of a column of BYTES storage, with any indirection; null if the device only makes
   * words of them.
   */
  @Nullable WholeTexts wholeTexts(Column texts, boolean descending);

  /** Whether words are in ascending order. */
  boolean sorted(ExecContext context, Buffer words, int count);

  /**
   * The range of equal keys of each needle: where it begins, and how many there are.
   *
   * @param sortedKeys ascending
   * @param needles in any order; quickest where they ascend
   * @param outFirsts 32-bit positions; -1 for a needle without an equal key
   * @param outCounts 32-bit
   */
  void matchSorted(
      ExecContext context,
      Buffer sortedKeys,
      int keyCount,
      Buffer needles,
      int needleCount,
      Buffer outFirsts,
      Buffer outCounts);

  /**
   * Cuts the merge of two sorted key arrays into {@code parts} pieces of equal length (merge path).
   *
   * @param outLeft parts + 1 32-bit positions in left; the positions in right are the rest of the
   *     diagonal {@code min(i * ceil((leftCount + rightCount) / parts), leftCount + rightCount)};
   *     equal keys are taken from left first
   */
  void mergePath(
      ExecContext context,
      Buffer left,
      int leftCount,
      Buffer right,
      int rightCount,
      int parts,
      Buffer outLeft);

  /**
   * Merges sorted runs of host memory, which only a {@link Device#host} does.
   *
   * @param runs sorted by their keys; equal keys come from the first runs first
   * @param rows of each run
   * @param out room for all rows
   * @param executor lends as many threads as the host has workers
   * @throws AragoniteException MEMORY_EXCEEDED if the runs are too many for one merge
   */
  default void mergeRuns(
      ExecContext context, List<HostRows> runs, long[] rows, HostRows out, Executor executor) {
    throw new UnsupportedOperationException("runs of host memory are merged by the host");
  }

  /**
   * Starts of the runs of equal neighbours.
   *
   * @param outStarts room for count + 1 32-bit positions; the number of runs is followed by {@code
   *     count}
   * @return the number of runs
   */
  int runLengthEncode(ExecContext context, Buffer keys, int count, Buffer outStarts);

  /**
   * The same of keys that should ascend.
   *
   * @param keyBytes 8: words; 4: signed integers
   * @param outStarts as {@link #runLengthEncode} has it, unless a key is less than the one before
   * @return the number of runs; -1 if a key is less than the one before
   */
  int ascendingRuns(ExecContext context, Buffer keys, int keyBytes, int count, Buffer outStarts);

  /**
   * Rows that tie with others.
   *
   * @param rows how many
   * @param count in how many ties they are
   */
  record Ties(int rows, int count) {}
}
