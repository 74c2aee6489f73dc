package io.aragonite.rules.program;

import io.aragonite.rules.hint.NullAwareAnti;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.Strong;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Outer joins whose rows without a partner are dropped further up become inner joins, which can
 * take any place among others: {@code a LEFT JOIN b ON .. JOIN c ON b.y = c.y}. Calcite sees that
 * of filters directly above an outer join; here conditions of joins count too, and whatever is
 * between (Galindo-Legaria and Rosenthal, Outerjoin Simplification and Reordering, 1997).
 */
final class OuterJoinReduction {
  private OuterJoinReduction() {}

  /** The same relation if there is nothing to reduce. */
  static RelNode reduce(RelNode root) {
    return reduce(root, ImmutableBitSet.of());
  }

  /**
   * @param rejected columns without which no row counts: those that are null there are dropped
   */
  private static RelNode reduce(RelNode rel, ImmutableBitSet rejected) {
    if (rel instanceof Join join) {
      return join(join, rejected);
    }
    List<RelNode> inputs = new ArrayList<>();
    for (RelNode input : rel.getInputs()) {
      inputs.add(reduce(input, below(rel, rejected)));
    }
    return withInputs(rel, inputs);
  }

  /** What is rejected of the input of a relation that has one. */
  private static ImmutableBitSet below(RelNode rel, ImmutableBitSet rejected) {
    if (rel instanceof Filter filter) {
      return rejected.union(rejectedBy(filter.getCondition()));
    }
    ImmutableBitSet.Builder columns = ImmutableBitSet.builder();
    if (rel instanceof Project project && !project.containsOver()) {
      for (int column : rejected) {
        RexNode value = project.getProjects().get(column);
        for (int used : RelOptUtil.InputFinder.bits(value)) {
          if (Strong.isNull(value, ImmutableBitSet.of(used))) {
            columns.set(used);
          }
        }
      }
    } else if (rel instanceof Aggregate aggregate
        && aggregate.getGroupType() == Aggregate.Group.SIMPLE) {
      for (int column : rejected) {
        if (column < aggregate.getGroupCount()) {
          columns.set(aggregate.getGroupSet().nth(column));
        }
      }
    }
    return columns.build();
  }

  private static RelNode join(Join join, ImmutableBitSet rejected) {
    int width = join.getLeft().getRowType().getFieldCount();
    int total = width + join.getRight().getRowType().getFieldCount();
    ImmutableBitSet left = ImmutableBitSet.range(width);
    ImmutableBitSet right = ImmutableBitSet.range(width, total);
    JoinRelType type = join.getJoinType();
    if (type.generatesNullsOnLeft() && rejected.intersects(left)) {
      type = type.cancelNullsOnLeft();
    }
    if (type.generatesNullsOnRight() && rejected.intersects(right)) {
      type = type.cancelNullsOnRight();
    }
    // A null on the right of NOT IN decides over all rows.
    boolean nullAware = type == JoinRelType.ANTI && NullAwareAnti.isMarked(join);
    ImmutableBitSet byCondition =
        nullAware ? ImmutableBitSet.of() : rejectedBy(join.getCondition());
    ImmutableBitSet ofLeft =
        switch (type) {
          case INNER, SEMI -> rejected.union(byCondition);
          case LEFT, ANTI -> rejected;
          case RIGHT -> byCondition;
          default -> ImmutableBitSet.of();
        };
    ImmutableBitSet ofRight =
        switch (type) {
          case INNER -> rejected.union(byCondition);
          case RIGHT -> rejected;
          case LEFT, SEMI, ANTI -> byCondition;
          default -> ImmutableBitSet.of();
        };
    RelNode newLeft = reduce(join.getLeft(), ofLeft.intersect(left));
    RelNode newRight = reduce(join.getRight(), ofRight.intersect(right).shift(-width));
    return type == join.getJoinType()
        ? withInputs(join, List.of(newLeft, newRight))
        : typed(
            join.copy(
                join.getTraitSet(),
                join.getCondition(),
                newLeft,
                newRight,
                type,
                join.isSemiJoinDone()),
            join);
  }

  /** Columns that are null in no row for which a condition is true. */
  private static ImmutableBitSet rejectedBy(RexNode condition) {
    ImmutableBitSet.Builder columns = ImmutableBitSet.builder();
    for (RexNode conjunct : RelOptUtil.conjunctions(condition)) {
      for (int column : RelOptUtil.InputFinder.bits(conjunct)) {
        if (Strong.isNotTrue(conjunct, ImmutableBitSet.of(column))) {
          columns.set(column);
        }
      }
    }
    return columns.build();
  }

  /** Columns that can be null no more have their types again. */
  private static RelNode typed(RelNode inner, Join outer) {
    RexBuilder builder = inner.getCluster().getRexBuilder();
    List<RexNode> columns = new ArrayList<>();
    for (RelDataTypeField field : outer.getRowType().getFieldList()) {
      RexNode column = RexInputRef.of(field.getIndex(), inner.getRowType());
      columns.add(builder.ensureType(field.getType(), column, false));
    }
    // a RelBuilder would take casts that only add nulls away
    return LogicalProject.create(
        inner, List.of(), columns, outer.getRowType().getFieldNames(), Set.of());
  }

  private static RelNode withInputs(RelNode rel, List<RelNode> inputs) {
    return inputs.equals(rel.getInputs()) ? rel : rel.copy(rel.getTraitSet(), inputs);
  }
}
