package io.aragonite.rules.program;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.RelOptRuleCall;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.rules.FilterProjectTransposeRule;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;

/**
 * Filters below projections. Calcite's rule moves a filter as a whole or, if its expressions would
 * become too large by that, not at all. Here those conditions move that stay small: one on a key of
 * a grouping filters its rows, although another one beside it is of a long expression.
 */
final class FilterTransposition extends FilterProjectTransposeRule {
  static final RelOptRule RULE =
      new DeterministicRule(
          new FilterTransposition(
              Config.DEFAULT.withRelBuilderFactory(Simplification.NONE).as(Config.class)));

  private FilterTransposition(Config config) {
    super(config);
  }

  @Override
  public void onMatch(RelOptRuleCall call) {
    Filter filter = call.rel(0);
    Project project = call.rel(1);
    Map<Boolean, List<RexNode>> conditions =
        RelOptUtil.conjunctions(filter.getCondition()).stream()
            .collect(Collectors.partitioningBy(condition -> staysSmall(condition, project)));
    List<RexNode> small = conditions.getOrDefault(true, List.of());
    if (small.isEmpty() || project.containsOver() || staysSmall(filter.getCondition(), project)) {
      super.onMatch(call);
      return;
    }
    List<RexNode> large = conditions.getOrDefault(false, List.of());
    RelNode below =
        filter.copy(
            filter.getTraitSet(),
            project.getInput(),
            RexUtil.composeConjunction(
                filter.getCluster().getRexBuilder(),
                small.stream()
                    .map(condition -> RelOptUtil.pushPastProject(condition, project))
                    .toList()));
    RelNode above = project.copy(project.getTraitSet(), List.of(below));
    call.transformTo(
        large.isEmpty()
            ? above
            : filter.copy(
                filter.getTraitSet(),
                above,
                RexUtil.composeConjunction(filter.getCluster().getRexBuilder(), large)));
  }

  private boolean staysSmall(RexNode condition, Project project) {
    return RelOptUtil.pushPastProjectUnlessBloat(condition, project, config.bloat()) != null;
  }
}
