package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.GrowingColumn;
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
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The primitives as kernels, one class a family. */
final class CudaPrimitives implements Primitives {
  @Override
  public void fill(ExecContext context, Buffer out, int width, long value, int count) {
    CudaScan.fill(context, out, width, value, count);
  }

  @Override
  public void iota(ExecContext context, Buffer out, int start, int count) {
    CudaScan.iota(context, out, start, count);
  }

  @Override
  public void histogram(
      ExecContext context, Buffer keys, int count, int shift, int bits, Buffer counts) {
    CudaSort.histogram(context, keys, count, shift, bits, counts);
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
    CudaSort.radixPartition(context, keys, ids, count, shift, bits, outKeys, outIds, outOffsets);
  }

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
  public List<@Nullable ValueRange> valueRanges(ExecContext context, List<Column> columns) {
    return CudaSortWords.valueRanges(context, columns);
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
  public void markRanges(
      ExecContext context, Buffer firsts, Buffer counts, int leftRows, int rightRows, Buffer out) {
    CudaSearch.mark(context, firsts, counts, new RangeMarks(out.address(), leftRows, rightRows));
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
    CudaHash.expand(
        context, sums, firsts, Buffer.EMPTY, count, from, outCount, outRow, outPosition);
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
  public void expand(
      ExecContext context,
      Buffer sums,
      int count,
      long from,
      int outCount,
      Buffer outRow,
      Buffer outPlace) {
    CudaSearch.expand(context, sums, count, from, outCount, outRow, outPlace);
  }

  @Override
  public long exclusiveSum(ExecContext context, Buffer in, int count, Buffer out) {
    return CudaScan.exclusiveSum(context, in, count, out);
  }

  @Override
  public int runLengthEncode(ExecContext context, Buffer keys, int count, Buffer outStarts) {
    return CudaSelect.runLengthEncode(context, keys, count, outStarts);
  }

  @Override
  public int select(ExecContext context, Buffer flags, int count, boolean set, Buffer out) {
    return CudaSelect.select(context, flags, count, set, out);
  }

  @Override
  public int selectIds(ExecContext context, Buffer ids, int count, boolean matched, Buffer out) {
    return CudaSelect.selectIds(context, ids, count, matched, out);
  }

  @Override
  public void mark(ExecContext context, Buffer ids, int count, Buffer flags) {
    CudaGather.mark(context, ids, count, flags);
  }

  @Override
  public void gatherIds(ExecContext context, Buffer ids, Buffer positions, int count, Buffer out) {
    CudaGather.gatherIds(context, ids, positions, count, out);
  }

  @Override
  public Column materialize(ExecContext context, Column column, Allocator allocator) {
    return CudaGather.materialize(context, column, allocator);
  }

  @Override
  public void append(ExecContext context, Column column, GrowingColumn target) {
    CudaAppend.append(context, List.of(column), List.of(target));
  }

  @Override
  public void append(ExecContext context, List<Column> columns, List<GrowingColumn> targets) {
    CudaAppend.append(context, columns, targets);
  }

  @Override
  public void rehash(
      ExecContext context, Buffer words, Buffer groups, Buffer positions, int count, Buffer out) {
    CudaGather.rehash(context, words, groups, positions, count, out);
  }

  @Override
  public void scatter(
      ExecContext context, Buffer in, Buffer ids, int count, int width, Buffer out) {
    CudaGather.scatter(context, in, ids, count, width, out);
  }

  @Override
  public HashTable hashBuild(
      ExecContext context, Buffer words, @Nullable RowIds rows, int count, QueryMemory memory) {
    return CudaHashTable.build(context, words, Long.BYTES, rows, count, null, memory);
  }

  @Override
  public void hashLookup(
      ExecContext context, HashTable table, Buffer words, int count, Buffer outRows) {
    hashLookup(context, table, words, Long.BYTES, count, outRows);
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
    return hashProbe(
        context, table, words, Long.BYTES, count, cursor, outProbe, outBuild, capacity);
  }

  @Override
  public HashTable hashBuild(
      ExecContext context,
      Buffer words,
      int wordBytes,
      @Nullable RowIds rows,
      int count,
      PartitionFunction order,
      QueryMemory memory) {
    return CudaHashTable.build(context, words, wordBytes, rows, count, order, memory);
  }

  @Override
  public void hashLookup(
      ExecContext context, HashTable table, Buffer words, int wordBytes, int count, Buffer out) {
    ((CudaHashTable) table).lookup(CudaStream.of(context), words, wordBytes, count, out);
  }

  @Override
  public int hashProbe(
      ExecContext context,
      HashTable table,
      Buffer words,
      int wordBytes,
      int count,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    CudaHashTable built = (CudaHashTable) table;
    return CudaHash.probe(
        context, built, words, wordBytes, count, cursor, outProbe, outBuild, capacity);
  }

  @Override
  public int hashFetch(
      ExecContext context,
      HashTable table,
      Buffer words,
      int wordBytes,
      int count,
      List<MovedColumn> columns) {
    return CudaHash.fetch(context, (CudaHashTable) table, words, wordBytes, count, columns);
  }

  @Override
  public void widen(ExecContext context, Buffer in, int count, Buffer out) {
    CudaPartition.widen(context, in, count, out);
  }

  @Override
  public void narrow(
      ExecContext context, Buffer words, int count, long base, int width, Buffer out) {
    CudaPartition.narrow(context, words, count, base, width, out);
  }

  @Override
  public PartitionFunction partitionFunction(
      ExecContext context, Buffer words, int wordBytes, int count) {
    return CudaHashTable.order(context, words, wordBytes, count);
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
    CudaPartition.rows(context, order, bits, moved, count, columns, outOffsets);
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
    CudaPartition.sizes(context, order, bits, words, wordBytes, count, outSizes);
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
    CudaPartition.place(context, order, bits, words, count, columns, places, aside);
  }

  @Override
  public void keyPlaces(ExecContext context, Buffer keys, int count, int outBytes, Buffer out) {
    CudaPackedKeys.places(context, keys, count, outBytes, out);
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
    CudaPackedKeys.pack(context, places, count, groupStarts, partBits, out, outPartStarts);
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
    CudaPackedKeys.unpack(context, packed, pieces, partBits, part, count, out);
  }

  @Override
  public int partitionPasses(int bits) {
    return bits <= PASS_BITS ? 1 : 2;
  }

  @Override
  public int joinedPartitionRows(int wordBytes) {
    return CudaPartitionJoin.goodRows(wordBytes);
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
    return CudaPartitionJoin.join(context, parts, wordBytes, build, probe, outRows, columns);
  }

  @Override
  public int directBits(ExecContext context, PartitionFunction order) {
    return CudaDirectRows.leastBits(order, CudaStream.of(context).gpu().maxSharedBytes());
  }

  @Override
  public @Nullable DirectRows directRows(
      ExecContext context,
      PartitionFunction order,
      int bits,
      @Nullable Partitions rows,
      int wordBytes,
      int count,
      QueryMemory memory) {
    return CudaDirectRows.of(context, order, bits, rows, wordBytes, count, memory);
  }

  @Override
  public WordFilter filterBuild(ExecContext context, Buffer words, int count, QueryMemory memory) {
    return new CudaWordFilter(context, words, count, memory);
  }

  @Override
  public int filterSelect(
      ExecContext context, WordFilter filter, Buffer words, int count, Buffer out) {
    return ((CudaWordFilter) filter).select(context, words, count, out);
  }

  @Override
  public GroupTable newGroupTable(ExecContext context, QueryMemory memory) {
    return new CudaGroupTable(memory);
  }

  @Override
  public int assignGroups(
      ExecContext context,
      GroupTable table,
      Buffer words,
      int count,
      Buffer outGroups,
      Buffer outNewRows) {
    return ((CudaGroupTable) table).assign(context, words, count, outGroups, outNewRows);
  }

  @Override
  public Accumulator newAccumulator(
      ExecContext context,
      AggregateFunction function,
      @Nullable ColumnShape input,
      DataType type,
      QueryMemory memory) {
    return CudaAccumulators.create(function, input, type, memory);
  }

  @Override
  public List<Column> finish(
      ExecContext context,
      List<Accumulator> accumulators,
      List<Integer> groups,
      boolean parts,
      Allocator allocator) {
    return CudaAccumulators.finish(context, accumulators, groups, parts, allocator);
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
    return CudaSegments.reduce(context, function, values, starts, segments, type, allocator);
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
    return CudaTrie.level(context, words, count, shift, bits, min, outWords, outValues, outStarts);
  }

  @Override
  public void trieStarts(
      ExecContext context, Buffer words, int count, int shift, int size, Buffer outStarts) {
    CudaTrie.starts(context, words, count, shift, size, outStarts);
  }

  @Override
  public void trieRanges(
      ExecContext context, TrieStep step, Buffer outSides, Buffer outFirsts, Buffer outCounts) {
    CudaTrie.ranges(context, step, outSides, outFirsts, outCounts);
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
    return CudaTrie.match(
        context, step, sides, firsts, sums, from, candidates, outBindings, outPositions, outValues);
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
    CudaTrie.count(context, step, sides, firsts, sums, weights, outCounts);
  }

  @Override
  public boolean walksTries(TrieWalk walk) {
    return CudaTrieWalk.fits(walk);
  }

  @Override
  public long trieWalk(
      ExecContext context,
      TrieWalk walk,
      TrieWalk.Start start,
      long from,
      long to,
      TrieWalk.@Nullable Output output) {
    return CudaTrieWalk.walk(context, walk, start, from, to, output);
  }
}
