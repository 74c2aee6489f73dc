package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Merges many groups of several workers: in partitions by a hash of their keys, in parallel. */
final class PartitionedMerge {
  /** Groups of a partition, so that its table stays in cache. */
  private static final int PARTITION_GROUPS = 1 << 15;

  private static final int MAX_BITS = 10;

  private final AggregateSpec spec;
  private final AggregateMerge merge;
  private final int set;
  private final QueryMemory memory;

  PartitionedMerge(AggregateSpec spec, AggregateMerge merge, int set, QueryMemory memory) {
    this.spec = spec;
    this.merge = merge;
    this.set = set;
    this.memory = memory;
  }

  /**
   * A run of groups by partition.
   *
   * @param run keys, then partial results
   * @param ids row numbers, those of partition p from {@code starts[p]} to {@code starts[p + 1]}
   */
  private record Partitioned(ColumnBatch run, Buffer ids, int[] starts) {}

  /** The result, in chunks. Closes the workers' groups. */
  List<ColumnBatch> run(ExecContext context, Parallel parallel, List<PartialAggregation> workers) {
    List<List<ColumnStore>> stores = new ArrayList<>();
    for (int i = 0; i < workers.size(); i++) {
      stores.add(List.of());
    }
    parallel.forEach(workers.size(), (worker, i) -> stores.set(i, workers.get(i).takeRuns(worker)));
    List<ColumnStore> runs = stores.stream().flatMap(List::stream).toList();
    long total = runs.stream().mapToLong(ColumnStore::rows).sum();
    int bits = 2;
    while (bits < MAX_BITS && total >> bits > PARTITION_GROUPS) {
      bits++;
    }
    int partitionBits = bits;
    GroupKeys keys = Objects.requireNonNull(spec.keys.get(set));
    CompiledProjection hashes = GroupKeys.hashes(context.device().expressions(), keys.shapes());
    int width = keys.shapes().size();
    Partitioned[] parts = new Partitioned[runs.size()];
    parallel.forEach(
        parts.length,
        (worker, i) ->
            parts[i] = partition(worker, runs.get(i).view(), width, hashes, partitionBits));
    List<ColumnShape> shapes =
        merge.unify(Arrays.stream(parts).map(part -> rest(part.run(), width)).toList());
    ColumnBatch[] chunks = new ColumnBatch[1 << bits];
    parallel.forEach(
        chunks.length, (worker, p) -> chunks[p] = mergePartition(worker, parts, shapes, width, p));
    for (Partitioned part : parts) {
      memory.free(part.ids());
    }
    runs.forEach(ColumnStore::close);
    return Arrays.stream(chunks).filter(chunk -> chunk.rows() > 0).toList();
  }

  private static List<Column> rest(ColumnBatch batch, int width) {
    return batch.columns().subList(width, batch.columns().size());
  }

  private Partitioned partition(
      ExecContext worker, ColumnBatch run, int width, CompiledProjection hashes, int bits) {
    int count = run.rows();
    Buffer words = memory.allocate(8L * count);
    int[] done = {0};
    GroupState.inBatches(
        worker,
        new ColumnBatch(run.columns().subList(0, width), count),
        batch -> {
          Column hashed = hashes.evaluate(worker, batch).column(0);
          Buffer place = words.slice(8L * done[0], 8L * batch.rows());
          worker.device().transfers().copy(worker, hashed.values(), place, 8L * batch.rows());
          done[0] += batch.rows();
        });
    Buffer numbers = memory.allocate(4L * count);
    worker.scan().iota(worker, numbers, 0, count);
    Buffer outWords = memory.allocate(8L * count);
    Buffer ids = memory.allocate(4L * count);
    Buffer starts = memory.allocate(4L * ((1 << bits) + 1));
    worker
        .partition()
        .radixPartition(
            worker, words, numbers, count, Long.SIZE - bits, bits, outWords, ids, starts);
    memory.free(words);
    memory.free(numbers);
    memory.free(outWords);
    int[] hostStarts = HostColumns.ints(worker, starts, (1 << bits) + 1);
    memory.free(starts);
    return new Partitioned(run, ids, hostStarts);
  }

  private ColumnBatch mergePartition(
      ExecContext worker, Partitioned[] parts, List<ColumnShape> shapes, int width, int p) {
    GroupState target = new GroupState(spec, set, worker, shapes);
    int batchRows = worker.device().properties().batchRows();
    for (Partitioned part : parts) {
      int from = part.starts()[p];
      int end = part.starts()[p + 1];
      while (from < end) {
        worker.checkCancelled();
        int count = Math.min(batchRows, end - from);
        RowIds ids = new RowIds(part.ids().slice(4L * from, 4L * count), count, false);
        List<Column> columns =
            part.run().columns().stream().map(column -> column.withRowIds(ids)).toList();
        long mark = worker.scratch().mark();
        target.merge(
            worker,
            new ColumnBatch(columns.subList(0, width), count),
            columns.subList(width, columns.size()));
        worker.scratch().release(mark);
        from += count;
      }
    }
    return merge.output(worker, set, target);
  }
}
