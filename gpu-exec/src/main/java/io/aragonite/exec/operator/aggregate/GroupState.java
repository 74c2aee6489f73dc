package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.aggregate.AggregateSpec.AccumulatorSlot;
import io.aragonite.exec.operator.aggregate.AggregateSpec.Selected;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Groups of one grouping set and all that is known of them: keys, accumulators, distinct arguments,
 * rows of host aggregates. It takes in either input rows or other states. Not safe for several
 * threads.
 */
final class GroupState implements AutoCloseable {
  private final AggregateSpec spec;
  private final int set;
  private final QueryMemory memory;
  private final @Nullable GroupIndex index;
  private final List<Accumulator> accumulators = new ArrayList<>();
  private final List<GroupIndex> distincts = new ArrayList<>();
  private final List<ColumnStore> hostRows = new ArrayList<>();

  /**
   * @param inputs null if rows are taken in; else shapes of the partial results that are, by slot
   */
  GroupState(AggregateSpec spec, int set, ExecContext context, @Nullable List<ColumnShape> inputs) {
    this(spec, set, context, inputs, false);
  }

  /** Takes in rows, each as a group of its own: equal ones meet when groups are merged. */
  static GroupState ofRows(AggregateSpec spec, int set, ExecContext context) {
    return new GroupState(spec, set, context, null, true);
  }

  private GroupState(
      AggregateSpec spec,
      int set,
      ExecContext context,
      @Nullable List<ColumnShape> inputs,
      boolean eachRow) {
    this.spec = spec;
    this.set = set;
    this.memory = context.memory();
    GroupKeys keys = spec.keys.get(set);
    index = keys == null ? null : new GroupIndex(keys, context, memory, eachRow);
    for (int i = 0; i < spec.slots.size(); i++) {
      AccumulatorSlot slot = spec.slots.get(i);
      if (inputs == null || slot.distinct() >= 0) {
        ColumnShape arg = slot.arg() < 0 ? null : spec.inputs.get(slot.arg());
        accumulators.add(
            context.aggregate().newAccumulator(context, slot.function(), arg, slot.type(), memory));
      } else {
        accumulators.add(
            context
                .aggregate()
                .newAccumulator(
                    context, slot.function().merge(), inputs.get(i), slot.type(), memory));
      }
    }
    for (List<GroupKeys> perSet : spec.distinctKeys) {
      distincts.add(new GroupIndex(perSet.get(set), context, memory));
    }
    for (AggregateSpec.Host host : spec.hosts) {
      List<ColumnShape> shapes = new ArrayList<>();
      shapes.add(AggregateSpec.GROUP_SHAPE);
      host.columns().forEach(column -> shapes.add(spec.inputs.get(column)));
      hostRows.add(new ColumnStore(shapes, memory));
    }
  }

  /** Groups so far; without keys always one. */
  int groups() {
    return index == null ? 1 : index.groups();
  }

  /** Key columns, a row a group. */
  ColumnBatch keys() {
    return index == null ? new ColumnBatch(List.of(), 1) : index.keys();
  }

  /** As {@link #keys}, but the buffers are the caller's from now on. */
  ColumnBatch takeKeys() {
    return index == null ? keys() : index.takeKeys();
  }

  /** Takes in input rows. */
  void add(ExecContext context, ColumnBatch batch, List<Selected> masks) {
    Buffer groups = assign(context, columns(batch, spec.keyColumns(set)));
    for (int i = 0; i < accumulators.size(); i++) {
      AccumulatorSlot slot = spec.slots.get(i);
      if (slot.distinct() >= 0) {
        continue;
      }
      Column values = slot.arg() < 0 ? null : batch.column(slot.arg());
      Selected selected =
          slot.mask() < 0 ? new Selected(null, batch.rows()) : masks.get(slot.mask());
      accumulators
          .get(i)
          .update(context, values, groups, selected.positions(), selected.count(), groups());
    }
    for (int i = 0; i < distincts.size(); i++) {
      AggregateSpec.Distinct distinct = spec.distincts.get(i);
      ColumnBatch rows = rows(context, batch, groups, distinct.args(), distinct.mask(), masks);
      addDistinct(context, i, rows);
    }
    for (int i = 0; i < hostRows.size(); i++) {
      AggregateSpec.Host host = spec.hosts.get(i);
      Buffer numbers = groups == null ? zeros(context, batch.rows()) : groups;
      hostRows
          .get(i)
          .append(context, rows(context, batch, numbers, host.columns(), host.mask(), masks));
    }
  }

  private static Buffer zeros(ExecContext context, int rows) {
    Buffer zeros = context.scratch().allocate(4L * rows);
    context.scan().fill(context, zeros, 4, 0, rows);
    return zeros;
  }

  private @Nullable Buffer assign(ExecContext context, ColumnBatch keys) {
    if (index == null) {
      return null;
    }
    Buffer groups = context.scratch().allocate(4L * keys.rows());
    index.assign(context, keys, groups);
    return groups;
  }

  private void addDistinct(ExecContext context, int number, ColumnBatch rows) {
    Buffer unused = context.scratch().allocate(4L * rows.rows());
    distincts.get(number).assign(context, rows, unused);
  }

  /** The group number (if there is one) and some columns of the rows that a mask lets through. */
  private ColumnBatch rows(
      ExecContext context,
      ColumnBatch batch,
      @Nullable Buffer groups,
      List<Integer> columns,
      int mask,
      List<Selected> masks) {
    List<Column> all = new ArrayList<>();
    if (groups != null) {
      all.add(groupColumn(groups, batch.rows()));
    }
    columns.forEach(column -> all.add(batch.column(column)));
    ColumnBatch rows = new ColumnBatch(all, batch.rows());
    if (mask >= 0) {
      Selected selected = masks.get(mask);
      Buffer positions = selected.positions();
      if (positions != null) {
        return Batches.select(context, rows, positions, selected.count());
      }
    }
    return rows;
  }

  private static Column groupColumn(Buffer groups, int rows) {
    return new Column(AggregateSpec.GROUP_SHAPE, rows, groups, Buffer.EMPTY, null, null);
  }

  private static ColumnBatch columns(ColumnBatch batch, List<Integer> columns) {
    Column[] chosen = new Column[columns.size()];
    for (int i = 0; i < chosen.length; i++) {
      chosen[i] = batch.column(columns.get(i));
    }
    return new ColumnBatch(List.of(chosen), batch.rows());
  }

  /**
   * Takes in groups of another state.
   *
   * @param keys their keys
   * @param partials their partial results, by slot (those of distinct slots are not looked at)
   * @return the number here of each group, null if all is one group
   */
  @Nullable Buffer merge(ExecContext context, ColumnBatch keys, List<Column> partials) {
    Buffer groups = assign(context, keys);
    for (int i = 0; i < accumulators.size(); i++) {
      if (spec.slots.get(i).distinct() < 0) {
        accumulators.get(i).update(context, partials.get(i), groups, null, keys.rows(), groups());
      }
    }
    return groups;
  }

  /**
   * Takes in the distinct and host rows of another state.
   *
   * @param numbers for each group there the number here; null if all is one group
   */
  void mergeRows(ExecContext context, GroupState other, @Nullable Buffer numbers) {
    for (int i = 0; i < distincts.size(); i++) {
      int number = i;
      inBatches(
          context,
          other.distincts.get(i).keys(),
          batch ->
              addDistinct(
                  context, number, index == null ? batch : renumber(context, batch, numbers)));
    }
    for (int i = 0; i < hostRows.size(); i++) {
      ColumnStore rows = hostRows.get(i);
      inBatches(
          context,
          other.hostRows.get(i).view(),
          batch -> rows.append(context, renumber(context, batch, numbers)));
    }
  }

  /** Takes in arguments of a distinct set with the keys of their groups. */
  void mergeDistinct(ExecContext context, int number, ColumnBatch keys, List<Column> args) {
    addDistinct(context, number, numbered(context, keys, args));
  }

  /** Takes in rows of a host aggregate with the keys of their groups. */
  void mergeHost(ExecContext context, int number, ColumnBatch keys, List<Column> columns) {
    hostRows.get(number).append(context, numbered(context, keys, columns));
  }

  private ColumnBatch numbered(ExecContext context, ColumnBatch keys, List<Column> columns) {
    Buffer groups = Objects.requireNonNull(assign(context, keys));
    List<Column> all = new ArrayList<>();
    all.add(groupColumn(groups, keys.rows()));
    all.addAll(columns);
    return new ColumnBatch(all, keys.rows());
  }

  private static ColumnBatch renumber(
      ExecContext context, ColumnBatch batch, @Nullable Buffer numbers) {
    if (numbers == null) {
      return batch;
    }
    Buffer renumbered = context.scratch().allocate(4L * batch.rows());
    context
        .gather()
        .gatherIds(context, numbers, batch.column(0).values(), batch.rows(), renumbered);
    List<Column> columns = new ArrayList<>(batch.columns());
    columns.set(0, groupColumn(renumbered, batch.rows()));
    return new ColumnBatch(columns, batch.rows());
  }

  /** Hands rows without indirections out in batches, with fresh scratch memory for each. */
  static void inBatches(ExecContext context, ColumnBatch rows, Consumer<ColumnBatch> consumer) {
    int batchRows = context.device().properties().batchRows();
    for (int from = 0; from < rows.rows(); from += batchRows) {
      context.checkCancelled();
      int count = Math.min(batchRows, rows.rows() - from);
      long mark = context.scratch().mark();
      consumer.accept(Batches.slice(rows, from, count));
      context.scratch().release(mark);
    }
  }

  /**
   * Feeds distinct arguments to the accumulators that want them, those of other states too.
   *
   * @param number of the distinct set
   * @param rows group number (if there are keys), then the arguments; none of them fed before
   */
  void feedDistinct(ExecContext context, int number, ColumnBatch rows) {
    List<Integer> args = spec.distincts.get(number).args();
    int first = index == null ? 0 : 1;
    inBatches(
        context,
        rows,
        batch -> {
          Buffer groups = index == null ? null : batch.column(0).values();
          for (int s = 0; s < accumulators.size(); s++) {
            AccumulatorSlot slot = spec.slots.get(s);
            if (slot.distinct() == number) {
              Column values =
                  slot.arg() < 0 ? null : batch.column(first + args.indexOf(slot.arg()));
              accumulators.get(s).update(context, values, groups, null, batch.rows(), groups());
            }
          }
        });
  }

  /** Forgets the distinct arguments of a set, which somebody else remembers. */
  void forgetDistinct(ExecContext context, int number) {
    distincts.get(number).close();
    GroupKeys keys = spec.distinctKeys.get(number).get(set);
    distincts.set(number, new GroupIndex(keys, context, memory));
  }

  /** Partial results, by slot; empty columns in place of distinct slots. */
  List<Column> partials(ExecContext context, Allocator allocator) {
    List<Integer> counts =
        spec.slots.stream().map(slot -> slot.distinct() >= 0 ? 0 : groups()).toList();
    return context.aggregate().finish(context, accumulators, counts, true, allocator);
  }

  /** Final results, by slot, a row a group. */
  List<Column> results(ExecContext context, Allocator allocator) {
    for (int i = 0; i < distincts.size(); i++) {
      feedDistinct(context, i, distincts.get(i).keys());
    }
    List<Integer> counts = Collections.nCopies(accumulators.size(), groups());
    return context.aggregate().finish(context, accumulators, counts, false, allocator);
  }

  /** The distinct arguments of a set: group number, then the arguments. */
  ColumnBatch distinctRows(int number) {
    return distincts.get(number).keys();
  }

  /** Rows kept for a host aggregate: group number, then its columns. */
  ColumnBatch hostRows(int host) {
    return hostRows.get(host).view();
  }

  /** An estimate of the memory held. */
  long bytes() {
    long bytes = 16L * groups() * accumulators.size();
    bytes += index == null ? 0 : index.bytes();
    bytes += distinctBytes();
    for (ColumnStore rows : hostRows) {
      bytes += rows.bytes();
    }
    return bytes;
  }

  /** The part of {@link #bytes} that distinct arguments take. */
  long distinctBytes() {
    return distincts.stream().mapToLong(GroupIndex::bytes).sum();
  }

  @Override
  public void close() {
    if (index != null) {
      index.close();
    }
    accumulators.forEach(Accumulator::close);
    distincts.forEach(GroupIndex::close);
    hostRows.forEach(ColumnStore::close);
  }
}
