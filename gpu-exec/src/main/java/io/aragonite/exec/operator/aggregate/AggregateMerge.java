package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.ColumnStore;
import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.Batches;
import io.aragonite.exec.operator.UnionAll;
import io.aragonite.exec.pipeline.Parallel;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Makes one result of the workers' groups: as they are if there was one worker; on one thread if
 * they are few; else each worker's groups are partitioned by a hash of their keys, and partitions
 * are merged in parallel.
 */
final class AggregateMerge {
  /** So many groups are merged faster than threads are woken. */
  private static final int FEW = 1 << 14;

  /** Groups of a partition, so that its table stays in cache. */
  private static final int PARTITION_GROUPS = 1 << 14;

  private static final int MAX_BITS = 10;

  private final AggregateSpec spec;
  private final ExecContext context;
  private final Parallel parallel;
  private final QueryMemory memory;

  AggregateMerge(AggregateSpec spec, ExecContext context, Parallel parallel) {
    this.spec = spec;
    this.context = context;
    this.parallel = parallel;
    this.memory = context.memory();
  }

  /** The result of a grouping set. Closes the states. */
  List<ColumnBatch> merge(int set, List<GroupState> states) {
    if (states.size() == 1) {
      return List.of(output(context, set, states.getFirst()));
    }
    long total = 0;
    for (GroupState state : states) {
      total += state.groups();
    }
    if (total <= FEW || spec.keys.get(set) == null || !spec.onlySlots()) {
      return List.of(output(context, set, mergeOnOneThread(set, states)));
    }
    return mergePartitions(set, states, total);
  }

  private GroupState mergeOnOneThread(int set, List<GroupState> states) {
    List<List<Column>> partials = new ArrayList<>();
    for (GroupState state : states) {
      partials.add(state.partials(context, memory));
    }
    GroupState target = new GroupState(spec, set, context, unify(partials));
    for (int i = 0; i < states.size(); i++) {
      GroupState state = states.get(i);
      ColumnBatch keys = state.keys();
      boolean keyed = spec.keys.get(set) != null;
      Buffer numbers = keyed ? memory.allocate(4L * keys.rows()) : Buffer.EMPTY;
      List<Column> columns = partials.get(i);
      int width = keys.columns().size();
      int[] done = {0};
      // Without keys there is one row, with perhaps no column of that height: no batches then.
      if (!keyed) {
        target.merge(context, keys, columns);
      } else {
        GroupState.inBatches(
            context,
            beside(keys, columns),
            batch -> {
              Buffer groups = target.merge(context, keysOf(batch, width), rest(batch, width));
              if (groups != null) {
                Mem.copy(groups.address(), numbers.address() + 4L * done[0], 4L * batch.rows());
              }
              done[0] += batch.rows();
            });
      }
      target.mergeRows(context, state, keyed ? numbers : null);
      memory.free(numbers);
      columns.forEach(this::free);
      state.close();
    }
    return target;
  }

  /** Keys, then partials; distinct slots have no partials, which leaves a column of nulls. */
  private static ColumnBatch beside(ColumnBatch keys, List<Column> partials) {
    List<Column> all = new ArrayList<>(keys.columns());
    for (Column column : partials) {
      all.add(column.dataRows() == keys.rows() ? column : nothing(keys.rows()));
    }
    return new ColumnBatch(all, keys.rows());
  }

  private static Column nothing(int rows) {
    ColumnShape shape = ColumnShape.of(DataType.of(TypeKind.NULL, true));
    return new Column(shape, rows, Buffer.EMPTY, Buffer.EMPTY, null, null);
  }

  private static ColumnBatch keysOf(ColumnBatch batch, int width) {
    return new ColumnBatch(batch.columns().subList(0, width), batch.rows());
  }

  private static List<Column> rest(ColumnBatch batch, int width) {
    return batch.columns().subList(width, batch.columns().size());
  }

  /** Shapes that the partial results of all states fit. */
  private List<ColumnShape> unify(List<List<Column>> partials) {
    List<ColumnShape> shapes = new ArrayList<>();
    for (int i = 0; i < spec.slots.size(); i++) {
      int slot = i;
      shapes.add(
          UnionAll.unify(
              partials.stream().map(columns -> columns.get(slot).shape()).toList(),
              spec.slots.get(i).type()));
    }
    return shapes;
  }

  /**
   * A worker's groups by partition.
   *
   * @param ids numbers of the groups, those of partition p from {@code starts[p]} to {@code
   *     starts[p + 1]}
   */
  private record Partitioned(ColumnBatch keys, List<Column> partials, Buffer ids, Buffer starts) {}

  private List<ColumnBatch> mergePartitions(int set, List<GroupState> states, long total) {
    int bits = 2;
    while (bits < MAX_BITS && total >> bits > PARTITION_GROUPS) {
      bits++;
    }
    int partitionBits = bits;
    int partitions = 1 << bits;
    GroupKeys keys = Objects.requireNonNull(spec.keys.get(set));
    CompiledProjection hashes = GroupKeys.hashes(context.device().expressions(), keys.shapes());
    Partitioned[] parts = new Partitioned[states.size()];
    parallel.forEach(
        states.size(),
        (worker, i) -> parts[i] = partition(worker, states.get(i), hashes, partitionBits));
    List<ColumnShape> shapes = unify(Arrays.stream(parts).map(Partitioned::partials).toList());
    ColumnBatch[] chunks = new ColumnBatch[partitions];
    parallel.forEach(
        partitions, (worker, p) -> chunks[p] = mergePartition(worker, set, parts, shapes, p));
    for (int i = 0; i < parts.length; i++) {
      memory.free(parts[i].ids());
      memory.free(parts[i].starts());
      parts[i].partials().forEach(this::free);
      states.get(i).close();
    }
    return Arrays.stream(chunks).filter(chunk -> chunk.rows() > 0).toList();
  }

  private Partitioned partition(
      ExecContext worker, GroupState state, CompiledProjection hashes, int bits) {
    Primitives primitives = worker.device().primitives();
    List<Column> partials = state.partials(worker, memory);
    ColumnBatch keys = state.keys();
    int count = keys.rows();
    Buffer words = memory.allocate(8L * count);
    int[] done = {0};
    GroupState.inBatches(
        worker,
        keys,
        batch -> {
          Column hashed = hashes.evaluate(worker, batch).column(0);
          Mem.copy(hashed.values().address(), words.address() + 8L * done[0], 8L * batch.rows());
          done[0] += batch.rows();
        });
    Buffer numbers = memory.allocate(4L * count);
    primitives.iota(worker, numbers, 0, count);
    Buffer outWords = memory.allocate(8L * count);
    Buffer ids = memory.allocate(4L * count);
    Buffer starts = memory.allocate(4L * ((1 << bits) + 1));
    primitives.radixPartition(
        worker, words, numbers, count, Long.SIZE - bits, bits, outWords, ids, starts);
    memory.free(words);
    memory.free(numbers);
    memory.free(outWords);
    return new Partitioned(keys, partials, ids, starts);
  }

  private ColumnBatch mergePartition(
      ExecContext worker, int set, Partitioned[] parts, List<ColumnShape> shapes, int p) {
    GroupState target = new GroupState(spec, set, worker, shapes);
    int batchRows = worker.device().properties().batchRows();
    for (Partitioned part : parts) {
      int from = Mem.getInt(part.starts().address() + 4L * p);
      int end = Mem.getInt(part.starts().address() + 4L * p + 4);
      while (from < end) {
        worker.checkCancelled();
        int count = Math.min(batchRows, end - from);
        RowIds ids = new RowIds(part.ids().slice(4L * from, 4L * count), count, false);
        long mark = worker.scratch().mark();
        target.merge(
            worker,
            new ColumnBatch(through(part.keys().columns(), ids), count),
            through(part.partials(), ids));
        worker.scratch().release(mark);
        from += count;
      }
    }
    return output(worker, set, target);
  }

  private static List<Column> through(List<Column> columns, RowIds ids) {
    return columns.stream().map(column -> column.withRowIds(ids)).toList();
  }

  /** The node's columns of a state's groups. Closes the state. */
  private ColumnBatch output(ExecContext worker, int set, GroupState state) {
    List<Column> bySlot = state.results(worker, memory);
    int groups = state.groups();
    List<Column> columns = new ArrayList<>();
    List<Integer> places = spec.node.groupingSets().get(set);
    List<DataType> types = spec.node.types();
    ColumnBatch keys = state.takeKeys();
    for (int place = 0; place < spec.node.keys().size(); place++) {
      int at = places.indexOf(place);
      Column key =
          at >= 0
              ? keys.column(at)
              : nulls(worker, spec.keyShape(place).withMayBeNull(true), groups);
      columns.add(typed(key, types.get(place)));
    }
    boolean[] used = new boolean[bySlot.size()];
    for (int i = 0; i < spec.results.size(); i++) {
      AggregateSpec.Result result = spec.results.get(i);
      Column column;
      if (result.host() >= 0) {
        AggregateSpec.Host host = spec.hosts.get(result.host());
        ColumnBatch rows = state.hostRows(result.host());
        column = HostAggregates.run(worker, host.call(), rows, groups, memory);
      } else {
        // Two calls of one slot must not own the same buffers: chunks free theirs one by one.
        column = bySlot.get(result.slot());
        column =
            used[result.slot()]
                ? worker.device().primitives().materialize(worker, column, memory)
                : column;
        used[result.slot()] = true;
      }
      columns.add(typed(column, types.get(columns.size())));
    }
    if (spec.node.groupingIds()) {
      Buffer ids = memory.allocate(8L * groups);
      worker.device().primitives().fill(worker, ids, 8, set, groups);
      ColumnShape shape = ColumnShape.of(types.get(columns.size())).withMayBeNull(false);
      columns.add(new Column(shape, groups, ids, Buffer.EMPTY, null, null));
    }
    state.close();
    return new ColumnBatch(columns, groups);
  }

  private static Column typed(Column column, DataType type) {
    return new Column(
        column.shape().withType(type),
        column.dataRows(),
        column.values(),
        column.offsets(),
        column.validity(),
        null);
  }

  private Column nulls(ExecContext worker, ColumnShape shape, int rows) {
    ColumnStore store = new ColumnStore(List.of(shape), memory);
    store.append(worker, new ColumnBatch(List.of(nothing(rows)), rows));
    return store.take().column(0);
  }

  private void free(Column column) {
    Batches.free(memory, column);
  }
}
