package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.operator.RowCollectionSource;
import io.aragonite.exec.operator.join.TransferGraph.Above;
import io.aragonite.exec.operator.join.TransferGraph.Edge;
import io.aragonite.exec.operator.join.TransferGraph.TransferNode;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.Toggle;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Predicate transfer (Yang et al., "Predicate Transfer: Efficient Pre-Filtering on Multi-Join
 * Queries", 2024; "Debunking the Myth of Join Ordering: Toward Robust SQL Analytics", 2025): before
 * the joins of a tree run, relations filter each other by their keys, first the smaller ones the
 * larger ones, then the other way round. Whatever the order of the joins, they meet fewer rows that
 * come to nothing.
 *
 * <p>What joins further up have left as filters of a relation counts: few customers, say, whose
 * sales are to be grouped filter the sales, whichever side is built.
 *
 * <p>A relation that filters others is made before the joins and kept until the query ends. What a
 * finished build side filters anyway ({@link JoinKeyFilter}) is left to it. Devices that run a plan
 * together have parts of relations, so they do without.
 */
public final class PredicateTransfer {
  /** What part of the memory that is left a relation that is made before may take. */
  private static final int ROOM_SHARE = 16;

  /** A relation of which so much is left filters nothing, as far as anybody knows. */
  private static final double ALL = 0.9;

  /**
   * Joins that take less time than so many nanoseconds together run as they are: looking for
   * filters takes time, too.
   */
  private static final double LEAST = 1e6;

  private final PlanCompiler compiler;
  private final TransferGraph graph;
  private final MachineProfile profile;
  private final boolean forced;

  /** Whether scans leave blocks of rows out. */
  private final boolean morsels;

  private final FilteredBlocks blocks = new FilteredBlocks();
  private final Map<TransferNode, ColumnBatch> made = new IdentityHashMap<>();

  /** Rows of relations that were made and filtered since. */
  private final Map<TransferNode, PipelineHead> filtered = new IdentityHashMap<>();

  /** Relations that were made, and are too large to be kept. */
  private final Set<TransferNode> gone = new HashSet<>();

  /** What joins would do later; it is done before if the relation is made before. */
  private final Map<TransferNode, List<Edge>> left = new IdentityHashMap<>();

  private PredicateTransfer(PlanCompiler compiler, TransferGraph graph, boolean forced) {
    this.compiler = compiler;
    this.graph = graph;
    this.forced = forced;
    Device device = compiler.resources().context().device();
    this.profile = device.profile();
    this.morsels = device.traits().morselDriven();
  }

  /**
   * Has the relations of a tree filter each other where that is worth it.
   *
   * @param root the topmost join
   * @param done told of the joins of the tree, which need no such thing any more
   */
  public static void before(PlanCompiler compiler, Join root, Consumer<List<Join>> done) {
    Toggle wanted = EngineSettings.current().joins().transfer();
    List<Join> joins = TransferGraph.joinsOf(root);
    done.accept(joins);
    boolean forced = wanted == Toggle.ON;
    boolean alone = compiler.resources().rank() == null;
    if (wanted == Toggle.OFF || !alone || !forced && time(compiler, joins) < LEAST) {
      return;
    }
    TransferGraph graph = new TransferGraph(root);
    boolean filtered = false;
    for (TransferNode relation : graph.relations()) {
      double share = compiler.expectedShare(relation.node());
      if (share < 1 && relation.rows() > 0) {
        relation.expect(relation.rows() * share);
        filtered = true;
      }
    }
    if (forced || filtered || joins.size() > 1) {
      new PredicateTransfer(compiler, graph, forced).run();
    }
  }

  /** Nanoseconds that both sides of all joins are expected to take. */
  private static double time(PlanCompiler compiler, List<Join> joins) {
    MachineProfile profile = compiler.resources().context().device().profile();
    double time = 0;
    for (Join join : joins) {
      JoinEstimate expected = join.expected();
      if (expected != null) {
        time +=
            FilterPlace.side(join, expected, true, profile)
                + FilterPlace.side(join, expected, false, profile);
      }
    }
    return time;
  }

  private void run() {
    List<TransferNode> ascending = new ArrayList<>(graph.relations());
    // Those of unknown size come last: nothing is known of what they keep.
    ascending.sort(
        Comparator.comparingDouble(
            relation -> relation.rows() < 0 ? Double.MAX_VALUE : relation.rows()));
    for (int i = 0; i < ascending.size(); i++) {
      send(ascending.get(i), ascending.subList(i + 1, ascending.size()), true);
    }
    for (int i = ascending.size() - 1; i > 0; i--) {
      send(ascending.get(i), ascending.subList(0, i), false);
    }
  }

  private void send(TransferNode from, List<TransferNode> others, boolean forward) {
    if (gone.contains(from) || from.rows() < 0 && !forced) {
      return;
    }
    double rows = from.rows();
    double filters = filtersBefore(from);
    double price = cost(from) + filters; // of the rows that they leave
    List<Edge> worth = new ArrayList<>();
    double gain = 0;
    for (Edge edge : edges(from, others)) {
      double saved = saved(edge);
      if (forced || saved > 0) {
        worth.add(edge);
        gain += saved;
      } else if (forward && kept(edge) < 1) {
        left.computeIfAbsent(edge.to(), any -> new ArrayList<>()).add(edge);
      }
    }
    from.expect(rows);
    if (!worth.isEmpty() && (forced || gain > price) && fits(from)) {
      make(from);
      for (Edge edge : worth) {
        // By now it is known how many rows there are.
        if (forced || saved(edge) > 0) {
          filter(edge);
        }
      }
    }
  }

  /**
   * Expects as few rows of a relation as it has once it is made, with the filters that joins would
   * be later.
   *
   * @return nanoseconds of these filters, less those that they spare
   */
  private double filtersBefore(TransferNode from) {
    double price = 0;
    for (Edge edge :
        made.containsKey(from) ? List.<Edge>of() : left.getOrDefault(from, List.of())) {
      price += cost(edge.from()) - saved(edge);
      from.expect(from.rows() * kept(edge));
    }
    return price;
  }

  /** The edges to others; of several to one, that of the most columns. */
  private List<Edge> edges(TransferNode from, List<TransferNode> others) {
    Map<TransferNode, Edge> best = new IdentityHashMap<>();
    List<Edge> result = new ArrayList<>();
    for (Edge edge : graph.edges()) {
      if (edge.from() == from && others.contains(edge.to())) {
        Edge other = best.get(edge.to());
        if (other == null || other.toColumns().size() < edge.toColumns().size()) {
          best.put(edge.to(), edge);
        }
      }
    }
    others.forEach(other -> {
      Edge edge = best.get(other);
      if (edge != null) {
        result.add(edge);
      }
    });
    return result;
  }

  /**
   * The share of rows that is expected to pass: keys are taken to be spread evenly, unless the join
   * that drops the same rows is expected to drop fewer.
   */
  private double kept(Edge edge) {
    TransferNode from = edge.from();
    TransferNode to = edge.to();
    if (from.rows() < 0 || to.rows() <= 0) {
      return 1;
    }
    boolean groups = from.base() < 0; // of how many is not known
    double share = groups ? 0 : Math.min(1, from.rows() / Math.max(1, from.base()));
    if (share > ALL) {
      return 1;
    }
    // A key of several columns is hardly that of many rows.
    boolean one = edge.toColumns().size() > 1 || to.rows() <= from.base();
    double even = one ? Math.min(share, from.rows() / to.rows()) : share;
    // What has been dropped of the relation since was expected to come to the join.
    double since = Math.min(1, from.rows() / Math.max(1, from.planned()));
    List<Above> joins = graph.above(to.node());
    Above last = joins.get(graph.common(from, to));
    JoinEstimate expected = last.join().expected();
    if (expected == null) {
      return groups ? 1 : even;
    }
    double left =
        last.left() == last.join().buildLeft()
            ? expected.outRows() / Math.max(1, expected.buildRows())
            : expected.matchRatio();
    // More rows than came say nothing of how many had a partner.
    return left < 1 ? Math.max(even, left * since) : groups ? 1 : even;
  }

  /** Nanoseconds that the joins are spared, less those of the filter. */
  private double saved(Edge edge) {
    double kept = kept(edge);
    if (kept >= 1) {
      return 0;
    }
    TransferNode to = edge.to();
    double from = edge.from().rows();
    double left = to.rows() / to.planned();
    double read = read(edge);
    return FilterPlace.SURE * (1 - Math.min(kept, read)) * left * spared(edge)
        - read
            * to.rows()
            * FilterPlace.looked(from, Math.min(1, kept / Math.max(read, 1e-9)), profile)
        - from * FilterPlace.made(profile)
        - profile.steps(6, 2);
  }

  /** The share of a relation's rows that lies in blocks which a filter has read. */
  private double read(Edge edge) {
    return morsels ? blocks.read(edge, made.get(edge.from())) : 1;
  }

  /**
   * Nanoseconds that all rows of a relation take from the filter to the join that would drop the
   * same rows: as many come to a join as the plan has, and fewer where filters of build sides act
   * on the relation, those of the topmost joins first.
   */
  private double spared(Edge edge) {
    List<Above> joins = graph.above(edge.to().node());
    int last = graph.common(edge.from(), edge.to());
    double rows = edge.to().planned();
    double reached = 1;
    double spared = 0;
    for (int i = joins.size() - 1; i >= 0; i--) {
      Above above = joins.get(i);
      Join join = above.join();
      JoinEstimate expected = join.expected();
      boolean built = above.left() == join.buildLeft();
      if (i == last && !built && drops(join, edge.to())) {
        return 0;
      }
      if (!built && acts(join, edge.to())) {
        double build = expected == null ? 0 : expected.buildRows();
        double kept = expected == null ? 1 : FilterPlace.kept(expected, build);
        spared += reached * rows * FilterPlace.looked(build, kept, profile);
        reached *= kept;
      }
      if (i <= last && expected != null) {
        spared += reached * FilterPlace.side(join, expected, built, profile);
      }
    }
    return spared;
  }

  /** Whether the build side of a join may filter a relation. */
  @SuppressWarnings("ReferenceEquality") // nodes of a plan are themselves
  private static boolean drops(Join join, TransferNode on) {
    return EngineSettings.current().joins().filter() != Toggle.OFF
        && FilterPlace.filters(join)
        && FilterPlace.find(join).node() == on.node();
  }

  /** Whether it is expected to do so. */
  @SuppressWarnings("ReferenceEquality") // nodes of a plan are themselves
  private boolean acts(Join join, TransferNode on) {
    JoinEstimate expected = join.expected();
    FilterPlace place =
        expected == null ? null : FilterPlace.of(join, expected.buildRows(), profile);
    return place != null && place.node() == on.node();
  }

  /** Nanoseconds of making a relation before, unless its rows are collected anyway. */
  @SuppressWarnings("ReferenceEquality") // nodes of a plan are themselves
  private double cost(TransferNode relation) {
    List<Above> above = graph.above(relation.node());
    PhysicalPlan at =
        above.getFirst().left() ? above.getFirst().join().left() : above.getFirst().join().right();
    while (at != relation.node() && at instanceof PhysicalPlan.Project project) {
      at = project.input();
    }
    boolean built = above.getFirst().left() == above.getFirst().join().buildLeft();
    return at == relation.node() && built
        ? 0
        : relation.rows()
                * (profile.sequential(4 * FilterPlace.bytes(relation.node())) + profile.hitNanos())
            + profile.steps(6, 2);
  }

  private boolean fits(TransferNode relation) {
    double bytes = Math.max(0, relation.rows()) * FilterPlace.bytes(relation.node());
    return ROOM_SHARE * bytes <= compiler.resources().spill().room();
  }

  /** Runs a relation with the filters that it has got so far. */
  private void make(TransferNode relation) {
    if (made.containsKey(relation) && !filtered.containsKey(relation)) {
      return;
    }
    List<Edge> before = left.remove(relation);
    if (before != null && !made.containsKey(relation)) {
      for (Edge edge : before) {
        if (fits(edge.from()) && !gone.contains(edge.from())) {
          make(edge.from());
          filter(edge);
        }
      }
    }
    PipelineHead known = filtered.remove(relation);
    if (known == null) {
      leaveBelow(relation.node());
    }
    PipelineHead head = known != null ? known : compiler.compile(relation.node());
    SpillableRowCollection collection = compiler.collect(head, relation.node());
    if (collection.rows() > Integer.MAX_VALUE
        || ROOM_SHARE * collection.bytes() > compiler.resources().spill().room()) {
      compiler.bring(relation.node(), PipelineHead.of(new RowCollectionSource(collection, true)));
      made.remove(relation);
      gone.add(relation);
      return;
    }
    ColumnBatch rows = compiler.resources().work(relation.node(), collection::gather);
    compiler.resources().closeLater(() -> Batches.free(compiler.resources().memory(), rows));
    made.put(relation, rows);
    relation.expect(rows.rows());
    compiler.bring(relation.node(), scan(rows));
  }

  /**
   * Relations below one that runs are not made after it: its joins have run by then, and the build
   * sides are gone whose keys filter them.
   */
  private void leaveBelow(PhysicalPlan node) {
    for (PhysicalPlan input : node.inputs()) {
      for (TransferNode other : graph.relations()) {
        if (isOf(other, input) && !made.containsKey(other)) {
          gone.add(other);
        }
      }
      leaveBelow(input);
    }
  }

  @SuppressWarnings("ReferenceEquality") // nodes of a plan are themselves
  private static boolean isOf(TransferNode relation, PhysicalPlan node) {
    return relation.node() == node;
  }

  private PipelineHead scan(ColumnBatch rows) {
    return PipelineHead.of(compiler.resources().scanOf(rows.shapes(), List.of(rows), false));
  }

  private void filter(Edge edge) {
    ColumnBatch keys = made.get(edge.from());
    if (keys == null || gone.contains(edge.to())) {
      return;
    }
    TransferNode to = edge.to();
    double before = to.rows();
    double kept = kept(edge);
    to.expect(before * kept);
    FilterPlace place = new FilterPlace(to.node(), edge.toColumns(), List.of());
    JoinKeyFilter filter =
        JoinKeyFilter.ofRelation(edge.from().node(), edge.fromColumns(), place, keys, before, kept);
    compiler.resources().metrics(edge.from().node()).addNote("filters relations before the joins");
    @Nullable ColumnBatch rows = made.get(to);
    if (rows == null) {
      JoinKeyFilter.add(compiler, filter);
      return;
    }
    PipelineHead known = filtered.get(to);
    PipelineHead head = known != null ? known : scan(rows);
    PipelineHead behind = filter.behind(compiler, head);
    filtered.put(to, behind);
    compiler.bring(to.node(), behind);
  }
}
