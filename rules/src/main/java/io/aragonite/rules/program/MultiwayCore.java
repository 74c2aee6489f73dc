package io.aragonite.rules.program;

import io.aragonite.exec.cost.MultiwayModel;
import io.aragonite.exec.device.TrieStep;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.PhysicalPlan.VariableComparison;
import io.aragonite.exec.plan.PhysicalPlan.VariableKey;
import io.aragonite.exec.plan.TraversalOrder;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.Skew;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.cost.JoinPricing;
import io.aragonite.rules.metadata.JoinEstimates;
import io.aragonite.rules.metadata.KeyCollisions;
import io.aragonite.rules.rel.LogicalMultiwayJoin;
import io.aragonite.rules.rel.MultiwaySpec;
import io.aragonite.rules.runtime.MultiwayMode;
import io.aragonite.rules.translate.TypeMapping;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * The relations of a join graph whose equalities close a cycle: the core that is left of its
 * hypergraph when ears are cut off, as one multi-predicate join.
 */
final class MultiwayCore {
  /**
   * What the price of joins of two relations leaves out of their time, about. Both prices are made
   * of estimated rows, which skewed graphs exceed: over 30 points of an H200 that nothing was
   * fitted to, the one join took 0.85 to 27 times its price (median 2.5), joins of two 0.33 to 15
   * times theirs (0.65), this factor included; the cheaper one was the quicker one at each.
   */
  private static final double BINARY_MORE = 1.5;

  /** Queries that share the tries of a stored table, and what building them took. */
  private static final double QUERIES = 4;

  /** Bytes of a row in tries of two levels, and more while they are built, one after the other. */
  private static final double TRIE_BYTES = 20;

  private static final double BUILDING_BYTES = 24;

  /** What intermediate rows and the tables that they are joined with take, about. */
  private static final double ROW_SPACE = 64 << 20;

  private final JoinGraph graph;
  private final RelMetadataQuery mq;

  /** The core's leaves in the graph, and their relations. */
  private final List<Integer> leaves;

  private final List<RelNode> relations = new ArrayList<>();

  /** For each variable its columns, of the core's leaves, in the graph's numbers. */
  private final List<List<Integer>> variables;

  private final List<VariableComparison> comparisons = new ArrayList<>();
  private final Set<RexNode> compared = new HashSet<>();
  private final List<RexNode> ofLeaves = new ArrayList<>();
  private final Hypergraph hypergraph;
  private final Map<ImmutableBitSet, Double> distinct = new HashMap<>();

  private MultiwayCore(
      JoinGraph graph,
      List<Integer> leaves,
      List<List<Integer>> variables,
      List<RexNode> others,
      RelMetadataQuery mq) {
    this.graph = graph;
    this.mq = mq;
    this.leaves = leaves;
    this.variables = variables;
    List<BitSet> edges = new ArrayList<>();
    for (int leaf : leaves) {
      BitSet edge = new BitSet();
      for (int v = 0; v < variables.size(); v++) {
        edge.set(v, !members(v, leaf).isEmpty());
      }
      edges.add(edge);
      relations.add(withoutComparisons(graph.leaves().get(leaf)));
    }
    this.hypergraph = new Hypergraph(edges);
    others.forEach(this::compare);
  }

  /**
   * The core of a graph, null if the graph has no cycle that tries could hold.
   *
   * @param classes columns that are made equal
   * @param others further predicates over several leaves
   */
  static @Nullable MultiwayCore find(
      JoinGraph graph, List<List<Integer>> classes, List<RexNode> others, RelMetadataQuery mq) {
    List<Integer> inner =
        IntStream.range(0, graph.leaves().size())
            .filter(i -> graph.leaves().get(i).type() == JoinRelType.INNER)
            .boxed()
            .toList();
    List<List<Integer>> usable =
        classes.stream().filter(members -> isKey(graph, members.get(0))).toList();
    List<BitSet> edges = new ArrayList<>();
    for (int leaf : inner) {
      BitSet edge = new BitSet();
      for (int c = 0; c < usable.size(); c++) {
        edge.set(c, usable.get(c).stream().anyMatch(column -> graph.leafOf(column) == leaf));
      }
      edges.add(edge);
    }
    Hypergraph all = new Hypergraph(edges);
    BitSet core = all.component(all.core());
    if (core.cardinality() < 3 || core.cardinality() > TrieStep.MAX) {
      return null;
    }
    List<Integer> leaves = core.stream().mapToObj(inner::get).toList();
    List<List<Integer>> variables =
        usable.stream()
            .map(members ->
                members.stream().filter(column -> leaves.contains(graph.leafOf(column))).toList())
            .filter(members -> members.stream().map(graph::leafOf).distinct().count() > 1)
            .toList();
    return new MultiwayCore(graph, leaves, variables, others, mq);
  }

  /** Whether values of a type can be numbers in tries: the rest is seen when the query runs. */
  private static boolean isKey(JoinGraph graph, int column) {
    JoinGraph.JoinLeaf leaf = graph.leaves().get(graph.leafOf(column));
    DataType type =
        TypeMapping.of(leaf.rel().getRowType().getFieldList().get(column - leaf.first()).getType());
    return switch (type.kind()) {
      case BOOLEAN, INT8, INT16, INT32, INT64, DATE, TIME, TIMESTAMP -> true;
      case INTERVAL_MONTH, INTERVAL_DAY, CHAR, VARCHAR, FLOAT32, FLOAT64 -> true;
      case DECIMAL -> true;
      default -> false;
    };
  }

  private List<Integer> members(int variable, int leaf) {
    return variables.get(variable).stream().filter(column -> graph.leafOf(column) == leaf).toList();
  }

  /**
   * A leaf without comparisons of two of its own variables, which the join sees to: a stored
   * table's tries serve later queries, those of a part of its rows do not.
   */
  private RelNode withoutComparisons(JoinGraph.JoinLeaf leaf) {
    if (!(leaf.rel() instanceof LogicalFilter filter)) {
      return leaf.rel();
    }
    List<RexNode> rest = new ArrayList<>();
    for (RexNode term : RelOptUtil.conjunctions(filter.getCondition())) {
      RexNode global = RexUtil.shift(term, leaf.first());
      int before = comparisons.size();
      compare(global);
      if (comparisons.size() > before) {
        ofLeaves.add(global);
      } else {
        rest.add(term);
      }
    }
    return rest.isEmpty()
        ? filter.getInput()
        : LogicalFilter.create(
            filter.getInput(),
            RexUtil.composeConjunction(filter.getCluster().getRexBuilder(), rest));
  }

  /** Takes a predicate over if it compares two variables whose numbers compare as they do. */
  private void compare(RexNode predicate) {
    Op op =
        switch (predicate.getKind()) {
          case LESS_THAN -> Op.LT;
          case LESS_THAN_OR_EQUAL -> Op.LE;
          case GREATER_THAN -> Op.GT;
          case GREATER_THAN_OR_EQUAL -> Op.GE;
          case NOT_EQUALS -> Op.NE;
          default -> null;
        };
    if (op == null
        || comparisons.size() == TrieStep.MAX
        || !(((RexCall) predicate).getOperands().get(0) instanceof RexInputRef left)
        || !(((RexCall) predicate).getOperands().get(1) instanceof RexInputRef right)
        || !SqlTypeUtil.equalSansNullability(left.getType(), right.getType())) {
      return;
    }
    boolean number =
        switch (TypeMapping.of(left.getType()).kind()) {
          case INT8, INT16, INT32, INT64, DATE, TIME, TIMESTAMP -> true;
          default -> false;
        };
    int a = variableOf(left.getIndex());
    int b = variableOf(right.getIndex());
    if (number && a >= 0 && b >= 0 && a != b) {
      comparisons.add(new VariableComparison(op, a, b));
      compared.add(predicate);
    }
  }

  private int variableOf(int column) {
    for (int v = 0; v < variables.size(); v++) {
      if (variables.get(v).contains(column)) {
        return v;
      }
    }
    return -1;
  }

  /** The core's leaves, as their numbers in the graph. */
  List<Integer> leaves() {
    return leaves;
  }

  /** Their relations. */
  List<RelNode> relations() {
    return relations;
  }

  /** The graph's columns that the join has, in its order. */
  List<Integer> columns() {
    List<Integer> columns = new ArrayList<>();
    for (int leaf : leaves) {
      JoinGraph.JoinLeaf of = graph.leaves().get(leaf);
      IntStream.range(of.first(), of.first() + of.width()).forEach(columns::add);
    }
    return columns;
  }

  /** The columns that the join makes equal. */
  List<List<Integer>> variables() {
    return variables;
  }

  /** Comparisons that were conditions of leaves, in the graph's columns. */
  List<RexNode> ofLeaves() {
    return ofLeaves;
  }

  /** Whether the join sees to a predicate. */
  boolean compares(RexNode predicate) {
    return compared.contains(predicate);
  }

  /**
   * The join, null if it is not worth while.
   *
   * @param binary the same by joins of two relations, all columns of the core
   * @param binaryNanos what that takes
   * @param rows that come out
   */
  @Nullable RelNode join(MultiwayMode mode, RelNode binary, double binaryNanos, double rows) {
    RelOptPlanner planner = binary.getCluster().getPlanner();
    MachineProfile device = JoinPricing.profile(planner);
    MultiwayModel model = MultiwayModel.of(device);
    Skewed skewed = skewed();
    VariableOrder.OrderEstimate order =
        new VariableOrder(
                hypergraph, variables.size(), this::distinct, ranges(), model, skewed.skew())
            .find();
    List<List<VariableKey>> keys = keys(order.variables());
    double tries = tries(keys, model);
    double otherwise = binaryNanos(binaryNanos, skewed, device, model);
    boolean held = trieBytes(keys) < JoinPricing.memory(planner);
    if (mode == MultiwayMode.AUTO && (order.nanos() + tries > otherwise || !held)) {
      return null;
    }
    TraversalOrder traversal =
        switch (mode) {
          case LEVELS -> TraversalOrder.LEVELS;
          case DEPTH -> TraversalOrder.DEPTH;
          default ->
              order.walkNanos() < order.levelNanos()
                  ? TraversalOrder.DEPTH
                  : TraversalOrder.FITTING;
        };
    List<String> names = names();
    MultiwaySpec.MultiwayEstimate estimate =
        new MultiwaySpec.MultiwayEstimate(
            hypergraphText(names),
            bound(),
            rows,
            order.bindings(),
            order.levelNanos(),
            order.walkNanos(),
            tries,
            otherwise);
    List<RelNode> inputs = new ArrayList<>(relations);
    inputs.add(binary);
    return LogicalMultiwayJoin.create(
        inputs,
        new MultiwaySpec(
            keys,
            order.variables().stream().map(names::get).toList(),
            placed(order.variables()),
            IntStream.range(0, columns().size()).boxed().toList(),
            traversal,
            estimate));
  }

  /** The pairs of variables of which a value of one leaves a range of the other. */
  private List<BitSet> ranges() {
    List<BitSet> pairs = new ArrayList<>();
    for (VariableComparison c : comparisons) {
      if (c.op() != Op.NE) {
        BitSet pair = new BitSet();
        pair.set(c.left());
        pair.set(c.right());
        pairs.add(pair);
      }
    }
    return pairs;
  }

  /**
   * What joins of two relations take. The best order of joins does not know of frequent values: its
   * first join makes more rows, and all together grow no less than the lists do that this join
   * tries.
   *
   * @param priced what they take by their prices
   */
  private double binaryNanos(
      double priced, Skewed skewed, MachineProfile device, MultiwayModel model) {
    double row = 2 * device.hitNanos() + device.random(2, ROW_SPACE, Skew.none(ROW_SPACE));
    double more =
        (skewed.rows - skewed.uniform) * Math.pow(0.5, Math.min(2, comparisons.size())) * row;
    return BINARY_MORE * Math.max(priced + more, priced * Math.sqrt(skewed.skew()))
        + (relations.size() - 1) * model.joinNanos();
  }

  /** The comparisons, of variables by their places in an order. */
  private List<VariableComparison> placed(List<Integer> order) {
    return comparisons.stream()
        .map(c -> new VariableComparison(c.op(), order.indexOf(c.left()), order.indexOf(c.right())))
        .toList();
  }

  private List<List<VariableKey>> keys(List<Integer> order) {
    List<List<VariableKey>> keys = new ArrayList<>();
    for (int leaf : leaves) {
      List<VariableKey> ofLeaf = new ArrayList<>();
      int first = graph.leaves().get(leaf).first();
      for (int v = 0; v < variables.size(); v++) {
        List<Integer> members = members(v, leaf);
        if (!members.isEmpty()) {
          ofLeaf.add(new VariableKey(order.indexOf(v), members.get(0) - first));
        }
      }
      ofLeaf.sort(Comparator.comparingInt(VariableKey::variable));
      keys.add(ofLeaf);
    }
    return keys;
  }

  /** Rows of the smallest join of two relations, as they are expected and if there were no skew. */
  private record Skewed(double rows, double uniform) {
    double skew() {
      return rows / uniform;
    }
  }

  private Skewed skewed() {
    Skewed least = new Skewed(1, 1);
    for (int a = 0; a < relations.size(); a++) {
      for (int b = a + 1; b < relations.size(); b++) {
        double pairs = JoinEstimates.rows(relations.get(a), mq);
        pairs *= JoinEstimates.rows(relations.get(b), mq);
        double uniform = pairs;
        double rows = pairs;
        for (int v = 0; v < variables.size(); v++) {
          List<Integer> left = members(v, leaves.get(a));
          List<Integer> right = members(v, leaves.get(b));
          if (!left.isEmpty() && !right.isEmpty()) {
            int leftColumn = left.get(0) - graph.leaves().get(leaves.get(a)).first();
            int rightColumn = right.get(0) - graph.leaves().get(leaves.get(b)).first();
            RelNode ofLeft = relations.get(a);
            RelNode ofRight = relations.get(b);
            uniform *= KeyCollisions.uniform(ofLeft, leftColumn, ofRight, rightColumn, mq);
            rows *= KeyCollisions.share(ofLeft, leftColumn, ofRight, rightColumn, mq);
          }
        }
        boolean joined = uniform < pairs;
        if (joined && (least.rows == 1 || rows < least.rows)) {
          least = new Skewed(Math.max(1, rows), Math.max(1, uniform));
        }
      }
    }
    return least;
  }

  /** Memory for all tries: relations with the same rows and columns share one. */
  private double trieBytes(List<List<VariableKey>> keys) {
    double bytes = 0;
    double building = 0;
    for (int i = 0; i < relations.size(); i++) {
      double rows = JoinEstimates.rows(relations.get(i), mq);
      bytes += isKnown(keys, i) ? 0 : TRIE_BYTES * rows;
      building = Math.max(building, BUILDING_BYTES * rows);
    }
    return bytes + building;
  }

  /** Whether a relation has the trie of one before it. */
  private boolean isKnown(List<List<VariableKey>> keys, int relation) {
    return IntStream.range(0, relation)
        .anyMatch(before ->
            columns(keys.get(relation)).equals(columns(keys.get(before)))
                && relations.get(relation).deepEquals(relations.get(before)));
  }

  /** Time of building tries: relations with the same rows and columns share one. */
  private double tries(List<List<VariableKey>> keys, MultiwayModel model) {
    double nanos = 0;
    for (int i = 0; i < relations.size(); i++) {
      double built = model.trie(JoinEstimates.rows(relations.get(i), mq));
      boolean stored = relations.get(i) instanceof TableScan;
      nanos += isKnown(keys, i) ? 0 : stored ? built / QUERIES : built;
    }
    return nanos;
  }

  private static List<Integer> columns(List<VariableKey> keys) {
    return keys.stream().map(VariableKey::column).toList();
  }

  private double distinct(int relation, BitSet some) {
    JoinGraph.JoinLeaf leaf = graph.leaves().get(leaves.get(relation));
    ImmutableBitSet.Builder local = ImmutableBitSet.builder();
    for (int v = some.nextSetBit(0); v >= 0; v = some.nextSetBit(v + 1)) {
      members(v, leaves.get(relation)).stream()
          .limit(1)
          .forEach(column -> local.set(column - leaf.first()));
    }
    ImmutableBitSet columns = local.build();
    return distinct.computeIfAbsent(
        columns.shift(leaf.first()),
        c -> JoinEstimates.distinct(relations.get(relation), mq, columns));
  }

  private double bound() {
    double[] sizes = new double[relations.size()];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = distinct(i, hypergraph.edges().get(i));
    }
    BitSet all = new BitSet();
    all.set(0, variables.size());
    return hypergraph.bound(all, sizes);
  }

  /** A name for each variable: that of its first column, with a number if others have it too. */
  private List<String> names() {
    List<String> names = new ArrayList<>();
    for (List<Integer> members : variables) {
      int column = members.get(0);
      JoinGraph.JoinLeaf leaf = graph.leaves().get(graph.leafOf(column));
      String base = leaf.rel().getRowType().getFieldNames().get(column - leaf.first());
      String name = base;
      for (int i = 2; names.contains(name); i++) {
        name = base + i;
      }
      names.add(name);
    }
    return names;
  }

  private String hypergraphText(List<String> names) {
    List<String> edges = new ArrayList<>();
    for (int i = 0; i < relations.size(); i++) {
      List<String> of = hypergraph.edges().get(i).stream().mapToObj(names::get).toList();
      edges.add(nameOf(relations.get(i)) + "(" + String.join(", ", of) + ")");
    }
    return String.join(", ", edges);
  }

  /** The table that a relation's rows come from, or its kind. */
  private static String nameOf(RelNode rel) {
    RelNode at = rel;
    while (at.getInputs().size() == 1) {
      at = at.getInput(0);
    }
    List<String> name = at instanceof TableScan scan ? scan.getTable().getQualifiedName() : null;
    return name == null ? at.getRelTypeName() : name.get(name.size() - 1);
  }
}
