package io.aragonite.rules.program;

import io.aragonite.rules.hint.NullAwareAnti;
import io.aragonite.rules.program.subquery.NullAwareJoins;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;

/**
 * Prepares the conditions of filters and joins: constants are computed, and factors that all terms
 * of an OR share are pulled out of it (TPC-H 19 has its only join condition there).
 */
final class ConditionRewriter extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    if (rel instanceof Filter filter) {
      RexNode condition = rewrite(rel, filter.getCondition());
      return condition.equals(filter.getCondition())
          ? filter
          : filter.copy(filter.getTraitSet(), filter.getInput(), condition);
    }
    if (rel instanceof Join join && NullAwareAnti.isMarked(join)) {
      return NullAwareJoins.withRest(join, condition -> rewrite(rel, condition));
    }
    if (rel instanceof Join join) {
      RexNode condition = rewrite(rel, join.getCondition());
      return condition.equals(join.getCondition())
          ? join
          : join.copy(
              join.getTraitSet(),
              condition,
              join.getLeft(),
              join.getRight(),
              join.getJoinType(),
              join.isSemiJoinDone());
    }
    return rel;
  }

  /** A condition of a node, rewritten. */
  static RexNode rewrite(RelNode rel, RexNode condition) {
    RexBuilder rexBuilder = rel.getCluster().getRexBuilder();
    RexNode folded = condition.accept(new ConstantFolder(rexBuilder));
    return RexUtil.pullFactors(rexBuilder, folded);
  }
}
