package io.aragonite.exec.device;

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
 * The primitives of a device with memory of its own, run by its host: each copies its inputs to the
 * host, calls the host's primitive and copies the outputs back. Tables, groups and accumulators
 * live on the host. They show that operators and contracts need nothing else of a device than its
 * primitives. What runs here is counted in the figures "on host" of the plan node.
 */
public class HostBackedPrimitives implements Primitives {
  /** Held while flags that several workers mark are on the host. */
  private final Object marks = new Object();

  @Override
  public void fill(ExecContext context, Buffer out, int width, long value, int count) {
    try (HostCall call = new HostCall(context)) {
      long bytes = (long) width * count;
      Buffer result = call.room(bytes);
      call.primitives().fill(call.host(), result, width, value, count);
      call.back(result, out, bytes);
    }
  }

  @Override
  public void iota(ExecContext context, Buffer out, int start, int count) {
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room(4L * count);
      call.primitives().iota(call.host(), result, start, count);
      call.back(result, out, 4L * count);
    }
  }

  @Override
  public void histogram(
      ExecContext context, Buffer keys, int count, int shift, int bits, Buffer counts) {
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room(4L << bits);
      call.primitives()
          .histogram(call.host(), call.in(keys, 8L * count), count, shift, bits, result);
      call.back(result, counts, 4L << bits);
    }
  }

  @Override
  public long exclusiveSum(ExecContext context, Buffer in, int count, Buffer out) {
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room(8L * count + 8);
      long sum =
          call.primitives().exclusiveSum(call.host(), call.in(in, 4L * count), count, result);
      call.back(result, out, 8L * count + 8);
      return sum;
    }
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
    try (HostCall call = new HostCall(context)) {
      Buffer keysBack = call.room(8L * count);
      Buffer idsBack = call.room(4L * count);
      long offsets = (4L << bits) + 4;
      Buffer offsetsBack = call.room(offsets);
      call.primitives()
          .radixPartition(
              call.host(),
              call.in(keys, 8L * count),
              call.in(ids, 4L * count),
              count,
              shift,
              bits,
              keysBack,
              idsBack,
              offsetsBack);
      call.back(keysBack, outKeys, 8L * count);
      call.back(idsBack, outIds, 4L * count);
      call.back(offsetsBack, outOffsets, offsets);
    }
  }

  @Override
  public void narrow(
      ExecContext context, Buffer words, int count, long base, int width, Buffer out) {
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room((long) width * count);
      call.primitives().narrow(call.host(), call.in(words, 8L * count), count, base, width, result);
      call.back(result, out, (long) width * count);
    }
  }

  @Override
  public void widen(ExecContext context, Buffer in, int count, Buffer out) {
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room(8L * count);
      call.primitives().widen(call.host(), call.in(in, 4L * count), count, result);
      call.back(result, out, 8L * count);
    }
  }

  @Override
  public PartitionFunction partitionFunction(
      ExecContext context, Buffer words, int wordBytes, int count) {
    try (HostCall call = new HostCall(context)) {
      Buffer copy = call.in(words, (long) wordBytes * count);
      return call.primitives().partitionFunction(call.host(), copy, wordBytes, count);
    }
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
    try (HostCall call = new HostCall(context)) {
      long bytes = (long) wordBytes * count;
      long offsets = (4L << bits) + 4;
      Buffer wordsBack = call.room(bytes);
      Buffer offsetsBack = call.room(offsets);
      List<MovedColumn> onHost = new ArrayList<>();
      for (MovedColumn column : columns) {
        long size = (long) column.width() * count;
        onHost.add(new MovedColumn(call.in(column.in(), size), call.room(size), column.width()));
      }
      call.primitives()
          .partitionRows(
              call.host(),
              order,
              bits,
              call.in(words, bytes),
              wordBytes,
              count,
              wordsBack,
              onHost,
              offsetsBack);
      call.back(wordsBack, outWords, bytes);
      for (int i = 0; i < columns.size(); i++) {
        MovedColumn moved = onHost.get(i);
        call.back(moved.out(), columns.get(i).out(), (long) moved.width() * count);
      }
      call.back(offsetsBack, outOffsets, offsets);
    }
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
    try (HostCall call = new HostCall(context)) {
      Buffer sizes = call.room(4L << bits);
      Buffer in = call.in(words, (long) wordBytes * count);
      call.primitives().partitionSizes(call.host(), order, bits, in, wordBytes, count, sizes);
      call.back(sizes, outSizes, 4L << bits);
    }
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
    try (HostCall call = new HostCall(context)) {
      List<Buffer> outs = new ArrayList<>(List.of(words.out(), aside.words()));
      columns.forEach(column -> outs.add(column.out()));
      outs.addAll(aside.columns());
      // What is behind and between the partitions stays as it is.
      List<Buffer> results = outs.stream().map(out -> call.in(out, out.size())).toList();
      List<MovedColumn> moved = new ArrayList<>();
      for (int i = 0; i < columns.size(); i++) {
        MovedColumn column = columns.get(i);
        Buffer in = call.in(column.in(), (long) column.width() * count);
        moved.add(new MovedColumn(in, results.get(2 + i), column.width()));
      }
      Buffer in = call.in(words.in(), (long) words.width() * count);
      call.primitives()
          .placePartitions(
              call.host(),
              order,
              bits,
              new MovedColumn(in, results.get(0), words.width()),
              count,
              moved,
              call.in(places, 4L << PLACE_BITS),
              new Aside(
                  aside.partitions(),
                  results.get(1),
                  results.subList(2 + columns.size(), results.size())));
      for (int i = 0; i < outs.size(); i++) {
        call.back(results.get(i), outs.get(i), outs.get(i).size());
      }
    }
  }

  @Override
  public void keyPlaces(ExecContext context, Buffer keys, int count, int outBytes, Buffer out) {
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room((long) outBytes * count);
      call.primitives().keyPlaces(call.host(), call.in(keys, 4L * count), count, outBytes, result);
      call.back(result, out, (long) outBytes * count);
    }
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
    try (HostCall call = new HostCall(context)) {
      long bytes = PackedKeys.offset(partBits, 1 << partBits, count);
      long starts = (4L << partBits) + 4;
      Buffer packed = call.room(bytes);
      Buffer startsBack = call.room(starts);
      Buffer groups = call.in(groupStarts, (4L << PackedKeys.SAID_BITS) + 4);
      call.primitives()
          .packPlaces(
              call.host(),
              call.in(places, 4L * count),
              count,
              groups,
              partBits,
              packed,
              startsBack);
      call.back(packed, out, bytes);
      call.back(startsBack, outPartStarts, starts);
    }
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
    try (HostCall call = new HostCall(context)) {
      Buffer keys = call.room(4L * count);
      Buffer in = call.in(packed, packed.size());
      call.primitives().unpackKeys(call.host(), in, pieces, partBits, part, count, keys);
      call.back(keys, out, 4L * count);
    }
  }

  @Override
  public void sortPairs(
      ExecContext context, Buffer keys, Buffer ids, int count, int fromBit, int toBit) {
    try (HostCall call = new HostCall(context)) {
      Buffer hostKeys = call.in(keys, 8L * count);
      Buffer hostIds = call.in(ids, 4L * count);
      call.primitives().sortPairs(call.host(), hostKeys, hostIds, count, fromBit, toBit);
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
    try (HostCall call = new HostCall(context)) {
      Buffer hostRows = rows == null ? null : call.in(rows, 4L * (from + count));
      Buffer result = call.in(words, 8L * count);
      call.primitives()
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
    try (HostCall call = new HostCall(context)) {
      Buffer tiesBack = call.room(4L * count);
      Buffer idsBack = call.room(4L * count);
      Ties kept =
          call.primitives()
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
  public List<@Nullable ValueRange> valueRanges(ExecContext context, List<Column> columns) {
    try (HostCall call = new HostCall(context)) {
      return call.primitives().valueRanges(call.host(), columns.stream().map(call::in).toList());
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
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room(4L * needleCount);
      call.primitives()
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
  public boolean sorted(ExecContext context, Buffer words, int count) {
    try (HostCall call = new HostCall(context)) {
      return call.primitives().sorted(call.host(), call.in(words, 8L * count), count);
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
    try (HostCall call = new HostCall(context)) {
      Buffer firsts = call.room(4L * needleCount);
      Buffer counts = call.room(4L * needleCount);
      call.primitives()
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
  public void markRanges(
      ExecContext context, Buffer firsts, Buffer counts, int leftRows, int rightRows, Buffer out) {
    try (HostCall call = new HostCall(context)) {
      long bytes = RangeMarks.bytes(leftRows, rightRows);
      Buffer marks = call.room(bytes);
      call.primitives()
          .markRanges(
              call.host(),
              call.in(firsts, 4L * leftRows),
              call.in(counts, 4L * leftRows),
              leftRows,
              rightRows,
              marks);
      call.back(marks, out, bytes);
    }
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
    try (HostCall call = new HostCall(context)) {
      Buffer rows = call.room(4L * outCount);
      Buffer positions = call.room(4L * outCount);
      call.primitives()
          .expandRanges(
              call.host(),
              call.in(sums, 8L * count + 8),
              call.in(firsts, 4L * count),
              count,
              from,
              outCount,
              rows,
              positions);
      call.back(rows, outRow, 4L * outCount);
      call.back(positions, outPosition, 4L * outCount);
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
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room(4L * parts + 4);
      call.primitives()
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
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room(4L * count + 4);
      int runs =
          call.primitives().runLengthEncode(call.host(), call.in(keys, 8L * count), count, result);
      call.back(result, outStarts, 4L * runs + 4);
      return runs;
    }
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
    try (HostCall call = new HostCall(context)) {
      Buffer rows = call.room(4L * outCount);
      Buffer places = call.room(4L * outCount);
      Buffer hostSums = call.in(sums, 8L * count + 8);
      call.primitives().expand(call.host(), hostSums, count, from, outCount, rows, places);
      call.back(rows, outRow, 4L * outCount);
      call.back(places, outPlace, 4L * outCount);
    }
  }

  @Override
  public int select(ExecContext context, Buffer flags, int count, boolean set, Buffer out) {
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room(4L * count);
      int found = call.primitives().select(call.host(), call.in(flags, count), count, set, result);
      call.back(result, out, 4L * found);
      return found;
    }
  }

  @Override
  public int selectIds(ExecContext context, Buffer ids, int count, boolean matched, Buffer out) {
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room(4L * count);
      int found =
          call.primitives()
              .selectIds(call.host(), call.in(ids, 4L * count), count, matched, result);
      call.back(result, out, 4L * found);
      return found;
    }
  }

  @Override
  public void mark(ExecContext context, Buffer ids, int count, Buffer flags) {
    try (HostCall call = new HostCall(context)) {
      Buffer hostIds = call.in(ids, 4L * count);
      synchronized (marks) {
        Buffer hostFlags = call.in(flags, flags.size());
        call.primitives().mark(call.host(), hostIds, count, hostFlags);
        call.back(hostFlags, flags, flags.size());
      }
    }
  }

  @Override
  public void gatherIds(ExecContext context, Buffer ids, Buffer positions, int count, Buffer out) {
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room(4L * count);
      call.primitives()
          .gatherIds(
              call.host(), call.in(ids, ids.size()), call.in(positions, 4L * count), count, result);
      call.back(result, out, 4L * count);
    }
  }

  @Override
  public Column materialize(ExecContext context, Column column, Allocator allocator) {
    try (HostCall call = new HostCall(context)) {
      Column result =
          call.primitives().materialize(call.host(), call.in(column), context.hostScratch());
      return call.back(result, allocator);
    }
  }

  @Override
  public void append(ExecContext context, Column column, GrowingColumn target) {
    if (column.rows() > 0) {
      try (HostCall call = new HostCall(context)) {
        HostBackedAppend.append(context, call, column, target);
      }
    }
  }

  @Override
  public void rehash(
      ExecContext context, Buffer words, Buffer groups, Buffer positions, int count, Buffer out) {
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room(8L * count);
      call.primitives()
          .rehash(
              call.host(),
              call.in(words, words.size()),
              call.in(groups, groups.size()),
              call.in(positions, 4L * count),
              count,
              result);
      call.back(result, out, 8L * count);
    }
  }

  @Override
  public void scatter(
      ExecContext context, Buffer in, Buffer ids, int count, int width, Buffer out) {
    try (HostCall call = new HostCall(context)) {
      // What no id names must stay.
      Buffer result = call.in(out, out.size());
      Buffer values = call.in(in, (long) width * count);
      call.primitives()
          .scatter(call.host(), values, call.in(ids, 4L * count), count, width, result);
      call.back(result, out, out.size());
    }
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
    try (HostCall call = new HostCall(context)) {
      Column result =
          call.primitives()
              .segmentedReduce(
                  call.host(),
                  function,
                  call.in(values),
                  call.in(starts, 4L * segments + 4),
                  segments,
                  type,
                  context.hostScratch());
      return call.back(result, allocator);
    }
  }

  @Override
  public HashTable hashBuild(
      ExecContext context, Buffer words, @Nullable RowIds rows, int count, QueryMemory memory) {
    try (HostCall call = new HostCall(context)) {
      RowIds hostRows =
          rows == null ? null : new RowIds(call.in(rows.ids(), 4L * count), count, false);
      Buffer hostWords = call.in(words, 8L * count);
      return call.primitives()
          .hashBuild(call.host(), hostWords, hostRows, count, context.hostMemory());
    }
  }

  @Override
  public void hashLookup(
      ExecContext context, HashTable table, Buffer words, int count, Buffer outRows) {
    try (HostCall call = new HostCall(context)) {
      Buffer result = call.room(4L * count);
      call.primitives().hashLookup(call.host(), table, call.in(words, 8L * count), count, result);
      call.back(result, outRows, 4L * count);
    }
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
    try (HostCall call = new HostCall(context)) {
      Buffer probe = call.room(4L * capacity);
      Buffer build = call.room(4L * capacity);
      Buffer hostWords = call.in(words, 8L * count);
      int pairs =
          call.primitives()
              .hashProbe(call.host(), table, hostWords, count, cursor, probe, build, capacity);
      call.back(probe, outProbe, 4L * pairs);
      call.back(build, outBuild, 4L * pairs);
      return pairs;
    }
  }

  @Override
  public GroupTable newGroupTable(ExecContext context, QueryMemory memory) {
    ExecContext host = context.onHost();
    return host.device().primitives().newGroupTable(host, host.memory());
  }

  @Override
  public int assignGroups(
      ExecContext context,
      GroupTable table,
      Buffer words,
      int count,
      Buffer outGroups,
      Buffer outNewRows) {
    try (HostCall call = new HostCall(context)) {
      Buffer groups = call.room(4L * count);
      Buffer newRows = call.room(4L * count);
      Buffer hostWords = call.in(words, 8L * count);
      int added =
          call.primitives().assignGroups(call.host(), table, hostWords, count, groups, newRows);
      call.back(groups, outGroups, 4L * count);
      call.back(newRows, outNewRows, 4L * added);
      return added;
    }
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
    return HostBackedTries.level(
        context, words, count, shift, bits, min, outWords, outValues, outStarts);
  }

  @Override
  public void trieStarts(
      ExecContext context, Buffer words, int count, int shift, int size, Buffer outStarts) {
    HostBackedTries.starts(context, words, count, shift, size, outStarts);
  }

  @Override
  public void trieRanges(
      ExecContext context, TrieStep step, Buffer outSides, Buffer outFirsts, Buffer outCounts) {
    HostBackedTries.ranges(context, step, outSides, outFirsts, outCounts);
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
    return HostBackedTries.match(
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
    HostBackedTries.count(context, step, sides, firsts, sums, weights, outCounts);
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
    return HostBackedTries.walk(context, walk, start, from, to, output);
  }

  @Override
  public Accumulator newAccumulator(
      ExecContext context,
      AggregateFunction function,
      @Nullable ColumnShape input,
      DataType type,
      QueryMemory memory) {
    ExecContext host = context.onHost();
    return new HostAccumulator(
        host.device().primitives().newAccumulator(host, function, input, type, host.memory()));
  }

  /** State on the host. */
  private record HostAccumulator(Accumulator state) implements Accumulator {
    @Override
    public void update(
        ExecContext context,
        @Nullable Column values,
        @Nullable Buffer groups,
        @Nullable Buffer mask,
        int count,
        int groupCount) {
      try (HostCall call = new HostCall(context)) {
        Buffer hostMask = mask == null ? null : call.in(mask, 4L * count);
        // With a mask there are more rows than counted: as many as there are group numbers.
        Buffer hostGroups =
            groups == null ? null : call.in(groups, mask == null ? 4L * count : groups.size());
        Column hostValues = values == null ? null : call.in(values);
        state.update(call.host(), hostValues, hostGroups, hostMask, count, groupCount);
      }
    }

    @Override
    public Column finish(ExecContext context, int groupCount, Allocator allocator) {
      try (HostCall call = new HostCall(context)) {
        return call.back(state.finish(call.host(), groupCount, context.hostScratch()), allocator);
      }
    }

    @Override
    public Column finishPart(ExecContext context, int groupCount, Allocator allocator) {
      try (HostCall call = new HostCall(context)) {
        Column part = state.finishPart(call.host(), groupCount, context.hostScratch());
        return call.back(part, allocator);
      }
    }

    @Override
    public void close() {
      state.close();
    }
  }

  @Override
  public int directBits(ExecContext context, PartitionFunction order) {
    return Boolean.getBoolean(HostDirectRows.PROPERTY) && !order.mixed() && order.range() >= 0
        ? 1
        : -1;
  }

  @Override
  public @Nullable DirectRows directRows(
      ExecContext context,
      PartitionFunction order,
      int partitionBits,
      @Nullable Partitions rows,
      int wordBytes,
      int count,
      QueryMemory memory) {
    return rows != null || count == 0
        ? null
        : new HostDirectRows(order, partitionBits, wordBytes, count);
  }
}
