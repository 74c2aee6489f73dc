package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.operator.Partitioner;
import io.aragonite.exec.operator.SpillPartitions;
import io.aragonite.exec.operator.SpillPartitions.SpillPartition;
import io.aragonite.exec.operator.UnionAll;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The result of an aggregation whose groups memory does not hold: what was put aside of them is
 * partitioned by a hash of the keys until a part fits, and parts are merged, and come out, some at
 * a time.
 */
final class SpilledAggregate implements Source {
  static final int MOST_BITS = 48;

  /** Memory of a group beside its keys and results, twice, since tables grow by doubling. */
  private static final int GROUP_BYTES = 64;

  /**
   * Groups of one grouping set.
   *
   * @param shapes of partial results
   */
  private record Partials(
      int set,
      List<SpillableRowCollection> partials,
      List<SpillableRowCollection> distincts,
      List<SpillableRowCollection> hosts,
      List<ColumnShape> shapes) {
    List<SpillableRowCollection> all() {
      List<SpillableRowCollection> all = new ArrayList<>(partials);
      all.addAll(distincts);
      all.addAll(hosts);
      return all;
    }

    long bytes() {
      return all().stream().mapToLong(SpillableRowCollection::bytes).sum();
    }

    long need() {
      return SpilledAggregate.need(
          bytes(), all().stream().mapToLong(SpillableRowCollection::rows).sum());
    }
  }

  /** Memory that groups take which were put aside as so many bytes, all of them different. */
  static long need(long bytes, long rows) {
    return 2 * bytes + GROUP_BYTES * rows;
  }

  private final QueryResources resources;
  private final AggregateSpec spec;
  private final List<ColumnShape> shapes;
  private final QueryMetrics.NodeMetrics metrics;
  private final SpillPartitions<Partials> parts;
  private @Nullable Source rows;

  /** Whether the chunks in memory are still to come. */
  private boolean first;

  /**
   * @param inMemory chunks of the grouping sets that did not have to be put aside
   * @param spilled the others
   */
  SpilledAggregate(
      QueryResources resources,
      AggregateSpec spec,
      List<ColumnShape> shapes,
      List<ColumnBatch> inMemory,
      List<SpilledGroups> spilled,
      List<Integer> sets,
      QueryMetrics.NodeMetrics metrics) {
    this.metrics = metrics;
    this.resources = resources;
    this.spec = spec;
    this.shapes = shapes;
    this.rows = inMemory.isEmpty() ? null : resources.scanOwned(shapes, inMemory, false);
    this.parts = new SpillPartitions<>(resources.spill(), metrics, MOST_BITS, Partials::bytes);
    List<Partials> roots = new ArrayList<>();
    for (int i = 0; i < spilled.size(); i++) {
      SpilledGroups groups = spilled.get(i);
      int width = spec.keyColumns(sets.get(i)).size();
      List<ColumnShape> partial = new ArrayList<>();
      for (int slot = 0; slot < spec.slots.size(); slot++) {
        int column = width + slot;
        partial.add(
            UnionAll.unify(
                groups.partials().stream()
                    .map(collection -> collection.shapes().get(column))
                    .toList(),
                spec.slots.get(slot).partial()));
      }
      roots.add(
          new Partials(
              sets.get(i), groups.partials(), groups.distincts(), groups.hosts(), partial));
    }
    parts.add(roots, false);
    first = rows != null;
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public boolean hasRounds() {
    return true;
  }

  @Override
  public int morsels() {
    return rows == null || first ? 0 : rows.morsels();
  }

  @Override
  public boolean nextRound(ExecContext context) {
    if (first) {
      first = false;
      return true;
    }
    close();
    List<Partials> fitting = fitting(context);
    if (fitting.isEmpty()) {
      return false;
    }
    ColumnBatch[] chunks = new ColumnBatch[fitting.size()];
    AggregateMerge merge = new AggregateMerge(spec, context, context.parallel());
    context
        .parallel()
        .forEach(chunks.length, (worker, i) -> chunks[i] = merge(worker, merge, fitting.get(i)));
    metrics.figures.merge("passes", 1L, Long::sum);
    List<ColumnBatch> some = new ArrayList<>();
    for (ColumnBatch chunk : chunks) {
      some.add(Aggregation.conform(context, chunk, shapes));
    }
    rows = resources.scanOwned(shapes, some, false);
    return true;
  }

  /** Takes out parts that memory holds together, one a worker at most. */
  private List<Partials> fitting(ExecContext context) {
    List<Partials> fitting = new ArrayList<>();
    long room = resources.spill().room();
    long left = room;
    int workers = context.parallel().workers();
    while (fitting.size() < workers) {
      SpillPartition<Partials> part = parts.poll();
      if (part == null) {
        break;
      }
      Partials groups = part.rows();
      long need = groups.need();
      if (part.bits() > 0 && groups.bytes() == 0) {
        groups.all().forEach(SpillableRowCollection::close);
      } else if (need > room && !part.whole()) {
        split(context, part, Partitioner.bits(need, room, workers));
      } else if (fitting.isEmpty() || need <= left) {
        fitting.add(groups);
        left -= need;
      } else {
        parts.putBack(part);
        break;
      }
    }
    return fitting;
  }

  private ColumnBatch merge(ExecContext worker, AggregateMerge merge, Partials part) {
    GroupState target = new GroupState(spec, part.set, worker, part.shapes);
    int width = spec.keyColumns(part.set).size();
    for (SpillableRowCollection collection : part.partials) {
      each(
          worker,
          collection,
          batch -> target.merge(worker, keys(batch, width), rest(batch, width)));
    }
    for (int i = 0; i < part.distincts.size(); i++) {
      int number = i;
      each(
          worker,
          part.distincts.get(i),
          batch -> target.mergeDistinct(worker, number, keys(batch, width), rest(batch, width)));
    }
    for (int i = 0; i < part.hosts.size(); i++) {
      int number = i;
      each(
          worker,
          part.hosts.get(i),
          batch -> target.mergeHost(worker, number, keys(batch, width), rest(batch, width)));
    }
    return merge.output(worker, part.set, target);
  }

  private static void each(
      ExecContext worker, SpillableRowCollection collection, Consumer<ColumnBatch> consumer) {
    for (int i = 0; i < collection.size(); i++) {
      collection.readInBatches(worker, i, (context, batch) -> consumer.accept(batch));
      collection.free(i);
    }
    collection.close();
  }

  private static ColumnBatch keys(ColumnBatch batch, int width) {
    return new ColumnBatch(batch.columns().subList(0, width), batch.rows());
  }

  private static List<Column> rest(ColumnBatch batch, int width) {
    return batch.columns().subList(width, batch.columns().size());
  }

  private void split(ExecContext context, SpillPartition<Partials> parent, int bits) {
    Partials part = parent.rows();
    GroupKeys keys = Objects.requireNonNull(spec.keys.get(part.set));
    CompiledProjection hashes = GroupKeys.hashes(resources.expressions(), keys.shapes());
    Partitioner.PartitionWords ofKeys = Partitioner.PartitionWords.of(hashes);
    int width = keys.shapes().size();
    Partitioner.PartitionWords words = (worker, batch) -> ofKeys.of(worker, keys(batch, width));
    List<ColumnShape> partial = new ArrayList<>(keys.shapes());
    partial.addAll(part.shapes);
    int kinds = 1 + part.distincts.size() + part.hosts.size();
    SpillPartitions<Partials>.Split split =
        parts.split(parent, bits, context.parallel().workers() * kinds);
    List<SpillableRowCollection> partials = split.children(partial);
    Partitioner partitioner = split.partitioner(partials, words, Long.SIZE);
    part.partials.forEach(collection -> partitioner.runOver(context, collection));
    List<List<SpillableRowCollection>> distincts = children(context, split, part.distincts, words);
    List<List<SpillableRowCollection>> hosts = children(context, split, part.hosts, words);
    split.push(i ->
        new Partials(
            part.set,
            List.of(partials.get(i)),
            distincts.stream().map(of -> of.get(i)).toList(),
            hosts.stream().map(of -> of.get(i)).toList(),
            part.shapes));
  }

  /** Deals out the rows of each collection. */
  private static List<List<SpillableRowCollection>> children(
      ExecContext context,
      SpillPartitions<Partials>.Split split,
      List<SpillableRowCollection> parents,
      Partitioner.PartitionWords words) {
    List<List<SpillableRowCollection>> all = new ArrayList<>();
    for (SpillableRowCollection parent : parents) {
      List<SpillableRowCollection> children = split.children(parent.shapes());
      split.partitioner(children, words, Long.SIZE).runOver(context, parent);
      all.add(children);
    }
    return all;
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    Objects.requireNonNull(rows).run(context, morsel, consumer);
  }

  /** Frees the rows of the last round. */
  @Override
  public void close() {
    if (rows != null) {
      rows.close();
      rows = null;
    }
  }
}
