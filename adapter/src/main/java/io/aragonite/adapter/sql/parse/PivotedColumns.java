package io.aragonite.adapter.sql.parse;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;

/**
 * {@code WITH t (x, y) AS (...)} before a PIVOT or an UNPIVOT as {@code WITH t AS (SELECT * FROM
 * (...) AS t (x, y))}: Calcite's PIVOT looks for the columns by the names that they have within.
 */
final class PivotedColumns {
  private PivotedColumns() {}

  static void name(SqlWith with) {
    if (!SqlUtil.containsCall(
        with, call -> call.getKind() == SqlKind.PIVOT || call.getKind() == SqlKind.UNPIVOT)) {
      return;
    }
    for (SqlNode node : with.withList) {
      SqlWithItem item = (SqlWithItem) node;
      if (item.columnList != null && !item.recursive.booleanValue()) {
        item.setOperand(2, named(item, item.columnList));
        item.setOperand(1, null);
      }
    }
  }

  private static SqlCall named(SqlWithItem item, SqlNodeList columns) {
    SqlParserPos at = item.getParserPosition();
    List<SqlNode> operands = new ArrayList<>(List.of(item.query, item.name));
    operands.addAll(columns.getList());
    SqlNode table = SqlStdOperatorTable.AS.createCall(at, operands);
    return Selects.of(at, SqlNodeList.of(SqlIdentifier.star(at)), table, null);
  }
}
