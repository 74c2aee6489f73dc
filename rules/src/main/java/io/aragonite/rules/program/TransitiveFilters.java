package io.aragonite.rules.program;

import io.aragonite.rules.hint.NullAwareAnti;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Filters that keys of outer, semi- and anti-joins carry over. Where a comparison with constants
 * holds for a key of all rows on the side that an outer join preserves, rows of the other side for
 * whose key it does not hold have no partner: they are filtered out before they are grouped or
 * joined. Inner joins are left to the planning of join order.
 */
final class TransitiveFilters extends RelHomogeneousShuttle {
  /** What holds for a column of all rows, as expressions over that column, as column 0. */
  private final Map<RelNode, List<List<RexNode>>> known = new IdentityHashMap<>();

  private boolean added;

  private TransitiveFilters() {}

  /** The query with such filters; the same object if there are none. */
  static RelNode add(RelNode root) {
    TransitiveFilters filters = new TransitiveFilters();
    RelNode rel = root.accept(filters);
    return filters.added ? rel : root;
  }

  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    // A null of the other side decides over all rows of NOT IN: it has to stay.
    return rel instanceof LogicalJoin join && !NullAwareAnti.isMarked(join) ? extend(join) : rel;
  }

  @SuppressWarnings("ReferenceEquality") // the same object if nothing is added
  private RelNode extend(LogicalJoin join) {
    RelNode left = join.getLeft();
    RelNode right = join.getRight();
    JoinInfo keys = join.analyzeCondition();
    return switch (join.getJoinType()) {
      case LEFT, SEMI, ANTI -> {
        RelNode filtered = filter(left, keys.leftKeys, right, keys.rightKeys);
        yield filtered == right ? join : copy(join, left, filtered);
      }
      case RIGHT -> {
        RelNode filtered = filter(right, keys.rightKeys, left, keys.leftKeys);
        yield filtered == left ? join : copy(join, filtered, right);
      }
      default -> join;
    };
  }

  private static RelNode copy(LogicalJoin join, RelNode left, RelNode right) {
    return join.copy(join.getTraitSet(), List.of(left, right));
  }

  /** A join's other side, filtered by what is known of keys on this side. */
  private RelNode filter(RelNode from, List<Integer> fromKeys, RelNode to, List<Integer> toKeys) {
    RexBuilder rex = to.getCluster().getRexBuilder();
    List<RexNode> conjuncts = new ArrayList<>();
    for (int i = 0; i < fromKeys.size(); i++) {
      RelDataType type = type(to, toKeys.get(i));
      if (!SqlTypeUtil.equalSansNullability(type(from, fromKeys.get(i)), type)) {
        continue;
      }
      List<RexNode> there = known(to).get(toKeys.get(i));
      for (RexNode predicate : known(from).get(fromKeys.get(i))) {
        if (!there.contains(predicate)) {
          conjuncts.add(over(rex, predicate, new RexInputRef(toKeys.get(i), type)));
        }
      }
    }
    if (conjuncts.isEmpty()) {
      return to;
    }
    added = true;
    return LogicalFilter.create(to, RexUtil.composeConjunction(rex, conjuncts));
  }

  private static RelDataType type(RelNode rel, int column) {
    return rel.getRowType().getFieldList().get(column).getType();
  }

  private List<List<RexNode>> known(RelNode rel) {
    List<List<RexNode>> before = known.get(rel);
    if (before != null) {
      return before;
    }
    List<List<RexNode>> predicates = new ArrayList<>();
    rel.getRowType().getFieldList().forEach(field -> predicates.add(new ArrayList<>()));
    switch (rel) {
      case Filter filter -> {
        copy(known(filter.getInput()), predicates, 0);
        addConjuncts(filter, predicates);
      }
      case Project project -> {
        List<List<RexNode>> input = known(project.getInput());
        for (int i = 0; i < predicates.size(); i++) {
          if (project.getProjects().get(i) instanceof RexInputRef ref) {
            predicates.get(i).addAll(input.get(ref.getIndex()));
          }
        }
      }
      case Aggregate aggregate when aggregate.getGroupType() == Aggregate.Group.SIMPLE -> {
        List<List<RexNode>> input = known(aggregate.getInput());
        List<Integer> keys = aggregate.getGroupSet().asList();
        for (int i = 0; i < keys.size(); i++) {
          predicates.get(i).addAll(input.get(keys.get(i)));
        }
      }
      case Sort sort -> copy(known(sort.getInput()), predicates, 0);
      case Join join -> addSides(join, predicates);
      default -> {}
    }
    known.put(rel, predicates);
    return predicates;
  }

  /** What holds for columns of a join's sides holds behind it where it adds no nulls to them. */
  private void addSides(Join join, List<List<RexNode>> predicates) {
    JoinRelType type = join.getJoinType();
    if (!type.projectsRight()) {
      copy(known(join.getLeft()), predicates, 0);
      return;
    }
    if (!type.generatesNullsOnLeft() && type != JoinRelType.ASOF && type != JoinRelType.LEFT_ASOF) {
      copy(known(join.getLeft()), predicates, 0);
    }
    if (type == JoinRelType.INNER || type == JoinRelType.RIGHT) {
      copy(known(join.getRight()), predicates, join.getLeft().getRowType().getFieldCount());
    }
    if (type == JoinRelType.INNER) {
      JoinInfo keys = join.analyzeCondition();
      int width = join.getLeft().getRowType().getFieldCount();
      for (int i = 0; i < keys.leftKeys.size(); i++) {
        int left = keys.leftKeys.get(i);
        int right = width + keys.rightKeys.get(i);
        if (SqlTypeUtil.equalSansNullability(type(join, left), type(join, right))) {
          share(predicates.get(left), predicates.get(right));
        }
      }
    }
  }

  private static void share(List<RexNode> one, List<RexNode> other) {
    one.stream().filter(predicate -> !other.contains(predicate)).toList().forEach(other::add);
    other.stream().filter(predicate -> !one.contains(predicate)).toList().forEach(one::add);
  }

  private static void copy(List<List<RexNode>> from, List<List<RexNode>> to, int first) {
    for (int i = 0; i < from.size(); i++) {
      to.get(first + i).addAll(from.get(i));
    }
  }

  private static void addConjuncts(Filter filter, List<List<RexNode>> predicates) {
    RexBuilder rex = filter.getCluster().getRexBuilder();
    for (RexNode conjunct : RelOptUtil.conjunctions(filter.getCondition())) {
      ImmutableBitSet columns = RelOptUtil.InputFinder.bits(conjunct);
      if (columns.cardinality() == 1 && comparesWithConstants(conjunct)) {
        int column = columns.nth(0);
        RelDataType type =
            rex.getTypeFactory().createTypeWithNullability(type(filter, column), true);
        predicates.get(column).add(over(rex, conjunct, new RexInputRef(0, type)));
      }
    }
  }

  /** Whether an expression says the same of all values that an equality takes for the same. */
  private static boolean comparesWithConstants(RexNode node) {
    if (!(node instanceof RexCall call)) {
      return false;
    }
    return switch (call.getKind()) {
      case AND, OR ->
          call.getOperands().stream().allMatch(TransitiveFilters::comparesWithConstants);
      case EQUALS,
          NOT_EQUALS,
          LESS_THAN,
          LESS_THAN_OR_EQUAL,
          GREATER_THAN,
          GREATER_THAN_OR_EQUAL,
          SEARCH ->
          call.getOperands().stream()
              .allMatch(operand ->
                  operand instanceof RexInputRef
                      || operand instanceof RexLiteral
                      || operand instanceof RexDynamicParam);
      default -> false;
    };
  }

  /** A comparison of another column; its type follows whether that may be null. */
  private static RexNode over(RexBuilder rex, RexNode node, RexInputRef column) {
    return switch (node) {
      case RexInputRef ref -> column;
      case RexCall call ->
          rex.makeCall(
              call.getOperator(),
              call.getOperands().stream().map(operand -> over(rex, operand, column)).toList());
      default -> node;
    };
  }
}
