package io.aragonite.rules.program.subquery;

import org.apache.calcite.plan.RelOptPredicateList;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexSimplify;
import org.apache.calcite.rex.RexUtil;

/** Simplifies what is over constants. */
final class Constants {
  private Constants() {}

  static RexNode fold(RexNode expression, RexBuilder rexBuilder) {
    return new RexSimplify(rexBuilder, RelOptPredicateList.EMPTY, RexUtil.EXECUTOR)
        .simplifyPreservingType(expression);
  }
}
