package io.aragonite.rules.program;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;

/**
 * Puts conditions with {@code random()} above those without, which rules may move then: {@link
 * DeterministicRule} leaves a filter that has both where it is.
 */
final class MixedFilters extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    if (!(rel instanceof Filter filter) || RexUtil.isDeterministic(filter.getCondition())) {
      return rel;
    }
    Map<Boolean, List<RexNode>> parts =
        RelOptUtil.conjunctions(filter.getCondition()).stream()
            .collect(Collectors.partitioningBy(RexUtil::isDeterministic));
    List<RexNode> movable = parts.getOrDefault(true, List.of());
    if (movable.isEmpty()) {
      return rel;
    }
    RexBuilder rexBuilder = filter.getCluster().getRexBuilder();
    RelNode below =
        filter.copy(
            filter.getTraitSet(),
            filter.getInput(),
            RexUtil.composeConjunction(rexBuilder, movable));
    return filter.copy(
        filter.getTraitSet(),
        below,
        RexUtil.composeConjunction(rexBuilder, parts.getOrDefault(false, List.of())));
  }
}
