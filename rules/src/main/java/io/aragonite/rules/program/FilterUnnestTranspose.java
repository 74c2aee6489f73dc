package io.aragonite.rules.program;

import io.aragonite.rules.rel.LogicalUnnest;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.RelOptRuleCall;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;

/** Conditions on columns that UNNEST repeats, below it. */
final class FilterUnnestTranspose extends RelOptRule {
  static final RelOptRule RULE = new DeterministicRule(new FilterUnnestTranspose());

  private FilterUnnestTranspose() {
    super(
        operand(Filter.class, operand(LogicalUnnest.class, any())),
        Simplification.NONE,
        "FilterUnnestTranspose");
  }

  @Override
  public void onMatch(RelOptRuleCall call) {
    Filter filter = call.rel(0);
    LogicalUnnest unnest = call.rel(1);
    Map<Boolean, List<RexNode>> conditions =
        RelOptUtil.conjunctions(filter.getCondition()).stream()
            .collect(
                Collectors.partitioningBy(
                    condition -> RelOptUtil.InputFinder.bits(condition).length() <= unnest.kept()));
    List<RexNode> below = conditions.getOrDefault(true, List.of());
    if (below.isEmpty()) {
      return;
    }
    RelNode filtered = filter(filter, unnest.getInput(), below);
    call.transformTo(
        filter(
            filter,
            unnest.copy(unnest.getTraitSet(), List.of(filtered)),
            conditions.getOrDefault(false, List.of())));
  }

  private static RelNode filter(Filter filter, RelNode input, List<RexNode> conditions) {
    return conditions.isEmpty()
        ? input
        : filter.copy(
            filter.getTraitSet(),
            input,
            RexUtil.composeConjunction(filter.getCluster().getRexBuilder(), conditions));
  }
}
