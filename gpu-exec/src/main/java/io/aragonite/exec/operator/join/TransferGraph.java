package io.aragonite.exec.operator.join;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which relations of a tree of joins may filter which others before the joins, by equal columns.
 *
 * <p>A relation's rows without a partner in another one may be dropped where the join of the two
 * drops them. So may those without a partner in a third one that filters the other one by the same
 * column: none of the other one's rows with their key is left.
 */
final class TransferGraph {
  /** A relation: the deepest node whose rows carry the keys of joins above. */
  static final class TransferNode {
    private final PhysicalPlan node;
    private final double base;
    private final boolean grouped;
    private double planned;
    private double rows;

    TransferNode(PhysicalPlan node, double base, double rows, boolean grouped) {
      this.node = node;
      this.base = base;
      this.planned = rows;
      this.rows = rows;
      this.grouped = grouped;
    }

    PhysicalPlan node() {
      return node;
    }

    /** Rows of the table that its predicates select from, -1 if it is no table. */
    double base() {
      return base;
    }

    /** Rows that are expected of it, -1 if nothing is. */
    double rows() {
      return rows;
    }

    /** Says how many rows are expected now. */
    void expect(double expected) {
      rows = expected;
    }

    /** Says how many rows the plan expects of it, if nobody knew. */
    private void plan(double expected) {
      if (planned < 0) {
        planned = expected;
        rows = expected;
      }
    }

    /** Rows that the plan expects of it. */
    double planned() {
      return planned;
    }
  }

  /** Rows of {@code to} may be dropped whose columns equal those of no row of {@code from}. */
  record Edge(
      TransferNode from, List<Integer> fromColumns, TransferNode to, List<Integer> toColumns) {}

  /** A column of a relation. */
  private record Place(TransferNode relation, int column) {}

  /** The join above a node. */
  record Above(Join join, boolean left) {}

  private final Map<PhysicalPlan, TransferNode> relations = new IdentityHashMap<>();
  private final Map<PhysicalPlan, Object> parents = new IdentityHashMap<>();
  private final Map<Place, List<Place>> filtered = new LinkedHashMap<>();
  private final List<Edge> edges = new ArrayList<>();
  private boolean shared;

  /**
   * @param root of the tree
   */
  TransferGraph(Join root) {
    add(root);
    if (!shared) {
      // What filters the rows of a node in one place of the plan would do so in the other.
      joinsOf(root).forEach(this::keys);
      transitive();
    }
  }

  private void add(PhysicalPlan plan) {
    for (PhysicalPlan input : plan.inputs()) {
      shared |= parents.containsKey(input);
      boolean left = plan instanceof Join join && isLeft(join, input);
      parents.put(input, plan instanceof Join join ? new Above(join, left) : plan);
      add(input);
    }
  }

  @SuppressWarnings("ReferenceEquality") // nodes of a plan are themselves
  private static boolean isLeft(Join join, PhysicalPlan input) {
    return join.left() == input;
  }

  /** The joins that a relation's rows pass, the nearest first. */
  List<Above> above(PhysicalPlan node) {
    List<Above> result = new ArrayList<>();
    for (Object at = parents.get(node); at != null; ) {
      if (at instanceof Above above) {
        result.add(above);
        at = parents.get(above.join);
      } else {
        at = parents.get((PhysicalPlan) at);
      }
    }
    return result;
  }

  /**
   * The number, among the joins above one relation, of the first one that another comes to, too.
   */
  int common(TransferNode from, TransferNode to) {
    Set<Join> ofBoth = Collections.newSetFromMap(new IdentityHashMap<>());
    above(from.node).forEach(above -> ofBoth.add(above.join));
    List<Above> joins = above(to.node);
    int number = 0;
    while (!ofBoth.contains(joins.get(number).join)) {
      number++;
    }
    return number;
  }

  /** All edges, those of several columns among them. */
  List<Edge> edges() {
    return edges;
  }

  List<TransferNode> relations() {
    return List.copyOf(relations.values());
  }

  /** The joins of the tree. */
  static List<Join> joinsOf(PhysicalPlan plan) {
    List<Join> joins = new ArrayList<>();
    if (plan instanceof Join join) {
      joins.add(join);
      joins.addAll(joinsOf(join.left()));
      joins.addAll(joinsOf(join.right()));
    } else if (plan instanceof PhysicalPlan.Project || plan instanceof PhysicalPlan.Filter) {
      joins.addAll(joinsOf(plan.inputs().getFirst()));
    }
    return joins;
  }

  private void keys(Join join) {
    JoinType type = join.joinType();
    if (join.algorithm() == JoinAlgorithm.HOST_SORT_MERGE || type == JoinType.NULL_AWARE_ANTI) {
      return;
    }
    boolean dropsLeft = !type.padsRight() && type != JoinType.ANTI;
    boolean dropsRight = !type.padsLeft();
    Map<List<TransferNode>, Edge> ofPairs = new LinkedHashMap<>();
    for (JoinKey key : join.keys()) {
      Place left = key.nullSafe() ? null : place(join, true, key.left());
      Place right = key.nullSafe() ? null : place(join, false, key.right());
      if (left == null || right == null) {
        continue;
      }
      Place groups = key.nullSafe() ? null : groups(join, key.right());
      if (groups != null) {
        filtered.computeIfAbsent(groups, any -> new ArrayList<>()).add(left);
      }
      if (dropsRight) {
        filtered.computeIfAbsent(left, any -> new ArrayList<>()).add(right);
      }
      if (dropsLeft) {
        filtered.computeIfAbsent(right, any -> new ArrayList<>()).add(left);
      }
      Edge pair =
          ofPairs.computeIfAbsent(
              List.of(left.relation, right.relation),
              both -> new Edge(both.get(0), new ArrayList<>(), both.get(1), new ArrayList<>()));
      pair.fromColumns.add(left.column);
      pair.toColumns.add(right.column);
    }
    for (Edge pair : ofPairs.values()) {
      if (pair.fromColumns.size() > 1 && dropsRight) {
        connect(pair.from, pair.fromColumns, pair.to, pair.toColumns);
      }
      if (pair.fromColumns.size() > 1 && dropsLeft) {
        connect(pair.to, pair.toColumns, pair.from, pair.fromColumns);
      }
    }
  }

  /**
   * Rows below an aggregate are left as they are: groups that the query has more than once are made
   * once as long as nothing is taken from them.
   */
  private void connect(
      TransferNode from, List<Integer> fromColumns, TransferNode to, List<Integer> toColumns) {
    if (!from.grouped && !to.grouped) {
      edges.add(new Edge(from, fromColumns, to, toColumns));
    }
  }

  private @Nullable Place place(Join join, boolean left, int column) {
    FilterPlace place = FilterPlace.find(left ? join.left() : join.right(), List.of(column));
    if (place.exchanges() > 0) {
      return null;
    }
    TransferNode relation =
        relations.computeIfAbsent(place.node(), node -> relation(node, place.aggregates() > 0));
    JoinEstimate expected = join.expected();
    if (expected != null && place.joins() + place.aggregates() == 0) {
      // Of what is no table (groups, one row of a subquery, a union) the join knows the rows.
      relation.plan(left == join.buildLeft() ? expected.buildRows() : expected.probeRows());
    }
    return new Place(relation, place.columns().getFirst());
  }

  /**
   * The groups of IN (SELECT ... GROUP BY ... HAVING ...), of which few are left: they filter
   * others and are filtered by none, and no other join's filter comes to them.
   */
  private @Nullable Place groups(Join join, int column) {
    PhysicalPlan node = join.right();
    int at = column;
    while (node instanceof PhysicalPlan.Project project) {
      if (!(project.expressions().get(at) instanceof Expr.InputRef ref)) {
        return null;
      }
      at = ref.index();
      node = project.input();
    }
    boolean semi = join.joinType() == JoinType.SEMI && !join.buildLeft();
    if (!semi
        || !(node instanceof PhysicalPlan.Filter filter)
        || !(filter.input() instanceof PhysicalPlan.Aggregate)
        || filter.expected() == Double.POSITIVE_INFINITY) {
      return null;
    }
    TransferNode few =
        relations.computeIfAbsent(
            filter, any -> new TransferNode(any, -1, filter.expected(), false));
    return new Place(few, at);
  }

  private static TransferNode relation(PhysicalPlan node, boolean grouped) {
    PhysicalPlan at = node;
    double expected = Double.POSITIVE_INFINITY;
    while (at instanceof PhysicalPlan.Filter || at instanceof PhysicalPlan.Project) {
      if (at instanceof PhysicalPlan.Filter filter) {
        expected = Math.min(expected, filter.expected());
      }
      at = at.inputs().getFirst();
    }
    double base = at instanceof PhysicalPlan.Scan scan ? scan.table().rows() : -1;
    return new TransferNode(node, base, base < 0 ? base : Math.min(base, expected), grouped);
  }

  /** Single columns, over any number of steps. */
  @SuppressWarnings("ReferenceEquality") // relations are themselves
  private void transitive() {
    for (Place from : filtered.keySet()) {
      List<Place> reached = new ArrayList<>(List.of(from));
      for (int i = 0; i < reached.size(); i++) {
        for (Place to : filtered.getOrDefault(reached.get(i), List.of())) {
          if (!reached.contains(to)) {
            reached.add(to);
          }
        }
      }
      for (Place to : reached.subList(1, reached.size())) {
        if (to.relation != from.relation) {
          connect(from.relation, List.of(from.column), to.relation, List.of(to.column));
        }
      }
    }
  }
}
