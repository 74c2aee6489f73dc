package io.aragonite.exec.device;

import io.aragonite.exec.expr.KeyHash;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The data-parallel building blocks that operators and joins are made of, named after CUB's. "Keys"
 * and "words" are 64-bit, compared unsigned; "ids" and row numbers are 32-bit. Row order is the
 * input's unless said otherwise. Outputs are the caller's, who sizes them as stated; up to 64 bytes
 * behind an output may be overwritten, as {@link Allocator} allows, so an output must not be a
 * slice with something to keep behind it. Temporaries come from the context's scratch memory and
 * are given back.
 */
public interface Primitives extends OrderPrimitives, KeyPrimitives, TriePrimitives {
  /**
   * Sets {@code count} values of {@code width} (1, 2, 4, 8) bytes to the low bytes of {@code
   * value}.
   */
  void fill(ExecContext context, Buffer out, int width, long value, int count);

  /** {@code out[i] = start + i}, 32-bit. */
  void iota(ExecContext context, Buffer out, int start, int count);

  /**
   * {@code out[i] = in[0] + ... + in[i-1]} for i in 0..count, so count + 1 sums.
   *
   * @param in 32-bit counts, unsigned
   * @param out 64-bit sums
   * @return the total
   */
  long exclusiveSum(ExecContext context, Buffer in, int count, Buffer out);

  /** {@code out[i] = in[i]}, 32-bit to 64-bit, signed. */
  void widen(ExecContext context, Buffer in, int count, Buffer out);

  /**
   * {@code out[i] = base + words[i]}, of which the low bytes are kept: the integers that words of
   * {@link SortDigit.Kind#RANGED} or SIGNED were made of.
   *
   * @param base the range's least integer; of SIGNED words {@link Long#MIN_VALUE}
   * @param width of an integer: 4 or 8 bytes
   * @param out not {@code words}
   */
  void narrow(ExecContext context, Buffer words, int count, long base, int width, Buffer out);

  /**
   * For each column, of BYTE, SHORT, INT, LONG or CODE storage, with any indirection, the bounds of
   * its values that are not null; null if there is none.
   */
  List<@Nullable ValueRange> valueRanges(ExecContext context, List<Column> columns);

  /** The same of one column. */
  default @Nullable ValueRange valueRange(ExecContext context, Column column) {
    return valueRanges(context, List.of(column)).getFirst();
  }

  /**
   * Pairs of the rows that ranges belong to and the positions in the ranges: as {@link #expand},
   * with the ranges' beginnings added.
   *
   * @param sums the result of {@link #exclusiveSum} over the ranges' lengths
   * @param firsts the ranges' beginnings, 32-bit
   */
  void expandRanges(
      ExecContext context,
      Buffer sums,
      Buffer firsts,
      int count,
      long from,
      int outCount,
      Buffer outRow,
      Buffer outPosition);

  /**
   * Load-balanced expansion: for the output positions from {@code from} to {@code from + outCount},
   * the input row whose range holds it and the place within that range.
   *
   * @param sums the result of {@link #exclusiveSum} over {@code count} rows
   */
  void expand(
      ExecContext context,
      Buffer sums,
      int count,
      long from,
      int outCount,
      Buffer outRow,
      Buffer outPlace);

  /**
   * Positions of the non-zero ({@code set}) or zero (not set) bytes among {@code flags}, ascending.
   *
   * @return how many
   */
  int select(ExecContext context, Buffer flags, int count, boolean set, Buffer out);

  /**
   * Positions of the ids that are rows ({@code matched}) or that are -1 (not matched), ascending.
   *
   * @return how many
   */
  int selectIds(ExecContext context, Buffer ids, int count, boolean matched, Buffer out);

  /**
   * {@code flags[ids[i]] = 1}, one byte a row; ids may repeat, and -1 is skipped. Several workers
   * may mark the same flags at once.
   */
  void mark(ExecContext context, Buffer ids, int count, Buffer flags);

  /** {@code out[i] = ids[positions[i]]}, and -1 where the position is -1. */
  void gatherIds(ExecContext context, Buffer ids, Buffer positions, int count, Buffer out);

  /**
   * The column without its indirection: values, validity and bytes copied into new memory. A column
   * without one is copied too.
   */
  Column materialize(ExecContext context, Column column, Allocator allocator);

  /** Copies the rows of a column to the end of a growing one; see {@link ColumnStore}. */
  void append(ExecContext context, Column column, GrowingColumn target);

  /** The same of several columns, for whose bytes of text a device may wait together. */
  default void append(ExecContext context, List<Column> columns, List<GrowingColumn> targets) {
    for (int i = 0; i < targets.size(); i++) {
      append(context, columns.get(i), targets.get(i));
    }
  }

  /**
   * New words for rows whose word was taken: {@code out[i]} is made of the word and the group of
   * row {@code positions[i]}, and of nothing else: {@code combine(word, ofLong(group + 1))} of
   * {@link KeyHash}.
   */
  void rehash(
      ExecContext context, Buffer words, Buffer groups, Buffer positions, int count, Buffer out);

  /** {@code out[ids[i]] = in[i]} for values of {@code width} bytes; ids are distinct. */
  void scatter(ExecContext context, Buffer in, Buffer ids, int count, int width, Buffer out);

  /**
   * Reduces segments of neighbouring rows.
   *
   * @param starts segments + 1 32-bit positions
   * @return one row a segment, of the function's result type {@code type}
   */
  Column segmentedReduce(
      ExecContext context,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int segments,
      DataType type,
      Allocator allocator);

  /**
   * A hash table over words; equal words stay apart as rows (a multimap).
   *
   * @param words 64-bit key words of the rows that take part
   * @param rows which build row each word belongs to; null: word i is row i
   * @param memory where the table lives until it is closed
   */
  HashTable hashBuild(
      ExecContext context, Buffer words, @Nullable RowIds rows, int count, QueryMemory memory);

  /**
   * As {@link #hashBuild(ExecContext, Buffer, RowIds, int, QueryMemory)}, with words of 4 or 8
   * bytes. Words of four bytes are signed, and equal to words of eight of the same value.
   *
   * @param order of these words
   */
  default HashTable hashBuild(
      ExecContext context,
      Buffer words,
      int wordBytes,
      @Nullable RowIds rows,
      int count,
      PartitionFunction order,
      QueryMemory memory) {
    long mark = context.scratch().mark();
    HashTable table =
        hashBuild(context, widened(context, words, wordBytes, count), rows, count, memory);
    context.scratch().release(mark);
    return table;
  }

  /** As the other, with words of 4 or 8 bytes. */
  default void hashLookup(
      ExecContext context, HashTable table, Buffer words, int wordBytes, int count, Buffer out) {
    long mark = context.scratch().mark();
    hashLookup(context, table, widened(context, words, wordBytes, count), count, out);
    context.scratch().release(mark);
  }

  /** As the other, with words of 4 or 8 bytes. */
  default int hashProbe(
      ExecContext context,
      HashTable table,
      Buffer words,
      int wordBytes,
      int count,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    long mark = context.scratch().mark();
    Buffer wide = widened(context, words, wordBytes, count);
    int pairs = hashProbe(context, table, wide, count, cursor, outProbe, outBuild, capacity);
    context.scratch().release(mark);
    return pairs;
  }

  /**
   * Fetches columns of the build rows with equal words, from a table of unique words: {@code
   * out[i]} of each column is the value of the row with word i. What belongs to a word without a
   * row is undefined.
   *
   * @return how many words have a row
   */
  default int hashFetch(
      ExecContext context,
      HashTable table,
      Buffer words,
      int wordBytes,
      int count,
      List<MovedColumn> columns) {
    long mark = context.scratch().mark();
    Buffer found = context.scratch().allocate(4L * count);
    hashLookup(context, table, words, wordBytes, count, found);
    Buffer positions = context.scratch().allocate(4L * count);
    int matches = selectIds(context, found, count, true, positions);
    RowIds ids = new RowIds(found, count, true);
    for (MovedColumn column : columns) {
      int width = column.width();
      ColumnShape shape =
          ColumnShape.of(
              switch (width) {
                case 1 -> DataType.of(TypeKind.INT8, false);
                case 2 -> DataType.of(TypeKind.INT16, false);
                case 4 -> DataType.INT32;
                default -> DataType.INT64;
              });
      int rows = (int) (column.in().size() / width);
      Column in = new Column(shape, rows, column.in(), Buffer.EMPTY, null, ids);
      Buffer values = materialize(context, in, context.scratch()).values();
      context.device().transfers().copy(context, values, column.out(), (long) width * count);
    }
    context.scratch().release(mark);
    return matches;
  }

  /**
   * The words of one side of a join, which {@link #partitionRows} has partitioned.
   *
   * @param words of 4 or 8 bytes, as those of the other side
   * @param starts where partitions begin, 32-bit, and behind the last one's rows
   */
  record Partitions(Buffer words, Buffer starts) {}

  /**
   * Rows that a partition of the build side should have at most for {@link #joinPartitions} to be
   * quick: those whose table stays in the fastest memory there is. 0: that primitive is not quicker
   * than a table over all rows.
   *
   * @param wordBytes of a word, 4 or 8
   */
  default int joinedPartitionRows(int wordBytes) {
    return 0;
  }

  /**
   * Joins partition by partition two sides that were partitioned by one order and as many bits, if
   * the words of the build side are unique.
   *
   * @param parts how many partitions to join, from the first on
   * @param outRows for each probe row the build row with the same word, or -1; EMPTY if nobody asks
   * @param columns of the build rows, fetched for the probe rows as by {@link #hashFetch}
   * @return how many probe rows have a build row; -1 if this cannot be done, because a word of a
   *     partition with probe rows is there twice, or such a partition has too many rows: the
   *     outputs are undefined then
   */
  default int joinPartitions(
      ExecContext context,
      int parts,
      int wordBytes,
      Partitions build,
      Partitions probe,
      Buffer outRows,
      List<MovedColumn> columns) {
    int buildRows = context.device().transfers().readInt(context, build.starts(), 4L * parts);
    int probeRows = context.device().transfers().readInt(context, probe.starts(), 4L * parts);
    PartitionFunction order = partitionFunction(context, build.words(), wordBytes, buildRows);
    HashTable table =
        hashBuild(context, build.words(), wordBytes, null, buildRows, order, context.memory());
    try (table) {
      if (!table.unique()) {
        return -1;
      }
      if (outRows.size() > 0) {
        hashLookup(context, table, probe.words(), wordBytes, probeRows, outRows);
      }
      return hashFetch(context, table, probe.words(), wordBytes, probeRows, columns);
    }
  }

  /**
   * Values of rows at the places that their words say: those of all columns of a row side by side,
   * so that one visit puts them there and one finds them. For columns of one width, 4 or 8 bytes,
   * and 16 bytes a row at most. Closing it frees its memory.
   */
  interface DirectRows extends AutoCloseable {
    /**
     * Rows that lie in several runs, each in the partitions of the order: what comes from several
     * devices. They are seen to partition by partition.
     *
     * @param starts of each run where each partition begins, and the last one ends
     */
    record Runs(int[][] starts) {}

    /** Whether a row of so many columns is narrow enough. */
    static boolean takes(int columns, int width) {
      return (width == 4 || width == 8) && columns > 0 && columns * width <= 16;
    }

    /** Takes rows, more perhaps, whose number was counted in before. */
    void add(ExecContext context, Buffer words, Runs rows);

    /** As the other one, of rows that were added. */
    void fill(ExecContext context, Buffer words, Runs rows, List<Buffer> in, int width);

    /** As the other one, partition by partition; {@link #found} says how many have a row. */
    void fetch(ExecContext context, Buffer words, Runs rows, List<Buffer> out, int width);

    /**
     * How many words that were fetched by runs since this was asked have a row; -1 if a word of the
     * rows is there twice.
     */
    long found(ExecContext context);

    /**
     * Puts the rows' values there.
     *
     * @param words the rows', those that this was made of
     * @param in columns of {@code width} bytes a value
     */
    void fill(
        ExecContext context, Buffer words, int wordBytes, int count, List<Buffer> in, int width);

    /**
     * Fetches values by words; what belongs to a word without a row is undefined.
     *
     * @param out as many columns as were put there, or none, to count
     * @return how many words have a row; -1 if a word of the rows is there twice
     */
    int fetch(
        ExecContext context, Buffer words, int wordBytes, int count, List<Buffer> out, int width);

    @Override
    void close();
  }

  /**
   * By how many bits rows must be partitioned at least for {@link DirectRows}, one at least.
   *
   * @param order of the rows' words
   * @return -1 if the device has no such thing, or none of such words, that is quicker than a table
   *     of row numbers
   */
  default int directBits(ExecContext context, PartitionFunction order) {
    return -1;
  }

  /**
   * Room for {@link DirectRows} of rows that {@link #partitionRows} has partitioned.
   *
   * @param order of the rows' words
   * @param bits by which they were partitioned, that order's first
   * @param rows null: they are added later
   * @param count of all rows
   * @return null if the words lie too far apart, or if the device has no such thing
   */
  default @Nullable DirectRows directRows(
      ExecContext context,
      PartitionFunction order,
      int bits,
      @Nullable Partitions rows,
      int wordBytes,
      int count,
      QueryMemory memory) {
    return null;
  }

  /**
   * Says of words whether they may be among those that it was made of. Exact where a bit for every
   * word of their range is little memory; else a Bloom filter whose four bits for a word lie in one
   * block of 64 (Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters",
   * 2007), of 16 to 32 bits a word: one word in a hundred or fewer passes that should not.
   */
  interface WordFilter extends AutoCloseable {
    long bytes();

    /** Whether no word passes that should not. */
    boolean exact();

    @Override
    void close();

    /**
     * Whether a range of words is worth a bit each: no more memory than a Bloom filter, or 1 MiB.
     */
    static boolean exact(long range, int count) {
      return Long.compareUnsigned(range, Math.max(32L * count, 1 << 23)) < 0;
    }

    /** Blocks of a Bloom filter for {@code count} words. */
    static long blocks(int count) {
      return Long.highestOneBit(Math.max(1, count / 4L)) << 1;
    }

    /** Mixes a word; block and bits come from the result. */
    static long mix(long word) {
      long w = (word ^ word >>> 32) * 0x9E37_79B9_7F4A_7C15L;
      return (w ^ w >>> 29) * 0xBF58_476D_1CE4_E5B9L;
    }

    /** The bits of a mixed word in its block, which the upper half of it numbers. */
    static long bits(long mixed) {
      return 1L << (mixed >>> 2)
          | 1L << (mixed >>> 8)
          | 1L << (mixed >>> 14)
          | 1L << (mixed >>> 20);
    }
  }

  /**
   * A filter of words.
   *
   * @param memory where it lives until it is closed
   */
  default WordFilter filterBuild(ExecContext context, Buffer words, int count, QueryMemory memory) {
    return new TableFilter(hashBuild(context, words, null, count, memory));
  }

  /**
   * Positions of the words that may be among a filter's, ascending.
   *
   * @return how many
   */
  default int filterSelect(
      ExecContext context, WordFilter filter, Buffer words, int count, Buffer out) {
    long mark = context.scratch().mark();
    Buffer found = context.scratch().allocate(4L * count);
    hashLookup(context, ((TableFilter) filter).table(), words, count, found);
    int kept = selectIds(context, found, count, true, out);
    context.scratch().release(mark);
    return kept;
  }

  /** A filter of a device that has none of its own. */
  record TableFilter(HashTable table) implements WordFilter {
    @Override
    public long bytes() {
      return 16L * table.rows();
    }

    @Override
    public boolean exact() {
      return true;
    }

    @Override
    public void close() {
      table.close();
    }
  }

  private Buffer widened(ExecContext context, Buffer words, int wordBytes, int count) {
    if (wordBytes == Long.BYTES) {
      return words;
    }
    Buffer wide = context.scratch().allocate(8L * count);
    widen(context, words, count, wide);
    return wide;
  }

  /** For each word a row with an equal one, or -1. Which of several is not specified. */
  void hashLookup(ExecContext context, HashTable table, Buffer words, int count, Buffer outRows);

  /**
   * All pairs of a probe row and a build row with equal words, probe rows ascending, in pieces.
   *
   * @param cursor where to go on; start with a new one, done when it says so
   * @param capacity room for pairs in both outputs
   * @return the number of pairs written
   */
  int hashProbe(
      ExecContext context,
      HashTable table,
      Buffer words,
      int count,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity);

  /** An empty table that numbers distinct words from 0 in the order of their first appearance. */
  GroupTable newGroupTable(ExecContext context, QueryMemory memory);

  /**
   * Finds the number of each word, adding those that are new.
   *
   * @param outGroups a 32-bit group number a word
   * @param outNewRows room for {@code count} positions: the first appearance of each new word, in
   *     the order of their numbers
   * @return how many are new
   */
  int assignGroups(
      ExecContext context,
      GroupTable table,
      Buffer words,
      int count,
      Buffer outGroups,
      Buffer outNewRows);

  /** State for one aggregate function over any number of groups. */
  Accumulator newAccumulator(
      ExecContext context,
      AggregateFunction function,
      @Nullable ColumnShape input,
      DataType type,
      QueryMemory memory);

  /**
   * The results of several accumulators, a row a group, as each gives its own: a device that must
   * look at groups before it makes columns of them looks at those of all at once.
   *
   * @param groups how many, by accumulator
   * @param parts whether as {@link Accumulator#finishPart}, else as {@link Accumulator#finish}
   */
  default List<Column> finish(
      ExecContext context,
      List<Accumulator> accumulators,
      List<Integer> groups,
      boolean parts,
      Allocator allocator) {
    List<Column> results = new ArrayList<>();
    for (int i = 0; i < accumulators.size(); i++) {
      Accumulator one = accumulators.get(i);
      results.add(
          parts
              ? one.finishPart(context, groups.get(i), allocator)
              : one.finish(context, groups.get(i), allocator));
    }
    return results;
  }

  /** What a device keeps for a probe from one piece to the next. */
  interface ProbeState extends AutoCloseable {
    @Override
    void close();
  }

  /** Where {@link #hashProbe} stopped. Whoever stops before it is done closes it. */
  final class ProbeCursor implements AutoCloseable {
    /** The probe row to go on with. */
    public int row;

    /** The device's own place within that row's matches. */
    public long place = -1;

    /** Whether all rows are done. */
    public boolean done;

    /** The device's own; null if it keeps nothing. */
    public @Nullable ProbeState state;

    /** Gives back what the device keeps. */
    @Override
    public void close() {
      ProbeState kept = state;
      state = null;
      if (kept != null) {
        kept.close();
      }
    }
  }

  /** A built hash table. Safe for several threads to probe. */
  interface HashTable extends AutoCloseable {
    int rows();

    /** Distinct words, measured as it was built. */
    int distinct();

    /** The largest number of rows with one word. */
    int maxMultiplicity();

    default boolean unique() {
      return distinct() == rows();
    }

    @Override
    void close();
  }

  /** A growing set of distinct words with their numbers. Not safe for several threads. */
  interface GroupTable extends AutoCloseable {
    int groups();

    @Override
    void close();
  }

  /** Not safe for several threads. */
  interface Accumulator extends AutoCloseable {
    /**
     * Takes in a batch of values.
     *
     * @param values null for COUNT of rows; may have an indirection
     * @param groups a 32-bit group number a row; null: all rows belong to group 0
     * @param mask positions of the rows to take in (FILTER), 32-bit; null: all
     * @param count rows of the batch, or of the mask if there is one
     * @param groupCount groups known by now; new ones start empty
     */
    void update(
        ExecContext context,
        @Nullable Column values,
        @Nullable Buffer groups,
        @Nullable Buffer mask,
        int count,
        int groupCount);

    /** The result, a row a group. */
    Column finish(ExecContext context, int groupCount, Allocator allocator);

    /**
     * The result of a part of the rows, a row a group, for an accumulator that merges parts: of the
     * type {@link AggregateFunction#partial}.
     */
    default Column finishPart(ExecContext context, int groupCount, Allocator allocator) {
      return finish(context, groupCount, allocator);
    }

    @Override
    void close();
  }
}
