package io.aragonite.rules.program;

import io.aragonite.rules.translate.Averages;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.RelOptRuleCall;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.rules.AggregateExpandDistinctAggregatesRule;
import org.apache.calcite.rel.rules.AggregateReduceFunctionsRule;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.tools.RelBuilder;

/** Composes averages, variances and regressions of counts and sums; sums stay what they are. */
final class AggregateReductions extends AggregateReduceFunctionsRule {
  /** Projections stay apart: {@code stddev(random())} reads one number and its square. */
  static final RelOptRule RULE =
      new AggregateReductions(
          Config.DEFAULT
              .withRelBuilderFactory(RelBuilder.proto(RelBuilder.Config.DEFAULT.withBloat(-1)))
              .as(Config.class)
              .withOperandFor(LogicalAggregate.class)
              .withFunctionsToReduce(functions()));

  /**
   * Distinct rows first: distinct squares are not the squares of what is distinct. {@link
   * DistinctPowerSplit} takes away before what has no minimum, and orders.
   */
  static final RelOptRule EXPAND_DISTINCT =
      AggregateExpandDistinctAggregatesRule.Config.DEFAULT
          .withOperandSupplier(operand ->
              operand
                  .operand(LogicalAggregate.class)
                  .predicate(AggregateReductions::ofDistinctPowers)
                  .anyInputs())
          .as(AggregateExpandDistinctAggregatesRule.Config.class)
          .toRule();

  private AggregateReductions(Config config) {
    super(config);
  }

  private static Set<SqlKind> functions() {
    Set<SqlKind> kinds = EnumSet.copyOf(SqlKind.AVG_AGG_FUNCTIONS);
    kinds.addAll(SqlKind.COVAR_AVG_AGG_FUNCTIONS);
    return kinds;
  }

  static boolean ofDistinctPowers(Aggregate aggregate) {
    return aggregate.getAggCallList().stream().anyMatch(AggregateReductions::isDistinctPower);
  }

  /** A variance or a regression of distinct values. */
  static boolean isDistinctPower(AggregateCall call) {
    return call.isDistinct()
        && call.getAggregation().kind != SqlKind.AVG
        && functions().contains(call.getAggregation().kind);
  }

  static boolean hasDistinctPowers(RelNode rel) {
    return rel instanceof Aggregate aggregate && ofDistinctPowers(aggregate)
        || rel.getInputs().stream().anyMatch(AggregateReductions::hasDistinctPowers);
  }

  @Override
  public void onMatch(RelOptRuleCall call) {
    if (!ofDistinctPowers(call.rel(0))) {
      super.onMatch(call);
    }
  }

  @Override
  protected void newCalcRel(RelBuilder builder, RelDataType rowType, List<RexNode> exprs) {
    super.newCalcRel(
        builder,
        rowType,
        exprs.stream().map(expr -> Averages.rounded(builder.getRexBuilder(), expr)).toList());
  }
}
