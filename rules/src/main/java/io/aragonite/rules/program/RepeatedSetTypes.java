package io.aragonite.rules.program;

import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;

/**
 * Columns of the groupings that Calcite makes of sets which are there twice. It gives them the
 * types that all sets have together, among them the empty one, whose sum may be null; rules that
 * merge projections assert the types of the grouping itself (1.42, no issue known).
 */
final class RepeatedSetTypes extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    if (!(rel instanceof LogicalProject project)
        || !(project.getInput() instanceof LogicalAggregate groups)) {
      return rel;
    }
    List<RexNode> columns =
        project.getProjects().stream().map(column -> typed(column, groups.getRowType())).toList();
    // references are equal if their numbers are, whatever their types
    return RexUtil.types(columns).equals(RexUtil.types(project.getProjects()))
        ? rel
        : LogicalProject.create(
            groups, project.getHints(), columns, project.getRowType().getFieldNames(), Set.of());
  }

  private static RexNode typed(RexNode column, RelDataType groups) {
    return column instanceof RexInputRef ref ? RexInputRef.of(ref.getIndex(), groups) : column;
  }
}
