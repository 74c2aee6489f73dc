package io.aragonite.rules.program;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.jspecify.annotations.Nullable;

/**
 * Windows in the order of other windows, which frames of GROUPS are made of: the inner ones become
 * columns of a projection below. Before correlated subqueries are unnested, which gives a window
 * the keys of the outer rows.
 */
final class NestedWindows extends SubqueryShuttle {
  @Override
  RelNode rewritten(RelNode rel) {
    return rel instanceof LogicalProject project && project.containsOver() ? split(project) : rel;
  }

  private static RelNode split(LogicalProject project) {
    RelDataType row = project.getInput().getRowType();
    List<RexNode> columns = new ArrayList<>();
    for (int i = 0; i < row.getFieldCount(); i++) {
      columns.add(RexInputRef.of(i, row));
    }
    Inner inner = new Inner(columns);
    List<RexNode> outer = inner.visitList(project.getProjects());
    if (columns.size() == row.getFieldCount()) {
      return project;
    }
    if (!project.getVariablesSet().isEmpty()) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "A frame of GROUPS beside a correlated subquery is not possible; put the window into a"
              + " subquery in FROM.");
    }
    List<@Nullable String> names = new ArrayList<>(row.getFieldNames());
    while (names.size() < columns.size()) {
      names.add(null);
    }
    RelNode below = LogicalProject.create(project.getInput(), List.of(), columns, names, Set.of());
    return project.copy(project.getTraitSet(), below, outer, project.getRowType());
  }

  /** Takes the windows out of windows. */
  private static final class Inner extends RexShuttle {
    private final List<RexNode> columns;
    private boolean within;

    Inner(List<RexNode> columns) {
      this.columns = columns;
    }

    @Override
    public RexNode visitOver(RexOver over) {
      if (within) {
        int at = columns.indexOf(over);
        if (at < 0) {
          at = columns.size();
          columns.add(over);
        }
        return new RexInputRef(at, over.getType());
      }
      within = true;
      try {
        return super.visitOver(over);
      } finally {
        within = false;
      }
    }
  }
}
