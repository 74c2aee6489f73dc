package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.operator.Partitioner;
import io.aragonite.exec.operator.SpillPartitions;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Groups of a grouping set that have been put aside: keys and partial results, keys and distinct
 * arguments, keys and rows of host aggregates. A group may be in it many times. Safe for several
 * threads.
 */
final class SpilledGroups {
  private final AggregateSpec spec;
  private final int set;
  private final QuerySpill spill;
  private final QueryMetrics.NodeMetrics node;

  /** Keys and partial results, a collection for each storage that these had. */
  private final List<SpillableRowCollection> partials = new ArrayList<>();

  /** For each distinct set, keys and arguments. */
  private final List<SpillableRowCollection> distincts = new ArrayList<>();

  /** For each host aggregate, keys and columns. */
  private final List<SpillableRowCollection> hosts = new ArrayList<>();

  SpilledGroups(AggregateSpec spec, int set, QuerySpill spill, QueryMetrics.NodeMetrics node) {
    this.spec = spec;
    this.set = set;
    this.spill = spill;
    this.node = node;
    for (AggregateSpec.Distinct distinct : spec.distincts) {
      distincts.add(newRowCollection(distinct.args()));
    }
    for (AggregateSpec.Host host : spec.hosts) {
      hosts.add(newRowCollection(host.columns()));
    }
  }

  private SpillableRowCollection newRowCollection(List<Integer> columns) {
    List<ColumnShape> shapes = new ArrayList<>();
    spec.keyColumns(set).forEach(column -> shapes.add(spec.inputs.get(column)));
    columns.forEach(column -> shapes.add(spec.inputs.get(column)));
    return spill.newRowCollection(shapes, node);
  }

  synchronized boolean isEmpty() {
    return partials.isEmpty();
  }

  /** Bytes put aside. */
  long bytes() {
    return Stream.of(partials, distincts, hosts)
        .flatMap(List::stream)
        .mapToLong(SpillableRowCollection::bytes)
        .sum();
  }

  List<SpillableRowCollection> partials() {
    return partials;
  }

  List<SpillableRowCollection> distincts() {
    return distincts;
  }

  List<SpillableRowCollection> hosts() {
    return hosts;
  }

  /** Takes groups, keys then partial results, whose buffers are its own from then on. */
  void take(ColumnBatch groups) {
    int width = spec.keyColumns(set).size();
    SpillableRowCollection target;
    synchronized (this) {
      target =
          partials.stream()
              .filter(collection -> GroupRuns.fits(groups.shapes(), collection.shapes(), width))
              .findFirst()
              .orElse(null);
      if (target == null) {
        target = spill.newRowCollection(GroupRuns.roomy(groups.shapes(), width), node);
        partials.add(target);
      }
    }
    target.take(groups);
  }

  /** Takes all that a state knows, and closes it. */
  void take(ExecContext context, GroupState state) {
    int rows = state.groups();
    ColumnBatch keys = state.keys();
    for (int i = 0; i < distincts.size(); i++) {
      copy(context, keys, state.distinctRows(i), distincts.get(i));
    }
    for (int i = 0; i < hosts.size(); i++) {
      copy(context, keys, state.hostRows(i), hosts.get(i));
    }
    List<Column> columns = new ArrayList<>();
    for (Column column : state.partials(context, context.memory())) {
      columns.add(column.dataRows() == rows ? column : AggregateMerge.nothing(rows));
    }
    columns.addAll(0, state.takeKeys().columns());
    state.close();
    if (rows > 0) {
      take(new ColumnBatch(columns, rows));
    }
  }

  /** Takes the distinct arguments of the one group that there is without keys. */
  void takeDistincts(ExecContext context, GroupState state) {
    for (int i = 0; i < distincts.size(); i++) {
      SpillableRowCollection.Writer writer = distincts.get(i).newWriter();
      GroupState.inBatches(context, state.distinctRows(i), batch -> writer.append(context, batch));
      writer.seal();
      state.forgetDistinct(context, i);
    }
  }

  /** Whether distinct arguments have been put aside. */
  boolean hasDistincts() {
    return distincts.stream().anyMatch(collection -> collection.rows() > 0);
  }

  /** Feeds the distinct arguments that were put aside to the one group that there is. */
  void feedDistincts(ExecContext context, GroupState state) {
    for (int i = 0; i < distincts.size(); i++) {
      feedDistincts(context, state, i);
    }
  }

  /** Part by part: what is equal is in one part. */
  private void feedDistincts(ExecContext context, GroupState state, int number) {
    GroupKeys keys = spec.distinctKeys.get(number).get(set);
    Partitioner.PartitionWords words =
        Partitioner.PartitionWords.of(
            GroupKeys.hashes(context.device().expressions(), keys.shapes()));
    int workers = context.parallel().workers();
    SpillPartitions<SpillableRowCollection> parts =
        new SpillPartitions<>(
            spill, node, SpilledAggregate.MOST_BITS, SpillableRowCollection::bytes);
    parts.add(List.of(distincts.get(number)), false);
    for (var part = parts.poll(); part != null; part = parts.poll()) {
      SpillableRowCollection rows = part.rows();
      long need = SpilledAggregate.need(rows.bytes(), rows.rows());
      if (need <= spill.room() || part.whole()) {
        try (GroupIndex index = new GroupIndex(keys, context, context.memory())) {
          assign(context, rows, index);
          state.feedDistinct(context, number, index.keys());
        }
        node.figures.merge("passes", 1L, Long::sum);
      } else {
        SpillPartitions<SpillableRowCollection>.Split split =
            parts.split(part, Partitioner.bits(need, spill.room(), workers), workers);
        List<SpillableRowCollection> children = split.children(rows.shapes());
        split.partitioner(children, words, Long.SIZE).runOver(context, rows);
        split.push(children::get);
      }
    }
  }

  /** Uses up rows. */
  private static void assign(ExecContext context, SpillableRowCollection rows, GroupIndex index) {
    for (int block = 0; block < rows.size(); block++) {
      rows.readInBatches(
          context,
          block,
          (worker, batch) ->
              index.assign(worker, batch, worker.scratch().allocate(4L * batch.rows())));
      rows.free(block);
    }
    rows.close();
  }

  /** Rows with the number of their group in front, to rows with its keys in front. */
  private static void copy(
      ExecContext context, ColumnBatch keys, ColumnBatch rows, SpillableRowCollection to) {
    SpillableRowCollection.Writer writer = to.newWriter();
    GroupState.inBatches(
        context,
        rows,
        batch -> {
          RowIds ids = new RowIds(batch.column(0).values(), batch.rows(), false);
          List<Column> columns = new ArrayList<>(Batches.select(context, keys.columns(), ids));
          columns.addAll(batch.columns().subList(1, batch.columns().size()));
          writer.append(context, new ColumnBatch(columns, batch.rows()));
        });
    writer.seal();
  }
}
