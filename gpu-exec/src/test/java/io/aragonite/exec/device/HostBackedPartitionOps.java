package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Partition operations of a device with memory of its own, run by its host; see {@link
 * DiscreteDevice}.
 */
final class HostBackedPartitionOps implements PartitionOps {
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
    try (StagedCall call = new StagedCall(context)) {
      Buffer keysBack = call.room(8L * count);
      Buffer idsBack = call.room(4L * count);
      long offsets = (4L << bits) + 4;
      Buffer offsetsBack = call.room(offsets);
      call.host()
          .partition()
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
  public PartitionFunction partitionFunction(
      ExecContext context, Buffer words, int wordBytes, int count) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer copy = call.in(words, (long) wordBytes * count);
      return call.host().partition().partitionFunction(call.host(), copy, wordBytes, count);
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
    try (StagedCall call = new StagedCall(context)) {
      long bytes = (long) wordBytes * count;
      long offsets = (4L << bits) + 4;
      Buffer wordsBack = call.room(bytes);
      Buffer offsetsBack = call.room(offsets);
      List<MovedColumn> onHost = new ArrayList<>();
      for (MovedColumn column : columns) {
        long size = (long) column.width() * count;
        onHost.add(new MovedColumn(call.in(column.in(), size), call.room(size), column.width()));
      }
      call.host()
          .partition()
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
    try (StagedCall call = new StagedCall(context)) {
      Buffer sizes = call.room(4L << bits);
      Buffer in = call.in(words, (long) wordBytes * count);
      call.host().partition().partitionSizes(call.host(), order, bits, in, wordBytes, count, sizes);
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
      SeparatePartitions aside) {
    try (StagedCall call = new StagedCall(context)) {
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
      call.host()
          .partition()
          .placePartitions(
              call.host(),
              order,
              bits,
              new MovedColumn(in, results.get(0), words.width()),
              count,
              moved,
              call.in(places, 4L << PLACE_BITS),
              new SeparatePartitions(
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
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room((long) outBytes * count);
      call.host()
          .partition()
          .keyPlaces(call.host(), call.in(keys, 4L * count), count, outBytes, result);
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
    try (StagedCall call = new StagedCall(context)) {
      long bytes = PackedKeys.offset(partBits, 1 << partBits, count);
      long starts = (4L << partBits) + 4;
      Buffer packed = call.room(bytes);
      Buffer startsBack = call.room(starts);
      Buffer groups = call.in(groupStarts, (4L << PackedKeys.SAID_BITS) + 4);
      call.host()
          .partition()
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
    try (StagedCall call = new StagedCall(context)) {
      Buffer keys = call.room(4L * count);
      Buffer in = call.in(packed, packed.size());
      call.host().partition().unpackKeys(call.host(), in, pieces, partBits, part, count, keys);
      call.back(keys, out, 4L * count);
    }
  }

  @Override
  public int partitionPasses(int bits) {
    return 1;
  }
}
