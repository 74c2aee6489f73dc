package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/**
 * A subquery whose correlated conditions have been pulled up.
 *
 * @param rel the subquery without them; its own columns first, then what the conditions need
 * @param conditions over the subquery's columns and the fields of the correlated variables
 */
record Decorrelated(RelNode rel, List<RexNode> conditions, Set<CorrelationId> variables) {

  /** The subquery taken apart, null if it is correlated elsewhere than in filters. */
  static @Nullable Decorrelated of(RelNode rel, Set<CorrelationId> variables) {
    if (!uses(RelOptUtil.getVariablesUsed(rel), variables)) {
      return new Decorrelated(rel, List.of(), variables);
    }
    return switch (rel) {
      case LogicalFilter filter -> ofFilter(filter, variables);
      case LogicalProject project -> ofProject(project, variables);
      case LogicalJoin join when join.getJoinType() == JoinRelType.INNER -> ofJoin(join, variables);
      case LogicalJoin join when !join.getJoinType().projectsRight() -> ofSemiJoin(join, variables);
      default -> null;
    };
  }

  private static boolean uses(Set<CorrelationId> used, Set<CorrelationId> variables) {
    return used.stream().anyMatch(variables::contains);
  }

  private static boolean isCorrelated(RexNode node, Set<CorrelationId> variables) {
    try {
      node.accept(
          new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitCorrelVariable(RexCorrelVariable variable) {
              if (variables.contains(variable.id)) {
                throw Util.FoundOne.NULL;
              }
              return null;
            }
          });
      return false;
    } catch (Util.FoundOne e) {
      return true;
    }
  }

  private static @Nullable Decorrelated ofFilter(
      LogicalFilter filter, Set<CorrelationId> variables) {
    Decorrelated input = of(filter.getInput(), variables);
    if (input == null) {
      return null;
    }
    List<RexNode> kept = new ArrayList<>();
    List<RexNode> pulled = new ArrayList<>(input.conditions);
    for (RexNode term : RelOptUtil.conjunctions(filter.getCondition())) {
      if (RexUtil.SubQueryFinder.find(term) != null) {
        return null;
      }
      (isCorrelated(term, variables) ? pulled : kept).add(term);
    }
    RelNode rel = input.rel;
    if (!kept.isEmpty()) {
      RexBuilder rexBuilder = filter.getCluster().getRexBuilder();
      rel = LogicalFilter.create(rel, RexUtil.composeConjunction(rexBuilder, kept));
    }
    return new Decorrelated(rel, pulled, variables);
  }

  private static @Nullable Decorrelated ofProject(
      LogicalProject project, Set<CorrelationId> variables) {
    Decorrelated input = of(project.getInput(), variables);
    if (input == null || project.containsOver()) {
      return null;
    }
    List<RexNode> columns = new ArrayList<>(project.getProjects());
    for (RexNode column : columns) {
      if (isCorrelated(column, variables) || RexUtil.SubQueryFinder.find(column) != null) {
        return null;
      }
    }
    List<RexNode> pulled = new ArrayList<>();
    for (RexNode condition : input.conditions) {
      pulled.add(
          condition.accept(
              new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef ref) {
                  int place = columns.indexOf(ref);
                  if (place < 0) {
                    columns.add(ref);
                    place = columns.size() - 1;
                  }
                  return new RexInputRef(place, ref.getType());
                }
              }));
    }
    return new Decorrelated(Projections.of(input.rel, columns), pulled, variables);
  }

  private static @Nullable Decorrelated ofJoin(LogicalJoin join, Set<CorrelationId> variables) {
    Decorrelated left = of(join.getLeft(), variables);
    Decorrelated right = of(join.getRight(), variables);
    if (left == null || right == null || isCorrelated(join.getCondition(), variables)) {
      return null;
    }
    int oldLeft = join.getLeft().getRowType().getFieldCount();
    int newLeft = left.rel.getRowType().getFieldCount();
    int oldRight = join.getRight().getRowType().getFieldCount();
    if (newLeft != oldLeft || right.rel.getRowType().getFieldCount() != oldRight) {
      // Conditions that brought columns along would move the join's own columns.
      return null;
    }
    List<RexNode> pulled = new ArrayList<>(left.conditions);
    right.conditions.forEach(condition -> pulled.add(RexUtil.shift(condition, newLeft)));
    RelNode rel =
        join.copy(
            join.getTraitSet(),
            join.getCondition(),
            left.rel,
            right.rel,
            join.getJoinType(),
            join.isSemiJoinDone());
    return new Decorrelated(rel, pulled, variables);
  }

  private static @Nullable Decorrelated ofSemiJoin(LogicalJoin join, Set<CorrelationId> variables) {
    Decorrelated left = of(join.getLeft(), variables);
    if (left == null
        || isCorrelated(join.getCondition(), variables)
        || uses(RelOptUtil.getVariablesUsed(join.getRight()), variables)
        || left.rel.getRowType().getFieldCount() != join.getLeft().getRowType().getFieldCount()) {
      return null;
    }
    RelNode rel =
        join.copy(
            join.getTraitSet(),
            join.getCondition(),
            left.rel,
            join.getRight(),
            join.getJoinType(),
            join.isSemiJoinDone());
    return new Decorrelated(rel, left.conditions, variables);
  }

  /** A condition over the outer row, then the subquery's. */
  RexNode overJoin(RexNode condition, RelNode outer, RexBuilder rexBuilder) {
    int width = outer.getRowType().getFieldCount();
    return RexUtil.shift(condition, width)
        .accept(
            new RexShuttle() {
              @Override
              public RexNode visitFieldAccess(RexFieldAccess access) {
                if (access.getReferenceExpr() instanceof RexCorrelVariable variable
                    && variables.contains(variable.id)) {
                  return rexBuilder.makeInputRef(outer, access.getField().getIndex());
                }
                return super.visitFieldAccess(access);
              }
            });
  }
}
