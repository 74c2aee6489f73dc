package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.operator.Partitioner;
import io.aragonite.exec.operator.UnionAll;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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
   * @param shapes of partial results
   * @param bits of the hash that all groups have in common
   */
  private record Part(
      int set,
      List<SpillableRowCollection> partials,
      List<SpillableRowCollection> distincts,
      List<SpillableRowCollection> hosts,
      List<ColumnShape> shapes,
      int bits,
      boolean whole,
      long turn,
      long span) {
    List<SpillableRowCollection> all() {
      List<SpillableRowCollection> all = new ArrayList<>(partials);
      all.addAll(distincts);
      all.addAll(hosts);
      return all;
    }

    long bytes() {
      return all().stream().mapToLong(SpillableRowCollection::bytes).sum();
    }

    Part asWhole() {
      return new Part(set, partials, distincts, hosts, shapes, bits, true, turn, span);
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
  private final Deque<Part> parts = new ArrayDeque<>();
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
    long span = (1L << 40) / Math.max(1, spilled.size());
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
      parts.add(
          new Part(
              sets.get(i),
              groups.partials(),
              groups.distincts(),
              groups.hosts(),
              partial,
              0,
              false,
              span * i,
              span));
    }
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
    List<Part> fitting = new ArrayList<>();
    long room = resources.spill().room();
    long left = room;
    int most = context.parallel().workers();
    while (!parts.isEmpty() && fitting.size() < most) {
      Part part = parts.pollFirst();
      long need = part.need();
      if (need > room && !part.whole) {
        split(context, part, Partitioner.bits(need, room, context.parallel().workers()));
      } else if (fitting.isEmpty() || need <= left) {
        fitting.add(part);
        left -= need;
      } else {
        parts.addFirst(part);
        break;
      }
    }
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

  private ColumnBatch merge(ExecContext worker, AggregateMerge merge, Part part) {
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

  private void split(ExecContext context, Part part, int bits) {
    GroupKeys keys = Objects.requireNonNull(spec.keys.get(part.set));
    CompiledProjection hashes = GroupKeys.hashes(resources.expressions(), keys.shapes());
    Partitioner.PartitionWords ofKeys = Partitioner.PartitionWords.of(hashes);
    int width = keys.shapes().size();
    Partitioner.PartitionWords words = (worker, batch) -> ofKeys.of(worker, keys(batch, width));
    List<ColumnShape> partial = new ArrayList<>(keys.shapes());
    partial.addAll(part.shapes);
    long all = part.bytes();
    int kinds = 1 + part.distincts.size() + part.hosts.size();
    List<SpillableRowCollection> partials = children(context, part, bits, partial, kinds);
    deal(context, part.partials, partials, words, part, bits);
    List<List<SpillableRowCollection>> distincts = new ArrayList<>();
    for (SpillableRowCollection collection : part.distincts) {
      distincts.add(children(context, part, bits, collection.shapes(), kinds));
      deal(context, List.of(collection), distincts.getLast(), words, part, bits);
    }
    List<List<SpillableRowCollection>> hosts = new ArrayList<>();
    for (SpillableRowCollection collection : part.hosts) {
      hosts.add(children(context, part, bits, collection.shapes(), kinds));
      deal(context, List.of(collection), hosts.getLast(), words, part, bits);
    }
    int common = part.bits + bits;
    long step = Math.max(1, part.span >> bits);
    for (int i = (1 << bits) - 1; i >= 0; i--) {
      int number = i;
      Part child =
          new Part(
              part.set,
              List.of(partials.get(i)),
              distincts.stream().map(of -> of.get(number)).toList(),
              hosts.stream().map(of -> of.get(number)).toList(),
              part.shapes,
              common,
              common + Partitioner.MAX_BITS > MOST_BITS,
              part.turn + step * i,
              step);
      if (child.bytes() > 0) {
        boolean heavy = child.bytes() > all / 8 * 7;
        parts.addFirst(heavy ? child.asWhole() : child);
      } else {
        child.all().forEach(SpillableRowCollection::close);
      }
    }
    metrics.figures.merge("partitions", 1L << bits, Long::sum);
  }

  private void deal(
      ExecContext context,
      List<SpillableRowCollection> from,
      List<SpillableRowCollection> to,
      Partitioner.PartitionWords words,
      Part part,
      int bits) {
    Partitioner partitioner = new Partitioner(to, words, Long.SIZE - part.bits - bits, bits);
    from.forEach(collection -> partitioner.runOver(context, collection));
  }

  private List<SpillableRowCollection> children(
      ExecContext context, Part part, int bits, List<ColumnShape> of, int kinds) {
    List<SpillableRowCollection> children = new ArrayList<>();
    int writers = (context.parallel().workers() << bits) * kinds;
    for (int i = 0; i < 1 << bits; i++) {
      long turn = part.turn + Math.max(1, part.span >> bits) * i;
      children.add(resources.spill().newRowCollection(of, writers, turn, metrics));
    }
    return children;
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
