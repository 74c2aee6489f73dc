package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import java.util.BitSet;
import java.util.List;

/**
 * Partitions rows by digits or by the order of a hash table, and packs partitioned keys. What
 * {@link ScanOps} says of words, ids and outputs holds here too.
 */
public interface PartitionOps {
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
   * How a table over these words ({@link HashOps#build}) would be ordered.
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
      SeparatePartitions aside);

  /** Bits that {@link #partitionRows} partitions by at most. */
  int PARTITION_BITS = 16;

  /** Bits of one pass over the rows, for a device that takes several. */
  int PASS_BITS = 8;

  /** Bits that {@link #placePartitions} partitions by at most, in one pass too. */
  int PLACE_BITS = 9;

  /** How often {@link #partitionRows} moves every row for so many bits. */
  int partitionPasses(int bits);

  /**
   * The places of 4-byte keys.
   *
   * @param outBytes of a place: 4, or 8, of which the upper half is 0
   */
  void keyPlaces(ExecContext context, Buffer keys, int count, int outBytes, Buffer out);

  /**
   * Packs places that are in the order of their upper bits.
   *
   * @param places of 4 bytes
   * @param groupStarts 2^{@link PackedKeys#SAID_BITS} + 1 32-bit starts of the rows with the same
   *     upper bits
   * @param partBits 1 to {@link PackedKeys#SAID_BITS}
   * @param out the pieces, as far as {@link PackedKeys#offset} of a part behind the last
   * @param outPartStarts 2^partBits + 1 32-bit starts of the parts
   */
  void packPlaces(
      ExecContext context,
      Buffer places,
      int count,
      Buffer groupStarts,
      int partBits,
      Buffer out,
      Buffer outPartStarts);

  /**
   * The keys of some pieces of one part, one piece's behind the other's.
   *
   * @param packed the pieces, each directly behind the {@link PackedKeys#bytes} of the one before
   * @param pieces how many
   * @param out as many 4-byte keys as the pieces have rows
   */
  void unpackKeys(
      ExecContext context,
      Buffer packed,
      int pieces,
      int partBits,
      int part,
      int count,
      Buffer out);

  /**
   * Partitions that {@link #placePartitions} does not put to where the others go.
   *
   * @param partitions which
   * @param words where their words go
   * @param columns where their columns go
   */
  record SeparatePartitions(BitSet partitions, Buffer words, List<Buffer> columns) {}
}
