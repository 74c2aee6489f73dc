package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.GrowingColumn;
import io.aragonite.exec.device.HostAppend;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.device.RangeMarks;
import io.aragonite.exec.device.SortDigit;
import io.aragonite.exec.device.TrieStep;
import io.aragonite.exec.device.TrieWalk;
import io.aragonite.exec.device.TrieWeight;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The primitives as loops over native memory, one class a family. Loops that visit memory at random
 * are written without branches on what they find, so that the processor keeps many misses in
 * flight.
 */
final class CpuPrimitives implements Primitives {
  @Override
  public void fill(ExecContext context, Buffer out, int width, long value, int count) {
    CpuScan.fill(out, width, value, count);
  }

  @Override
  public void iota(ExecContext context, Buffer out, int start, int count) {
    CpuScan.iota(out, start, count);
  }

  @Override
  public void histogram(
      ExecContext context, Buffer keys, int count, int shift, int bits, Buffer counts) {
    CpuScan.histogram(keys, count, shift, bits, counts);
  }

  @Override
  public long exclusiveSum(ExecContext context, Buffer in, int count, Buffer out) {
    return CpuScan.exclusiveSum(in, count, out);
  }

  @Override
  public void radixPartition(
      ExecContext context,
      Buffer keys,
      Buffer ids,
      int count,
      int shift,
      int bits,
      Buffer outKeys,
      Buffer outIds,
      Buffer outOffsets) {
    CpuSort.radixPartition(context, keys, ids, count, shift, bits, outKeys, outIds, outOffsets);
  }

  @Override
  public int hashFetch(
      ExecContext context,
      HashTable table,
      Buffer words,
      int wordBytes,
      int count,
      List<MovedColumn> columns) {
    return CpuFetch.fetch(context, (CpuHashTable) table, words, wordBytes, count, columns);
  }

  @Override
  public void widen(ExecContext context, Buffer in, int count, Buffer out) {
    CpuPartition.widen(in, count, out);
  }

  @Override
  public void narrow(
      ExecContext context, Buffer words, int count, long base, int width, Buffer out) {
    CpuPartition.narrow(words, count, base, width, out);
  }

  @Override
  public PartitionFunction partitionFunction(
      ExecContext context, Buffer words, int wordBytes, int count) {
    return CpuPartition.order(words, wordBytes, count);
  }

  @Override
  public void partitionRows(
      ExecContext context,
      PartitionFunction order,
      int bits,
      Buffer words,
      int wordBytes,
      int count,
      Buffer outWords,
      List<MovedColumn> columns,
      Buffer outOffsets) {
    MovedColumn moved = new MovedColumn(words, outWords, wordBytes);
    CpuPartition.rows(context, order, bits, moved, count, columns, outOffsets);
  }

  @Override
  public void partitionSizes(
      ExecContext context,
      PartitionFunction order,
      int bits,
      Buffer words,
      int wordBytes,
      int count,
      Buffer outSizes) {
    CpuPartition.sizes(context, order, bits, words, wordBytes, count, outSizes);
  }

  @Override
  public void placePartitions(
      ExecContext context,
      PartitionFunction order,
      int bits,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      Buffer places,
      Aside aside) {
    CpuPartition.place(context, order, bits, words, count, columns, places, aside);
  }

  @Override
  public void keyPlaces(ExecContext context, Buffer keys, int count, int outBytes, Buffer out) {
    CpuPackedKeys.places(keys, count, outBytes, out);
  }

  @Override
  public void packPlaces(
      ExecContext context,
      Buffer places,
      int count,
      Buffer groupStarts,
      int partBits,
      Buffer out,
      Buffer outPartStarts) {
    CpuPackedKeys.pack(places, groupStarts, partBits, out, outPartStarts);
  }

  @Override
  public void unpackKeys(
      ExecContext context,
      Buffer packed,
      int pieces,
      int partBits,
      int part,
      int count,
      Buffer out) {
    CpuPackedKeys.unpack(packed, pieces, partBits, part, out);
  }

  @Override
  public void sortPairs(
      ExecContext context, Buffer keys, Buffer ids, int count, int fromBit, int toBit) {
    CpuSort.sortPairs(context, keys, ids, count, fromBit, toBit);
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
  public List<@Nullable ValueRange> valueRanges(ExecContext context, List<Column> columns) {
    List<@Nullable ValueRange> ranges = new ArrayList<>();
    columns.forEach(column -> ranges.add(CpuSortWords.range(column)));
    return ranges;
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
  public void markRanges(
      ExecContext context, Buffer firsts, Buffer counts, int leftRows, int rightRows, Buffer out) {
    CpuSearch.mark(firsts, counts, new RangeMarks(out.address(), leftRows, rightRows));
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
  public int runLengthEncode(ExecContext context, Buffer keys, int count, Buffer outStarts) {
    return CpuSearch.runLengthEncode(keys, count, outStarts);
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
  public int selectIds(ExecContext context, Buffer ids, int count, boolean matched, Buffer out) {
    return CpuScan.selectIds(ids, count, matched, out);
  }

  @Override
  public void mark(ExecContext context, Buffer ids, int count, Buffer flags) {
    CpuScan.mark(ids, count, flags);
  }

  @Override
  public void gatherIds(ExecContext context, Buffer ids, Buffer positions, int count, Buffer out) {
    CpuScan.gatherIds(ids, positions, count, out);
  }

  @Override
  public Column materialize(ExecContext context, Column column, Allocator allocator) {
    return CpuGather.materialize(column, allocator);
  }

  @Override
  public void append(ExecContext context, Column column, GrowingColumn target) {
    HostAppend.append(column, target);
  }

  @Override
  public void rehash(
      ExecContext context, Buffer words, Buffer groups, Buffer positions, int count, Buffer out) {
    CpuHash.rehash(words, groups, positions, count, out);
  }

  @Override
  public void scatter(
      ExecContext context, Buffer in, Buffer ids, int count, int width, Buffer out) {
    CpuScan.scatter(in, ids, count, width, out);
  }

  @Override
  public Column segmentedReduce(
      ExecContext context,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int segments,
      DataType type,
      Allocator allocator) {
    return CpuSegments.reduce(context, function, values, starts, segments, type, allocator);
  }

  @Override
  public HashTable hashBuild(
      ExecContext context, Buffer words, @Nullable RowIds rows, int count, QueryMemory memory) {
    return CpuHashTable.build(context, words, rows, count, memory);
  }

  @Override
  public void hashLookup(
      ExecContext context, HashTable table, Buffer words, int count, Buffer outRows) {
    ((CpuHashTable) table).lookupAll(context, words.address(), count, outRows.address());
  }

  @Override
  public int hashProbe(
      ExecContext context,
      HashTable table,
      Buffer words,
      int count,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    return ((CpuHashTable) table)
        .probe(
            context,
            words.address(),
            count,
            cursor,
            outProbe.address(),
            outBuild.address(),
            capacity);
  }

  @Override
  public int joinedPartitionRows(int wordBytes) {
    return CpuPartitionJoin.GOOD_ROWS;
  }

  @Override
  public int joinPartitions(
      ExecContext context,
      int parts,
      int wordBytes,
      Partitions build,
      Partitions probe,
      Buffer outRows,
      List<MovedColumn> columns) {
    return CpuPartitionJoin.join(context, parts, wordBytes, build, probe, outRows, columns);
  }

  @Override
  public WordFilter filterBuild(ExecContext context, Buffer words, int count, QueryMemory memory) {
    return new CpuWordFilter(words, count, memory);
  }

  @Override
  public int filterSelect(
      ExecContext context, WordFilter filter, Buffer words, int count, Buffer out) {
    return ((CpuWordFilter) filter).select(words, count, out);
  }

  @Override
  public GroupTable newGroupTable(ExecContext context, QueryMemory memory) {
    return new CpuGroupTable(memory);
  }

  @Override
  public int assignGroups(
      ExecContext context,
      GroupTable table,
      Buffer words,
      int count,
      Buffer outGroups,
      Buffer outNewRows) {
    return ((CpuGroupTable) table).assign(context, words, count, outGroups, outNewRows);
  }

  @Override
  public int trieLevel(
      ExecContext context,
      Buffer words,
      int count,
      int shift,
      int bits,
      int min,
      Buffer outWords,
      Buffer outValues,
      Buffer outStarts) {
    return CpuTrie.level(words, count, shift, bits, min, outWords, outValues, outStarts);
  }

  @Override
  public void trieStarts(
      ExecContext context, Buffer words, int count, int shift, int size, Buffer outStarts) {
    CpuTrie.starts(words, count, shift, size, outStarts);
  }

  @Override
  public void trieRanges(
      ExecContext context, TrieStep step, Buffer outSides, Buffer outFirsts, Buffer outCounts) {
    CpuTrie.ranges(step, outSides, outFirsts, outCounts);
  }

  @Override
  public int trieMatch(
      ExecContext context,
      TrieStep step,
      Buffer sides,
      Buffer firsts,
      Buffer sums,
      long from,
      int candidates,
      Buffer outBindings,
      List<@Nullable Buffer> outPositions,
      @Nullable Buffer outValues) {
    return CpuTrie.match(
        step, sides, firsts, sums, from, candidates, outBindings, outPositions, outValues);
  }

  @Override
  public void trieCount(
      ExecContext context,
      TrieStep step,
      Buffer sides,
      Buffer firsts,
      Buffer sums,
      List<TrieWeight> weights,
      Buffer outCounts) {
    CpuTrie.count(step, sides, firsts, sums, weights, outCounts);
  }

  @Override
  public boolean walksTries(TrieWalk walk) {
    return true;
  }

  @Override
  public long trieWalk(
      ExecContext context,
      TrieWalk walk,
      TrieWalk.Start start,
      long from,
      long to,
      TrieWalk.@Nullable Output output) {
    return CpuLeapfrog.walk(context, walk, start, from, to, output);
  }

  @Override
  public Accumulator newAccumulator(
      ExecContext context,
      AggregateFunction function,
      @Nullable ColumnShape input,
      DataType type,
      QueryMemory memory) {
    return CpuAccumulators.create(function, input, type, memory);
  }
}
