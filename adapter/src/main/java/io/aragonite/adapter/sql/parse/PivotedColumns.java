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
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

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
      if (item.columnList != null && !refersToItself(item)) {
        item.setOperand(2, named(item, item.columnList));
        item.setOperand(1, null);
      }
    }
  }

  /** Of the items of WITH RECURSIVE those that do keep their columns, by which they refer. */
  private static boolean refersToItself(SqlWithItem item) {
    if (!item.recursive.booleanValue()) {
      return false;
    }
    try {
      item.query.accept(
          new SqlBasicVisitor<Void>() {
            @Override
            public @Nullable Void visit(SqlIdentifier id) {
              if (id.isSimple() && id.getSimple().equalsIgnoreCase(item.name.getSimple())) {
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

  private static SqlCall named(SqlWithItem item, SqlNodeList columns) {
    SqlParserPos at = item.getParserPosition();
    List<SqlNode> operands = new ArrayList<>(List.of(item.query, item.name));
    operands.addAll(columns.getList());
    SqlNode table = SqlStdOperatorTable.AS.createCall(at, operands);
    return Selects.of(at, SqlNodeList.of(SqlIdentifier.star(at)), table, null);
  }
}
