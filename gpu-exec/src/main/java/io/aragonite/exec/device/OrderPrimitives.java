package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of {@link Primitives} that puts rows in order, and that profits from rows in order:
 * histograms, partitions, sorts, bounds, merge paths, runs.
 */
public interface OrderPrimitives {
  /**
   * Counts keys by the digit of {@code bits} bits at {@code shift}.
   *
   * @param counts 2^bits 32-bit counts, overwritten
   */
  void histogram(ExecContext context, Buffer keys, int count, int shift, int bits, Buffer counts);

  /**
   * Stable partition of (key, id) pairs by the digit of {@code bits} bits at {@code shift}.
   *
   * @param outOffsets 2^bits + 1 32-bit starts of the partitions
   */
  void radixPartition(
      ExecContext context,
      Buffer keys,
      Buffer ids,
      int count,
      int shift,
      int bits,
      Buffer outKeys,
      Buffer outIds,
      Buffer outOffsets);

  /**
   * How a table over these words ({@link Primitives#hashBuild}) would be ordered.
   *
   * @param wordBytes 8, or 4 for signed 32-bit words
   */
  PartitionFunction partitionFunction(ExecContext context, Buffer words, int wordBytes, int count);

  /**
   * Stable partition of rows by the first {@code bits} bits of their words' places in an order.
   * Words that the order was not made for are in one partition too, the same for equal words.
   *
   * <p>More than {@link #PASS_BITS} bits may take two passes, between which there is another copy
   * of words and columns in the query's memory.
   *
   * @param bits 1 to {@link #PARTITION_BITS}
   * @param words words of {@code wordBytes} (4 or 8) bytes; they are moved to {@code outWords}
   * @param columns what goes along with them
   * @param outOffsets 2^bits + 1 32-bit starts of the partitions
   */
  void partitionRows(
      ExecContext context,
      PartitionFunction order,
      int bits,
      Buffer words,
      int wordBytes,
      int count,
      Buffer outWords,
      List<MovedColumn> columns,
      Buffer outOffsets);

  /**
   * Counts the rows that {@link #partitionRows} would put into each partition.
   *
   * @param bits 1 to {@link #PLACE_BITS}
   * @param outSizes 2^bits 32-bit numbers
   */
  void partitionSizes(
      ExecContext context,
      PartitionFunction order,
      int bits,
      Buffer words,
      int wordBytes,
      int count,
      Buffer outSizes);

  /**
   * As {@link #partitionRows}, but partitions go to where the caller says.
   *
   * @param bits 1 to {@link #PLACE_BITS}
   * @param words of 4 or 8 bytes
   * @param places 2^{@link #PLACE_BITS} 32-bit numbers of rows, where partitions begin; partitions
   *     must have the room that they need
   * @param aside partitions that go to other memory
   */
  void placePartitions(
      ExecContext context,
      PartitionFunction order,
      int bits,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer places,
      Aside aside);

  /**
   * Partitions that {@link #placePartitions} does not put to where the others go.
   *
   * @param partitions which
   * @param words where their words go
   * @param columns where their columns go
   */
  record Aside(BitSet partitions, Buffer words, List<Buffer> columns) {}

  /** Bits that {@link #partitionRows} partitions by at most. */
  int PARTITION_BITS = 16;

  /** Bits of one pass over the rows, for a device that takes several. */
  int PASS_BITS = 8;

  /** Bits that {@link #placePartitions} partitions by at most, in one pass too. */
  int PLACE_BITS = 9;

  /** How often {@link #partitionRows} moves every row for so many bits. */
  default int partitionPasses(int bits) {
    return 1;
  }

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
   * Rows that tie with others.
   *
   * @param rows how many
   * @param count in how many ties they are
   */
  record Ties(int rows, int count) {}

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
   * Marks the ranges of rows of two sorted sides that have equal keys, and counts their pairs.
   *
   * @param firsts of {@link #matchSorted} for needles that ascend
   * @param counts the same
   * @param leftRows needles
   * @param rightRows sorted keys
   * @param out laid out as {@link RangeMarks} says, overwritten
   */
  void markRanges(
      ExecContext context, Buffer firsts, Buffer counts, int leftRows, int rightRows, Buffer out);

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
   * Starts of the runs of equal neighbours.
   *
   * @param outStarts room for count + 1 32-bit positions; the number of runs is followed by {@code
   *     count}
   * @return the number of runs
   */
  int runLengthEncode(ExecContext context, Buffer keys, int count, Buffer outStarts);
}
