package io.aragonite.rules.program;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.plan.RelOptRuleCall;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.rules.FilterProjectTransposeRule;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;

/**
 * Filters below projections. Calcite's rule moves a filter as a whole or, if its expressions would
 * become too large by that, not at all. Here comparisons that stay small move then: one on a key of
 * a grouping filters its rows, although another one beside it is of a long expression. What can
 * raise an error stays, since what stays may guard it.
 */
final class FilterTransposition extends FilterProjectTransposeRule {
  static final RelOptRule RULE =
      new DeterministicRule(
          new FilterTransposition(
              Config.DEFAULT.withRelBuilderFactory(Simplification.NONE).as(Config.class)));

  private static final Set<SqlKind> HARMLESS =
      EnumSet.of(
          SqlKind.AND,
          SqlKind.OR,
          SqlKind.NOT,
          SqlKind.SEARCH,
          SqlKind.IS_NULL,
          SqlKind.IS_NOT_NULL);

  private FilterTransposition(Config config) {
    super(config);
  }

  @Override
  public void onMatch(RelOptRuleCall call) {
    Filter filter = call.rel(0);
    Project project = call.rel(1);
    Map<Boolean, List<RexNode>> conditions =
        RelOptUtil.conjunctions(filter.getCondition()).stream()
            .collect(Collectors.partitioningBy(condition -> movesAlone(condition, project)));
    List<RexNode> small = conditions.getOrDefault(true, List.of());
    if (small.isEmpty() || project.containsOver() || staysSmall(filter.getCondition(), project)) {
      moveWhole(call, filter, project);
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

  /** Calcite's rule asserts that an OR has no OR as its term, which a column may bring. */
  private void moveWhole(RelOptRuleCall call, Filter filter, Project project) {
    RexNode moved =
        project.containsOver()
            ? filter.getCondition()
            : RelOptUtil.pushPastProject(filter.getCondition(), project);
    if (RexUtil.isFlat(moved)) {
      super.onMatch(call);
      return;
    }
    RexNode flat = flat(moved, filter.getCluster().getRexBuilder());
    RelNode below = filter.copy(filter.getTraitSet(), project.getInput(), flat);
    call.transformTo(project.copy(project.getTraitSet(), List.of(below)));
  }

  /** Also within other calls, which Calcite's own does not look into. */
  private static RexNode flat(RexNode condition, RexBuilder rex) {
    return condition.accept(
        new RexShuttle() {
          @Override
          public RexNode visitCall(RexCall call) {
            return RexUtil.flatten(rex, super.visitCall(call));
          }
        });
  }

  private boolean movesAlone(RexNode condition, Project project) {
    return staysSmall(condition, project)
        && isHarmless(RelOptUtil.pushPastProject(condition, project));
  }

  /** Whether there are only columns and constants that are compared. */
  private static boolean isHarmless(RexNode condition) {
    return condition instanceof RexCall call
        ? (call.isA(SqlKind.COMPARISON) || HARMLESS.contains(call.getKind()))
            && call.getOperands().stream().allMatch(FilterTransposition::isHarmless)
        : condition instanceof RexInputRef || condition instanceof RexLiteral;
  }

  private boolean staysSmall(RexNode condition, Project project) {
    return RelOptUtil.pushPastProjectUnlessBloat(condition, project, config.bloat()) != null;
  }
}
