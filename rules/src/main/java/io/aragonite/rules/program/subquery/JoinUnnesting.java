package io.aragonite.rules.program.subquery;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/**
 * Joins the rows that both sides have for the same keys. A side whose rows stay without a partner
 * must know the keys of the other one.
 */
final class JoinUnnesting {
  private final OuterSide outer;
  private final Unnesting unnesting;

  JoinUnnesting(OuterSide outer, Unnesting unnesting) {
    this.outer = outer;
    this.unnesting = unnesting;
  }

  UnnestedSide of(LogicalJoin join, UnnestedSide left, UnnestedSide right) {
    UnnestedSide first = outer.complete(left);
    UnnestedSide second = outer.complete(right);
    Set<CorrelationKey> condition = outer.keys(join.getCondition());
    switch (join.getJoinType()) {
      case INNER -> {}
      case LEFT, SEMI, ANTI -> {
        Set<CorrelationKey> needed = new LinkedHashSet<>(second.keys().keySet());
        needed.addAll(condition);
        first = outer.bind(first, needed);
      }
      case RIGHT -> {
        Set<CorrelationKey> needed = new LinkedHashSet<>(first.keys().keySet());
        needed.addAll(condition);
        second = outer.bind(second, needed);
      }
      case FULL -> {
        Set<CorrelationKey> needed = new LinkedHashSet<>(first.keys().keySet());
        needed.addAll(second.keys().keySet());
        needed.addAll(condition);
        first = outer.bind(first, needed);
        second = outer.bind(second, needed);
      }
      default -> throw new NotUnnestable(join.getJoinType() + " join");
    }
    return join(join, first, second);
  }

  private UnnestedSide join(LogicalJoin join, UnnestedSide left, UnnestedSide right) {
    RexBuilder rexBuilder = join.getCluster().getRexBuilder();
    JoinRelType type = join.getJoinType();
    int oldLeft = Rels.width(join.getLeft());
    int newLeft = Rels.width(left.rel());
    RelNode both = Rels.join(left.rel(), right.rel(), List.of(), JoinRelType.INNER);
    List<RexNode> conditions = new ArrayList<>();
    List<RexNode> dependent = new ArrayList<>();
    for (RexNode term : RelOptUtil.conjunctions(join.getCondition())) {
      RexNode moved =
          Rels.move(term, column -> column < oldLeft ? column : column - oldLeft + newLeft, both);
      if (!outer.isUsedBy(term)) {
        conditions.add(moved);
      } else if (type == JoinRelType.INNER) {
        dependent.add(term);
      } else {
        boolean first = type != JoinRelType.RIGHT;
        UnnestedSide side =
            first
                ? left.with(both)
                : right.with(both, UnnestedSide.moved(right.keys(), column -> column + newLeft));
        conditions.add(outer.resolve(moved, side));
      }
    }
    for (CorrelationKey key : left.keys().keySet()) {
      if (right.keys().containsKey(key)) {
        RexInputRef value = right.column(key);
        conditions.add(
            UnnestedSide.same(
                rexBuilder,
                left.column(key),
                new RexInputRef(newLeft + value.getIndex(), value.getType()),
                left.bound(key).notNull() || right.bound(key).notNull()));
      }
    }
    RelNode joined = copy(join, left.rel(), right.rel(), conditions);
    UnnestedSide result = result(join, joined, left, right);
    return dependent.isEmpty() ? result : unnesting.filter(result, dependent);
  }

  private static RelNode copy(
      LogicalJoin join, RelNode left, RelNode right, List<RexNode> conditions) {
    return Rels.join(left, right, conditions, join.getJoinType()).withHints(join.getHints());
  }

  private UnnestedSide result(
      LogicalJoin join, RelNode joined, UnnestedSide left, UnnestedSide right) {
    JoinRelType type = join.getJoinType();
    int newLeft = Rels.width(left.rel());
    List<RexNode> columns = new ArrayList<>(Rels.refs(joined, 0, Rels.width(join.getLeft())));
    Map<CorrelationKey, UnnestedSide.KeyBinding> rightKeys =
        UnnestedSide.moved(right.keys(), column -> column + newLeft);
    if (!type.projectsRight()) {
      return Unnesting.withKeys(joined, columns, left.keys());
    }
    columns.addAll(Rels.refs(joined, newLeft, newLeft + Rels.width(join.getRight())));
    if (type == JoinRelType.FULL) {
      return full(joined, columns, left, rightKeys);
    }
    Map<CorrelationKey, UnnestedSide.KeyBinding> keys = new LinkedHashMap<>();
    if (type == JoinRelType.RIGHT) {
      keys.putAll(rightKeys);
    } else {
      keys.putAll(left.keys());
      if (type == JoinRelType.INNER) {
        rightKeys.forEach(
            (key, bound) -> keys.merge(key, bound, (one, other) -> one.notNull() ? one : other));
      }
    }
    return Unnesting.withKeys(joined, columns, keys);
  }

  /** A row has its keys from the side that it is of. */
  private static UnnestedSide full(
      RelNode joined,
      List<RexNode> columns,
      UnnestedSide left,
      Map<CorrelationKey, UnnestedSide.KeyBinding> rightKeys) {
    RexBuilder rexBuilder = joined.getCluster().getRexBuilder();
    Map<CorrelationKey, UnnestedSide.KeyBinding> keys = new LinkedHashMap<>();
    left.keys()
        .forEach((key, bound) -> {
          RexNode first = Rels.ref(joined, bound.column());
          UnnestedSide.KeyBinding other = Objects.requireNonNull(rightKeys.get(key));
          RexNode second = Rels.ref(joined, other.column());
          keys.put(
              key, new UnnestedSide.KeyBinding(columns.size(), bound.notNull() && other.notNull()));
          columns.add(
              rexBuilder.makeCall(
                  SqlStdOperatorTable.CASE,
                  rexBuilder.makeCall(SqlStdOperatorTable.IS_NOT_NULL, first),
                  first,
                  second));
        });
    return new UnnestedSide(Rels.project(joined, columns), keys, null);
  }
}
