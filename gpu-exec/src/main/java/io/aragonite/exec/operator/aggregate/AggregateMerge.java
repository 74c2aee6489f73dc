package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.UnionAll;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes one result of the workers' groups: as they are if there was one worker; on one thread if
 * they are few; else each worker's groups are partitioned by a hash of their keys, and partitions
 * are merged in parallel.
 */
final class AggregateMerge {
  /** So many groups are merged faster than threads are woken. */
  private static final int FEW = 1 << 14;

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

  /**
   * The result of a grouping set. Closes the workers' groups.
   *
   * @param aside where distinct arguments of a set without keys have been put; null: nowhere
   */
  List<ColumnBatch> merge(
      int set, List<PartialAggregation> workers, @Nullable SpilledGroups aside) {
    boolean distincts = aside != null && spec.keys.get(set) == null && aside.hasDistincts();
    if (aside != null && distincts) {
      workers.forEach(worker -> aside.takeDistincts(context, worker.state()));
    }
    long total = 0;
    boolean runs = false;
    for (PartialAggregation worker : workers) {
      total += worker.groups();
      runs |= worker.hasRuns();
    }
    List<ColumnBatch> finished =
        workers.size() == 1
            ? workers.getFirst().finishWithoutTable(context)
            : PartialAggregation.finishInOrder(context, workers);
    if (finished != null) {
      return finished.stream().map(groups -> output(context, set, groups)).toList();
    }
    boolean few = total <= FEW || spec.keys.get(set) == null || !spec.onlySlots();
    if (runs || (workers.size() > 1 && !few)) {
      return new PartitionedMerge(spec, this, set, memory).run(context, parallel, workers);
    }
    List<GroupState> states = workers.stream().map(PartialAggregation::state).toList();
    GroupState all = states.size() == 1 ? states.getFirst() : mergeOnOneThread(set, states);
    if (aside != null && distincts) {
      aside.feedDistincts(context, all);
    }
    return List.of(output(context, set, all));
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
                Buffer place = numbers.slice(4L * done[0], 4L * batch.rows());
                context.device().transfers().copy(context, groups, place, 4L * batch.rows());
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

  /** A column of nulls. */
  static Column nothing(int rows) {
    ColumnShape shape = ColumnShape.of(DataType.of(TypeKind.NULL, true));
    return new Column(shape, rows, Buffer.EMPTY, Buffer.EMPTY, null, null);
  }

  static ColumnBatch keysOf(ColumnBatch batch, int width) {
    return new ColumnBatch(batch.columns().subList(0, width), batch.rows());
  }

  static List<Column> rest(ColumnBatch batch, int width) {
    return batch.columns().subList(width, batch.columns().size());
  }

  /** Shapes that the partial results of all states fit. */
  List<ColumnShape> unify(List<List<Column>> partials) {
    return unify(spec, partials);
  }

  static List<ColumnShape> unify(AggregateSpec spec, List<List<Column>> partials) {
    return unifyShapes(
        spec,
        partials.stream().map(columns -> columns.stream().map(Column::shape).toList()).toList());
  }

  /**
   * @param partials each by slot
   */
  static List<ColumnShape> unifyShapes(AggregateSpec spec, List<List<ColumnShape>> partials) {
    List<ColumnShape> shapes = new ArrayList<>();
    for (int i = 0; i < spec.slots.size(); i++) {
      int slot = i;
      shapes.add(
          UnionAll.unify(
              partials.stream().map(columns -> columns.get(slot)).toList(),
              spec.slots.get(i).partial()));
    }
    return shapes;
  }

  /** The node's columns of a state's groups. Closes the state. */
  ColumnBatch output(ExecContext worker, int set, GroupState state) {
    List<Column> bySlot = state.results(worker, memory);
    List<Column> byHost = new ArrayList<>();
    for (int i = 0; i < spec.hosts.size(); i++) {
      ColumnBatch rows = state.hostRows(i);
      byHost.add(
          HostAggregates.run(worker, spec.hosts.get(i).call(), rows, state.groups(), memory));
    }
    ColumnBatch result = output(worker, set, state.takeKeys(), bySlot, byHost);
    state.close();
    return result;
  }

  /** The node's columns of groups: keys, then results by slot. */
  ColumnBatch output(ExecContext worker, int set, ColumnBatch groups) {
    int width = spec.keyColumns(set).size();
    return output(worker, set, keysOf(groups, width), rest(groups, width), List.of());
  }

  private ColumnBatch output(
      ExecContext worker, int set, ColumnBatch keys, List<Column> bySlot, List<Column> byHost) {
    int groups = keys.rows();
    List<Column> columns = new ArrayList<>();
    List<Integer> places = spec.node.groupingSets().get(set);
    List<DataType> types = spec.node.types();
    for (int place = 0; place < spec.node.keys().size(); place++) {
      int at = places.indexOf(place);
      Column key =
          at >= 0
              ? keys.column(at)
              : nulls(worker, spec.keyShape(place).withMayBeNull(true), groups);
      columns.add(key.withType(types.get(place)));
    }
    boolean[] used = new boolean[bySlot.size()];
    for (AggregateSpec.CallResult result : spec.results) {
      Column column;
      if (result.host() >= 0) {
        column = byHost.get(result.host());
      } else {
        // Two calls of one slot must not own the same buffers: chunks free theirs one by one.
        column = bySlot.get(result.slot());
        column = used[result.slot()] ? worker.gather().materialize(worker, column, memory) : column;
        used[result.slot()] = true;
      }
      columns.add(column.withType(types.get(columns.size())));
    }
    if (spec.node.groupingIds()) {
      Buffer ids = memory.allocate(8L * groups);
      worker.scan().fill(worker, ids, 8, set, groups);
      ColumnShape shape = ColumnShape.of(types.get(columns.size())).withMayBeNull(false);
      columns.add(new Column(shape, groups, ids, Buffer.EMPTY, null, null));
    }
    return new ColumnBatch(columns, groups);
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
