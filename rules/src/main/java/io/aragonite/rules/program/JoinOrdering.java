package io.aragonite.rules.program;

import io.aragonite.exec.limit.StopCheck;
import io.aragonite.rules.hint.NullAwareAnti;
import io.aragonite.rules.limit.PlanningBudget;
import io.aragonite.rules.metadata.JoinEstimates;
import io.aragonite.rules.runtime.EngineProvider;
import io.aragonite.rules.runtime.MultiwayMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.jspecify.annotations.Nullable;

/** Puts the joins of a query in a cheap order. */
final class JoinOrdering extends RelHomogeneousShuttle {
  private final PlanningBudget budget;

  JoinOrdering(PlanningBudget budget) {
    this.budget = budget;
  }

  @Override
  public RelNode visit(RelNode other) {
    if (!JoinGraph.isJoin(other)) {
      return super.visit(other);
    }
    JoinGraph graph = JoinGraph.of(other);
    if (graph.leaves().size() > JoinGraph.MAX_LEAVES) {
      return super.visit(other);
    }
    return new Ordering(graph, other, leaf -> leaf.accept(this), mode(other), budget).result();
  }

  private static MultiwayMode mode(RelNode rel) {
    Context context = rel.getCluster().getPlanner().getContext();
    EngineProvider engines = context == null ? null : context.unwrap(EngineProvider.class);
    return engines == null ? MultiwayMode.AUTO : engines.multiway();
  }

  /** One tree of joins. */
  private static final class Ordering {
    private final JoinGraph graph;
    private final RelNode original;
    private final RexBuilder rexBuilder;
    private final KeyClasses keys = new KeyClasses();
    private final List<RexNode> others = new ArrayList<>();
    private final List<RexNode> constants = new ArrayList<>();
    private final List<List<Integer>> classes;
    private final MultiwayMode multiway;
    private final PlanningBudget budget;

    Ordering(
        JoinGraph graph,
        RelNode original,
        UnaryOperator<RelNode> optimizeLeaf,
        MultiwayMode multiway,
        PlanningBudget budget) {
      this.graph = graph;
      this.budget = budget;
      this.multiway = multiway;
      this.original = original;
      this.rexBuilder = original.getCluster().getRexBuilder();
      List<List<RexNode>> ofLeaf = new ArrayList<>();
      graph.leaves().forEach(leaf -> ofLeaf.add(new ArrayList<>()));
      for (RexNode predicate : graph.predicates()) {
        long leaves = graph.leavesOf(predicate);
        switch (Long.bitCount(leaves)) {
          case 0 -> constants.add(predicate);
          case 1 -> ofLeaf.get(Long.numberOfTrailingZeros(leaves)).add(predicate);
          default -> {
            if (!keys.add(predicate, graph)) {
              others.add(predicate);
              implied(predicate, leaves, ofLeaf);
            }
          }
        }
      }
      classes = keys.classes();
      equalWithin(ofLeaf);
      for (int i = 0; i < ofLeaf.size(); i++) {
        filterLeaf(i, ofLeaf.get(i));
      }
      if (budget.allows("groupings by fewer rows")) {
        reduceGroups();
      }
      for (int i = 0; i < ofLeaf.size(); i++) {
        graph.replace(i, optimizeLeaf.apply(graph.leaves().get(i).rel()));
      }
    }

    /**
     * Columns of one leaf that are made equal by way of others are compared in the leaf: joins
     * compare one column of each side only.
     */
    private void equalWithin(List<List<RexNode>> ofLeaf) {
      for (List<Integer> members : classes) {
        for (int leaf = 0; leaf < ofLeaf.size(); leaf++) {
          int of = leaf;
          List<Integer> own = members.stream().filter(c -> graph.leafOf(c) == of).toList();
          if (own.size() > 1) {
            ofLeaf.get(leaf).addAll(equalities(own));
          }
        }
      }
    }

    /** Groupings of a leaf are limited to the keys of the smallest filtered table it meets. */
    private void reduceGroups() {
      RelMetadataQuery mq = original.getCluster().getMetadataQuery();
      List<JoinGraph.JoinLeaf> before = List.copyOf(graph.leaves());
      for (int i = 0; i < before.size(); i++) {
        JoinGraph.JoinLeaf grouped = before.get(i);
        if (grouped.type() != JoinRelType.INNER || !GroupReduction.isGrouped(grouped.rel())) {
          continue;
        }
        RelNode best = null;
        double fewest = Double.MAX_VALUE;
        for (JoinGraph.JoinLeaf small : before) {
          boolean candidate =
              small.first() != grouped.first()
                  && small.type() == JoinRelType.INNER
                  && GroupReduction.isSimple(small.rel());
          double rows = candidate ? JoinEstimates.rows(small.rel(), mq) : Double.MAX_VALUE;
          RelNode reduced = rows < fewest ? reduced(grouped, small, mq) : null;
          if (reduced != null) {
            best = reduced;
            fewest = rows;
          }
        }
        if (best != null) {
          graph.replace(i, best);
        }
      }
    }

    private @Nullable RelNode reduced(
        JoinGraph.JoinLeaf grouped, JoinGraph.JoinLeaf small, RelMetadataQuery mq) {
      List<Integer> columns = new ArrayList<>();
      List<Integer> keysOfSmall = new ArrayList<>();
      for (List<Integer> members : classes) {
        for (int column : members) {
          for (int key : members) {
            if (grouped.has(column) && small.has(key)) {
              columns.add(column - grouped.first());
              keysOfSmall.add(key - small.first());
            }
          }
        }
      }
      return columns.isEmpty()
          ? null
          : GroupReduction.reduce(grouped.rel(), columns, small.rel(), keysOfSmall, mq);
    }

    /** An OR over several relations implies an OR over each that all its terms restrict. */
    private void implied(RexNode predicate, long leaves, List<List<RexNode>> ofLeaf) {
      if (!predicate.isA(SqlKind.OR)) {
        return;
      }
      for (int leaf = 0; leaf < ofLeaf.size(); leaf++) {
        if ((leaves >> leaf & 1) == 0) {
          continue;
        }
        List<RexNode> terms = new ArrayList<>();
        for (RexNode term : RelOptUtil.disjunctions(predicate)) {
          long bit = 1L << leaf;
          List<RexNode> own =
              RelOptUtil.conjunctions(term).stream()
                  .filter(factor -> graph.leavesOf(factor) == bit)
                  .toList();
          if (own.isEmpty()) {
            terms.clear();
            break;
          }
          terms.add(RexUtil.composeConjunction(rexBuilder, own));
        }
        if (!terms.isEmpty()) {
          ofLeaf.get(leaf).add(RexUtil.composeDisjunction(rexBuilder, terms));
        }
      }
    }

    private void filterLeaf(int index, List<RexNode> predicates) {
      if (predicates.isEmpty()) {
        return;
      }
      JoinGraph.JoinLeaf leaf = graph.leaves().get(index);
      RexNode condition =
          RexUtil.shift(RexUtil.composeConjunction(rexBuilder, predicates), -leaf.first());
      RelNode filtered = LogicalFilter.create(leaf.rel(), condition);
      graph.replace(index, filtered);
    }

    RelNode result() {
      Tree cyclic = cyclic();
      return result(cyclic != null ? cyclic : build(order()));
    }

    private JoinOrder.OrderedJoin order() {
      StopCheck.current().check();
      RelMetadataQuery mq = original.getCluster().getMetadataQuery();
      return new JoinOrder(graph, classes, others, mq, original.getCluster().getPlanner(), budget)
          .find();
    }

    private RelNode result(Tree tree) {
      RelNode rel = tree.rel;
      if (!constants.isEmpty()) {
        rel = LogicalFilter.create(rel, RexUtil.composeConjunction(rexBuilder, constants));
      }
      List<RexNode> columns = new ArrayList<>();
      for (int column : graph.output()) {
        columns.add(RexInputRef.of(tree.columns.indexOf(column), rel.getRowType()));
      }
      // A cast keeps the nullability that the query had.
      RelNode result =
          RelOptUtil.createProject(rel, columns, original.getRowType().getFieldNames());
      return RelOptUtil.createCastRel(result, original.getRowType(), false);
    }

    /** A join tree and the numbers of its columns. */
    private record Tree(RelNode rel, List<Integer> columns) {}

    /**
     * The joins with those whose equalities close a cycle as one node, if there are any and it is
     * worth while; the others are put in order around it.
     */
    private @Nullable Tree cyclic() {
      MultiwayCore core =
          multiway == MultiwayMode.OFF
                  || graph.leaves().size() < 3
                  || !budget.allows("joins of several relations at once")
              ? null
              : MultiwayCore.find(graph, classes, others, original.getCluster().getMetadataQuery());
      RelNode join = core == null ? null : join(core);
      if (core == null || join == null) {
        return null;
      }
      List<Integer> columns = new ArrayList<>(core.columns());
      RelNode rel = join;
      for (int i = 0; i < graph.leaves().size(); i++) {
        JoinGraph.JoinLeaf leaf = graph.leaves().get(i);
        if (leaf.type() == JoinRelType.INNER && !core.leaves().contains(i)) {
          rel = inner(new Tree(rel, columns), build(leaf), List.of()).rel;
          IntStream.range(leaf.first(), leaf.first() + leaf.width()).forEach(columns::add);
        }
      }
      List<RexNode> rest = rest(core);
      if (!rest.isEmpty()) {
        rel = LogicalFilter.create(rel, place(rest, columns));
      }
      for (JoinGraph.JoinLeaf leaf : graph.leaves()) {
        if (leaf.type() != JoinRelType.INNER) {
          rel = semi(new Tree(rel, columns), leaf).rel;
        }
      }
      if (core.leaves().size() < graph.leaves().size()) {
        rel =
            new Ordering(JoinGraph.of(rel), rel, UnaryOperator.identity(), multiway, budget)
                .result();
      }
      return new Tree(rel, columns);
    }

    /** The core as one node; null if joins of two relations are cheaper. */
    private @Nullable RelNode join(MultiwayCore core) {
      List<Integer> columns = core.columns();
      RelNode all = core.relations().get(0);
      for (RelNode relation : core.relations().subList(1, core.relations().size())) {
        all = inner(new Tree(all, List.of()), new Tree(relation, List.of()), List.of()).rel;
      }
      List<RexNode> conditions = new ArrayList<>();
      for (List<Integer> members : core.variables()) {
        conditions.addAll(equalities(members));
      }
      others.stream().filter(core::compares).forEach(conditions::add);
      conditions.addAll(core.ofLeaves());
      all = LogicalFilter.create(all, place(conditions, columns));
      Ordering binary =
          new Ordering(JoinGraph.of(all), all, UnaryOperator.identity(), MultiwayMode.OFF, budget);
      JoinOrder.OrderedJoin order = binary.order();
      return core.join(multiway, binary.result(binary.build(order)), order.cost(), order.rows());
    }

    private List<RexNode> equalities(List<Integer> members) {
      List<RexNode> result = new ArrayList<>();
      for (int column : members.subList(1, members.size())) {
        result.add(
            rexBuilder.makeCall(
                SqlStdOperatorTable.EQUALS, keys.ref(members.get(0)), keys.ref(column)));
      }
      return result;
    }

    /** Predicates of the whole that the core does not see to. */
    private List<RexNode> rest(MultiwayCore core) {
      List<RexNode> rest = new ArrayList<>();
      for (List<Integer> members : classes) {
        List<Integer> left = new ArrayList<>(members);
        for (List<Integer> variable : core.variables()) {
          if (members.containsAll(variable)) {
            left.removeAll(variable.subList(1, variable.size()));
          }
        }
        rest.addAll(equalities(left));
      }
      others.stream().filter(predicate -> !core.compares(predicate)).forEach(rest::add);
      return rest;
    }

    private Tree build(JoinGraph.JoinLeaf leaf) {
      return new Tree(
          leaf.rel(), IntStream.range(leaf.first(), leaf.first() + leaf.width()).boxed().toList());
    }

    private Tree build(JoinOrder.OrderedJoin plan) {
      JoinOrder.OrderedJoin first = plan.left();
      JoinOrder.OrderedJoin second = plan.right();
      if (first == null || second == null) {
        return build(leaf(plan));
      }
      boolean filters =
          Long.bitCount(second.leaves()) == 1 && leaf(second).type() != JoinRelType.INNER;
      if (filters) {
        return semi(build(first), leaf(second));
      }
      // The larger side goes left, where the engine probes from.
      boolean swap = first.rows() < second.rows();
      JoinOrder.OrderedJoin left = swap ? second : first;
      JoinOrder.OrderedJoin right = swap ? first : second;
      return inner(build(left), build(right), conditions(left.leaves(), right.leaves()));
    }

    private JoinGraph.JoinLeaf leaf(JoinOrder.OrderedJoin plan) {
      return graph.leaves().get(Long.numberOfTrailingZeros(plan.leaves()));
    }

    private List<RexNode> conditions(long left, long right) {
      List<RexNode> result = new ArrayList<>();
      JoinKeys ofTwo = JoinKeys.ofTwoLeaves(graph, classes, left, right);
      for (int i = 0; ofTwo != null && i < ofTwo.left().size(); i++) {
        result.add(equal(ofTwo.left().get(i), ofTwo.right().get(i)));
      }
      for (List<Integer> members : ofTwo != null ? List.<List<Integer>>of() : classes) {
        int a = JoinKeys.member(graph, members, left);
        int b = JoinKeys.member(graph, members, right);
        if (a >= 0 && b >= 0) {
          result.add(equal(a, b));
        }
      }
      for (RexNode predicate : others) {
        long leaves = graph.leavesOf(predicate);
        boolean here =
            (leaves & ~(left | right)) == 0 && (leaves & ~left) != 0 && (leaves & ~right) != 0;
        if (here) {
          result.add(predicate);
        }
      }
      return result;
    }

    private RexNode equal(int a, int b) {
      return rexBuilder.makeCall(SqlStdOperatorTable.EQUALS, keys.ref(a), keys.ref(b));
    }

    private Tree inner(Tree left, Tree right, List<RexNode> conditions) {
      List<Integer> columns = new ArrayList<>(left.columns);
      columns.addAll(right.columns);
      return new Tree(
          LogicalJoin.create(
              left.rel,
              right.rel,
              List.of(),
              place(conditions, columns),
              Set.of(),
              JoinRelType.INNER),
          columns);
    }

    private Tree semi(Tree left, JoinGraph.JoinLeaf inner) {
      List<Integer> columns = new ArrayList<>(left.columns);
      IntStream.range(inner.first(), inner.first() + inner.width()).forEach(columns::add);
      LogicalJoin join =
          LogicalJoin.create(
              left.rel,
              inner.rel(),
              List.of(),
              place(inner.filters(), columns),
              Set.of(),
              inner.type());
      return new Tree(inner.nullAware() ? NullAwareAnti.mark(join) : join, left.columns);
    }

    private RexNode place(List<RexNode> conditions, List<Integer> columns) {
      List<Integer> places = new ArrayList<>();
      for (int i = 0; i < graph.columns(); i++) {
        places.add(columns.indexOf(i));
      }
      return JoinGraph.renumber(RexUtil.composeConjunction(rexBuilder, conditions), places);
    }
  }
}
