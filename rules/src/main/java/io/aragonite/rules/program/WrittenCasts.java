package io.aragonite.rules.program;

import java.util.List;
import org.apache.calcite.adapter.enumerable.EnumerableFilter;
import org.apache.calcite.adapter.enumerable.EnumerableProject;
import org.apache.calcite.plan.RelOptLattice;
import org.apache.calcite.plan.RelOptMaterialization;
import org.apache.calcite.plan.RelOptPlanner;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.tools.Program;

/**
 * Casts between a value and its text, in what is left to Calcite's code: {@code CAST(CAST(x AS
 * DECIMAL(9, 3)) AS VARCHAR)} has three digits behind the point, but when that code is made the
 * simplifier takes the inner cast away, where no value is lost by it. It leaves {@code SAFE_CAST},
 * which gives the same where no value is lost. {@link HiddenTexts} does it for the phases before.
 */
public final class WrittenCasts implements Program {
  @Override
  public RelNode run(
      RelOptPlanner planner,
      RelNode root,
      RelTraitSet requiredOutputTraits,
      List<RelOptMaterialization> materializations,
      List<RelOptLattice> lattices) {
    return root.accept(
        new RelHomogeneousShuttle() {
          @Override
          public RelNode visit(RelNode other) {
            RelNode rel = super.visit(other);
            return rel instanceof EnumerableProject || rel instanceof EnumerableFilter
                ? rel.accept(new SafeCasts(rel.getCluster().getRexBuilder()))
                : rel;
          }
        });
  }

  private static final class SafeCasts extends RexShuttle {
    private final RexBuilder builder;

    SafeCasts(RexBuilder builder) {
      this.builder = builder;
    }

    @Override
    public RexNode visitCall(RexCall call) {
      RexNode visited = super.visitCall(call);
      return visited instanceof RexCall text
              && text.isA(SqlKind.CAST)
              && SqlTypeUtil.inCharFamily(text.getType())
              && text.getOperands().getFirst() instanceof RexCall cast
              && cast.isA(SqlKind.CAST)
              && !SqlTypeUtil.inCharFamily(cast.getType())
              && RexUtil.isLosslessCast(cast)
          ? text.clone(text.getType(), List.of(safe(cast)))
          : visited;
    }

    private RexNode safe(RexCall cast) {
      return builder.makeAbstractCast(cast.getType(), cast.getOperands().getFirst(), true);
    }
  }
}
