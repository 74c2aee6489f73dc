package org.apache.calcite.sql2rel;

import org.apache.calcite.plan.Strong;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.util.ImmutableBitSet;

/** Which columns hold no nulls although their type would allow it. */
final class NullableColumns {
  private NullableColumns() {}

  /** True only if no row has a null in the column. */
  static boolean isNotNull(RelNode rel, int column) {
    if (!rel.getRowType().getFieldList().get(column).getType().isNullable()) {
      return true;
    }
    return switch (rel) {
      case Project project ->
          project.getProjects().get(column) instanceof RexInputRef ref
              && isNotNull(project.getInput(), ref.getIndex());
      case Aggregate aggregate ->
          column < aggregate.getGroupCount()
              && aggregate.getGroupType() == Aggregate.Group.SIMPLE
              && isNotNull(aggregate.getInput(), aggregate.getGroupSet().nth(column));
      case Filter filter ->
          Strong.isNotTrue(filter.getCondition(), ImmutableBitSet.of(column))
              || isNotNull(filter.getInput(), column);
      case Join join -> isNotNull(join, column);
      default -> false;
    };
  }

  /** Only a join that keeps no row without a partner is a filter of its sides. */
  private static boolean isNotNull(Join join, int column) {
    JoinRelType type = join.getJoinType();
    boolean filters = type == JoinRelType.INNER || type == JoinRelType.SEMI;
    if (filters && Strong.isNotTrue(join.getCondition(), ImmutableBitSet.of(column))) {
      return true;
    }
    int width = join.getLeft().getRowType().getFieldCount();
    return column < width
        ? !type.generatesNullsOnLeft() && isNotNull(join.getLeft(), column)
        : !type.generatesNullsOnRight() && isNotNull(join.getRight(), column - width);
  }
}
