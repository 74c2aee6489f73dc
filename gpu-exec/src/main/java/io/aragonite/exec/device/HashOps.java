package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.RowIds;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds what is looked up by words: hash tables, rows at places that words say, filters; and joins
 * partition by partition. What {@link ScanOps} says of words, ids and outputs holds here too.
 */
public interface HashOps {
  /**
   * A hash table over words; equal words stay apart as rows (a multimap).
   *
   * @param words key words of the rows that take part
   * @param wordBytes of a word, 4 or 8; words of four bytes are signed, and equal to words of eight
   *     of the same value
   * @param rows which build row each word belongs to; null: word i is row i
   * @param order of these words; null: the table looks for itself
   * @param memory where the table lives until it is closed
   */
  HashTable build(
      ExecContext context,
      Buffer words,
      int wordBytes,
      @Nullable RowIds rows,
      int count,
      @Nullable PartitionFunction order,
      QueryMemory memory);

  /** As the other, with words of 8 bytes, which the table looks at for itself. */
  default HashTable build(
      ExecContext context, Buffer words, @Nullable RowIds rows, int count, QueryMemory memory) {
    return build(context, words, Long.BYTES, rows, count, null, memory);
  }

  /**
   * Rows that a partition of the build side should have at most for {@link #joinPartitions} to be
   * quick: those whose table stays in the fastest memory there is. 0: that primitive is not quicker
   * than a table over all rows.
   *
   * @param wordBytes of a word, 4 or 8
   */
  int joinedPartitionRows(int wordBytes);

  /**
   * Joins partition by partition two sides that were partitioned by one order and as many bits, if
   * the words of the build side are unique.
   *
   * @param parts how many partitions to join, from the first on
   * @param outRows for each probe row the build row with the same word, or -1; EMPTY if nobody asks
   * @param columns of the build rows, fetched for the probe rows as by {@link HashTable#fetch}
   * @return how many probe rows have a build row; -1 if this cannot be done, because a word of a
   *     partition with probe rows is there twice, or such a partition has too many rows: the
   *     outputs are undefined then
   */
  int joinPartitions(
      ExecContext context,
      int parts,
      int wordBytes,
      PartitionedWords build,
      PartitionedWords probe,
      Buffer outRows,
      List<MovedColumn> columns);

  /**
   * By how many bits rows must be partitioned at least for {@link PerfectHashTable}, one at least.
   *
   * @param order of the rows' words
   * @return -1 if the device has no such thing, or none of such words, that is quicker than a table
   *     of row numbers
   */
  int directBits(ExecContext context, PartitionFunction order);

  /**
   * Room for {@link PerfectHashTable} of rows that {@link PartitionOps#partitionRows} has
   * partitioned.
   *
   * @param order of the rows' words
   * @param bits by which they were partitioned, that order's first
   * @param rows null: they are added later
   * @param count of all rows
   * @return null if the words lie too far apart, or if the device has no such thing
   */
  @Nullable PerfectHashTable perfectHashTable(
      ExecContext context,
      PartitionFunction order,
      int bits,
      @Nullable PartitionedWords rows,
      int wordBytes,
      int count,
      QueryMemory memory);

  /**
   * A filter of words.
   *
   * @param tested words that are expected to be asked of it: for many of them it may be larger
   * @param memory where it lives until it is closed
   */
  KeyFilter buildFilter(
      ExecContext context, Buffer words, int count, double tested, QueryMemory memory);
}
