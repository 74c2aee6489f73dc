package io.aragonite.adapter.statement;

import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.rules.rel.CteTable;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Which CHARs of a plan somebody has declared, for a column or by a CAST. The type of a literal is
 * CHAR too, and its length is no limit of what is inserted where it was.
 */
final class DeclaredChars {
  private DeclaredChars() {}

  /**
   * Whether a column of a query is a CHAR whose length holds for the column of a table.
   *
   * @param plan of the query; null: not known
   */
  static boolean has(@Nullable PreparedPlan plan, int column) {
    RelNode rel = plan == null ? null : plan.root().rel;
    return rel != null
        && rel.getRowType().getFieldList().get(column).getType().getSqlTypeName()
            == SqlTypeName.CHAR
        && isDeclared(rel, column);
  }

  private static boolean isDeclared(RelNode rel, int column) {
    return switch (rel) {
      case TableScan scan -> CteTable.of(scan) == null;
      case Project project -> isDeclared(project.getProjects().get(column), project.getInput());
      case Aggregate aggregate -> isDeclared(aggregate, column);
      case Join join -> {
        int left = join.getLeft().getRowType().getFieldCount();
        yield column < left
            ? isDeclared(join.getLeft(), column)
            : isDeclared(join.getRight(), column - left);
      }
      case SetOp rows -> rows.getInputs().stream().allMatch(input -> isDeclared(input, column));
      default -> {
        List<RelNode> inputs = rel.getInputs();
        yield inputs.size() == 1
            && inputs.getFirst().getRowType().getFieldCount() > column
            && isDeclared(inputs.getFirst(), column);
      }
    };
  }

  private static boolean isDeclared(Aggregate aggregate, int column) {
    int keys = aggregate.getGroupCount();
    if (column < keys) {
      return isDeclared(aggregate.getInput(), aggregate.getGroupSet().nth(column));
    }
    AggregateCall call = aggregate.getAggCallList().get(column - keys);
    return (call.getAggregation().getKind() == SqlKind.MIN
            || call.getAggregation().getKind() == SqlKind.MAX)
        && isDeclared(aggregate.getInput(), call.getArgList().getFirst());
  }

  private static boolean isDeclared(RexNode value, RelNode input) {
    return switch (value) {
      case RexInputRef ref -> isDeclared(input, ref.getIndex());
      case RexCall call when call.isA(SqlKind.CAST) || call.isA(SqlKind.SAFE_CAST) ->
          call.getType().getSqlTypeName() == SqlTypeName.CHAR
              && !(call.getOperands().getFirst() instanceof RexLiteral);
      default -> false;
    };
  }
}
