package io.aragonite.rules.program.subquery;

import io.aragonite.rules.function.ArrayAggFunction;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/** {@code ARRAY(SELECT ... ORDER BY ...)} as an aggregate with that order. */
final class ListOfRows {
  private ListOfRows() {}

  /** One row with the list of the first column of rows, which is null if there are none. */
  static RelNode of(RelNode rows) {
    LogicalSort sort = sort(rows);
    if (sort == null) {
      return aggregate(rows, RelCollations.EMPTY);
    }
    List<RexNode> columns = new ArrayList<>(over(Rels.refs(rows, 0, Rels.width(rows)), rows));
    List<RelFieldCollation> keys = new ArrayList<>();
    for (RelFieldCollation key : sort.getCollation().getFieldCollations()) {
      keys.add(key.withFieldIndex(columns.size()));
      columns.add(Rels.ref(sort, key.getFieldIndex()));
    }
    return aggregate(Rels.project(unsorted(sort), columns), RelCollations.of(keys));
  }

  /** The sort that gives rows their order, below projections perhaps; null if there is none. */
  private static @Nullable LogicalSort sort(RelNode rows) {
    return switch (rows) {
      case LogicalSort sort -> sort;
      case LogicalProject project when !project.containsOver() -> sort(project.getInput());
      default -> null;
    };
  }

  /** Expressions over rows as ones over the sort below. */
  private static List<RexNode> over(List<RexNode> expressions, RelNode rows) {
    return rows instanceof LogicalProject below
        ? over(RelOptUtil.pushPastProject(expressions, below), below.getInput())
        : expressions;
  }

  /** The rows in any order, if they need none to be those that there are. */
  private static RelNode unsorted(LogicalSort sort) {
    return sort.offset == null && sort.fetch == null ? sort.getInput() : sort;
  }

  private static RelNode aggregate(RelNode rows, RelCollation order) {
    AggregateCall list =
        AggregateCall.create(
            SqlParserPos.ZERO,
            ArrayAggFunction.ARRAY_AGG,
            false,
            false,
            false,
            List.of(),
            List.of(0),
            -1,
            null,
            order,
            true,
            rows,
            null,
            null);
    return Rels.aggregate(rows, List.of(list));
  }

  /** A list of a type, an empty one for a null. */
  static RexNode orEmpty(RexBuilder rexBuilder, RexNode list, RelDataType type) {
    RexNode empty =
        rexBuilder.makeCall(type, SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR, List.of());
    return rexBuilder.makeCall(
        type,
        SqlStdOperatorTable.CASE,
        List.of(
            rexBuilder.makeCall(SqlStdOperatorTable.IS_NOT_NULL, list),
            rexBuilder.makeNotNull(list),
            empty));
  }
}
