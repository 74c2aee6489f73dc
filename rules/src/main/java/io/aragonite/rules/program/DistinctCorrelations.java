package io.aragonite.rules.program;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;

/**
 * Gives each correlation a variable of its own. Calcite makes two correlations with one variable of
 * an IN in the SELECT list, and its decorrelator, which knows one place for each variable, then
 * looks for columns in the wrong one.
 */
final class DistinctCorrelations extends RelHomogeneousShuttle {
  private final Set<CorrelationId> seen = new HashSet<>();

  @Override
  public RelNode visit(RelNode other) {
    if (!(other instanceof LogicalCorrelate correlate) || seen.add(correlate.getCorrelationId())) {
      return super.visit(other);
    }
    CorrelationId own = correlate.getCluster().createCorrel();
    RelNode right = correlate.getRight().accept(new Renaming(correlate, own));
    seen.add(own);
    RelNode renamed =
        LogicalCorrelate.create(
            correlate.getLeft(),
            right,
            correlate.getHints(),
            own,
            RelOptUtil.correlationColumns(own, right),
            correlate.getJoinType());
    return super.visit(renamed);
  }

  /** Replaces a variable in a tree, but not below where it is defined again. */
  private static final class Renaming extends RelHomogeneousShuttle {
    private final CorrelationId old;
    private final RexShuttle variables;

    Renaming(LogicalCorrelate correlate, CorrelationId own) {
      this.old = correlate.getCorrelationId();
      RexBuilder rexBuilder = correlate.getCluster().getRexBuilder();
      this.variables =
          new RexShuttle() {
            @Override
            public RexNode visitCorrelVariable(RexCorrelVariable variable) {
              return variable.id.equals(old)
                  ? rexBuilder.makeCorrel(variable.getType(), own)
                  : variable;
            }
          };
    }

    @Override
    public RelNode visit(RelNode other) {
      if (other instanceof LogicalCorrelate inner && inner.getCorrelationId().equals(old)) {
        RelNode left = inner.getLeft().accept(this);
        return inner.copy(inner.getTraitSet(), List.of(left, inner.getRight()));
      }
      return super.visit(other).accept(variables);
    }
  }
}
