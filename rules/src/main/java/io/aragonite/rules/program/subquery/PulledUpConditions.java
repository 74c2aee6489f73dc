package io.aragonite.rules.program.subquery;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.jspecify.annotations.Nullable;

/**
 * The right side of a dependent join, if all its correlation is in conditions that can become
 * conditions of the join.
 *
 * @param rel the right side without them; its own columns first, then what the conditions need
 * @param conditions over the columns of {@code rel} and of the outer row
 */
record PulledUpConditions(RelNode rel, List<RexNode> conditions) {

  /** The right side taken apart, null if it is correlated elsewhere than in conditions. */
  static @Nullable PulledUpConditions of(RelNode rel, CorrelationId variable) {
    if (!OuterColumns.uses(rel, variable)) {
      return new PulledUpConditions(rel, List.of());
    }
    return switch (rel) {
      case LogicalFilter filter -> ofFilter(filter, variable);
      case LogicalProject project -> ofProject(project, variable);
      case LogicalJoin join when join.getJoinType() == JoinRelType.INNER -> ofJoin(join, variable);
      case LogicalJoin join when !join.getJoinType().projectsRight() -> ofSemiJoin(join, variable);
      default -> null;
    };
  }

  private static @Nullable PulledUpConditions ofFilter(
      LogicalFilter filter, CorrelationId variable) {
    PulledUpConditions input = of(filter.getInput(), variable);
    if (input == null) {
      return null;
    }
    List<RexNode> kept = new ArrayList<>();
    List<RexNode> pulled = new ArrayList<>(input.conditions);
    for (RexNode term : RelOptUtil.conjunctions(filter.getCondition())) {
      (OuterColumns.uses(term, variable) ? pulled : kept).add(term);
    }
    return new PulledUpConditions(Rels.filter(input.rel, kept), pulled);
  }

  private static @Nullable PulledUpConditions ofProject(
      LogicalProject project, CorrelationId variable) {
    boolean pulls =
        !project.containsOver()
            && project.getProjects().stream()
                .noneMatch(column -> OuterColumns.uses(column, variable));
    PulledUpConditions input = pulls ? of(project.getInput(), variable) : null;
    if (input == null) {
      return null;
    }
    List<RexNode> columns = new ArrayList<>(project.getProjects());
    for (RexNode condition : input.conditions) {
      for (int index : RelOptUtil.InputFinder.bits(condition)) {
        if (place(columns, index) < 0) {
          columns.add(Rels.ref(input.rel, index));
        }
      }
    }
    RelNode rel = Rels.project(input.rel, columns);
    List<RexNode> pulled = new ArrayList<>();
    for (RexNode condition : input.conditions) {
      pulled.add(Rels.move(condition, index -> place(columns, index), rel));
    }
    return new PulledUpConditions(rel, pulled);
  }

  /** Where a column of the input stands among others, -1 if it does not. */
  private static int place(List<RexNode> columns, int index) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i) instanceof RexInputRef ref && ref.getIndex() == index) {
        return i;
      }
    }
    return -1;
  }

  private static @Nullable PulledUpConditions ofJoin(LogicalJoin join, CorrelationId variable) {
    PulledUpConditions left = of(join.getLeft(), variable);
    PulledUpConditions right = of(join.getRight(), variable);
    if (left == null || right == null) {
      return null;
    }
    int oldLeft = Rels.width(join.getLeft());
    int newLeft = Rels.width(left.rel);
    int oldRight = Rels.width(join.getRight());
    if (newLeft != oldLeft || Rels.width(right.rel) != oldRight) {
      // Conditions that brought columns along would move the join's own columns.
      return null;
    }
    List<RexNode> kept = new ArrayList<>();
    List<RexNode> pulled = new ArrayList<>(left.conditions);
    RelNode joined = join.copy(join.getTraitSet(), List.of(left.rel, right.rel));
    right.conditions.forEach(
        condition -> pulled.add(Rels.move(condition, column -> column + newLeft, joined)));
    for (RexNode term : RelOptUtil.conjunctions(join.getCondition())) {
      (OuterColumns.uses(term, variable) ? pulled : kept).add(term);
    }
    RexNode condition = RexUtil.composeConjunction(join.getCluster().getRexBuilder(), kept);
    RelNode rel =
        join.copy(
            join.getTraitSet(),
            condition,
            left.rel,
            right.rel,
            join.getJoinType(),
            join.isSemiJoinDone());
    return new PulledUpConditions(rel, pulled);
  }

  private static @Nullable PulledUpConditions ofSemiJoin(LogicalJoin join, CorrelationId variable) {
    boolean pulls =
        !OuterColumns.uses(join.getCondition(), variable)
            && !OuterColumns.uses(join.getRight(), variable);
    PulledUpConditions left = pulls ? of(join.getLeft(), variable) : null;
    if (left == null || Rels.width(left.rel) != Rels.width(join.getLeft())) {
      return null;
    }
    RelNode rel = join.copy(join.getTraitSet(), List.of(left.rel, join.getRight()));
    return new PulledUpConditions(rel, left.conditions);
  }
}
