package io.aragonite.rules.program;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.jspecify.annotations.Nullable;

/**
 * Makes correlations of joins whose right side refers to the left one. Calcite leaves such joins
 * where a subquery refers to its own query and to one further out; nothing can run them.
 */
final class CorrelatedJoins extends RelHomogeneousShuttle {
  /** Variables that correlations around the present node define. */
  private final Set<CorrelationId> outer = new HashSet<>();

  @Override
  public RelNode visit(RelNode other) {
    if (other instanceof LogicalCorrelate correlate) {
      RelNode left = correlate.getLeft().accept(this);
      RelNode right = inside(correlate.getCorrelationId(), correlate.getRight());
      return correlate.copy(correlate.getTraitSet(), List.of(left, right));
    }
    CorrelationId own = other instanceof LogicalJoin join ? ownVariable(join) : null;
    if (own == null) {
      return super.visit(other);
    }
    LogicalJoin join = (LogicalJoin) other;
    RelNode left = join.getLeft().accept(this);
    RelNode right = inside(own, join.getRight());
    return LogicalCorrelate.create(
        left,
        right,
        join.getHints(),
        own,
        RelOptUtil.correlationColumns(own, right),
        join.getJoinType());
  }

  private RelNode inside(CorrelationId variable, RelNode right) {
    boolean added = outer.add(variable);
    RelNode result = right.accept(this);
    if (added) {
      outer.remove(variable);
    }
    return result;
  }

  /** The variable that stands for rows of the left side, null if there is no such one. */
  private @Nullable CorrelationId ownVariable(LogicalJoin join) {
    Set<CorrelationId> own = new HashSet<>(join.getVariablesSet());
    own.removeAll(outer);
    boolean fits =
        own.size() == 1
            && join.getCondition().isAlwaysTrue()
            && (join.getJoinType() == JoinRelType.INNER || join.getJoinType() == JoinRelType.LEFT);
    return fits ? own.iterator().next() : null;
  }
}
