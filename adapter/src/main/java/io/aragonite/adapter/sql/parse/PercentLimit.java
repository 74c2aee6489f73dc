package io.aragonite.adapter.sql.parse;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.util.List;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * {@code SELECT ... ORDER BY x LIMIT 10 %}, {@code LIMIT (SELECT ...)} and {@code OFFSET (SELECT
 * ...)} as a condition on windows: {@code QUALIFY ROW_NUMBER() OVER (ORDER BY x) <= COUNT(*) OVER
 * () * 1 / 10}.
 */
final class PercentLimit {
  /**
   * First among the columns, a call with the share's numerator and denominator, or with the share,
   * or with a query of the number.
   */
  static final String MARK = "$percent";

  /** In that place, a call with a query of the rows that are left out before. */
  static final String OFFSET_MARK = "$offset";

  private PercentLimit() {}

  static boolean isOf(SqlSelect select) {
    SqlNodeList columns = select.getSelectList();
    return columns != null
        && !columns.isEmpty()
        && columns.get(0) instanceof SqlBasicCall call
        && (call.getOperator().getName().equals(MARK) || isOffset(call));
  }

  private static boolean isOffset(SqlCall mark) {
    return mark.getOperator().getName().equals(OFFSET_MARK);
  }

  /**
   * Changes a SELECT that has the mark.
   *
   * @param orders of the query, over its tables
   * @param offset rows that are left out before; null: none
   */
  static void apply(SqlSelect select, SqlNodeList orders, @Nullable SqlNode offset) {
    SqlNodeList columns = select.getSelectList();
    SqlCall mark = (SqlCall) columns.get(0);
    SqlParserPos at = mark.getParserPosition();
    columns.remove(0);
    if (select.getQualify() != null
        || isOf(select)
        || offset != null && !(offset instanceof SqlLiteral)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "LIMIT in percent, or LIMIT or OFFSET by a query, is possible with neither QUALIFY, a"
              + " parameter of OFFSET nor each other; put the query into FROM: SELECT * FROM (...)"
              + " LIMIT 10 %.");
    }
    SqlNode number = over(SqlStdOperatorTable.ROW_NUMBER, List.of(), orders, at);
    if (isOffset(mark)) {
      SqlNode first = number(mark.operand(0), 0, at);
      select.setQualify(SqlStdOperatorTable.GREATER_THAN.createCall(at, number, first));
      return;
    }
    SqlNode last =
        mark.operand(0).getKind().belongsTo(SqlKind.QUERY)
            ? number(mark.operand(0), Long.MAX_VALUE, at)
            : part(mark, at);
    SqlNode condition;
    if (offset == null) {
      condition = SqlStdOperatorTable.LESS_THAN_OR_EQUAL.createCall(at, number, last);
    } else {
      SqlNode again = over(SqlStdOperatorTable.ROW_NUMBER, List.of(), orders, at);
      condition =
          SqlStdOperatorTable.AND.createCall(
              at,
              SqlStdOperatorTable.GREATER_THAN.createCall(at, number, offset),
              SqlStdOperatorTable.LESS_THAN_OR_EQUAL.createCall(
                  at, SqlStdOperatorTable.MINUS.createCall(at, again, offset), last));
    }
    select.setQualify(condition);
  }

  private static SqlNode part(SqlCall mark, SqlParserPos at) {
    SqlNode rows = over(SqlStdOperatorTable.COUNT, List.of(SqlIdentifier.star(at)), null, at);
    return mark.operandCount() == 1 ? share(rows, mark.operand(0), at) : divided(rows, mark);
  }

  /** What a query says, and something else if it has no row, or a null. */
  private static SqlNode number(SqlNode query, long otherwise, SqlParserPos at) {
    return SqlStdOperatorTable.COALESCE.createCall(
        at,
        SqlStdOperatorTable.SCALAR_QUERY.createCall(at, query),
        SqlLiteral.createExactNumeric(String.valueOf(otherwise), at));
  }

  private static SqlNode divided(SqlNode rows, SqlCall mark) {
    SqlParserPos at = mark.getParserPosition();
    return SqlStdOperatorTable.DIVIDE.createCall(
        at, SqlStdOperatorTable.MULTIPLY.createCall(at, rows, mark.operand(0)), mark.operand(1));
  }

  /** In DECIMAL(38), which holds every digit of the product. */
  private static SqlNode share(SqlNode rows, SqlLiteral share, SqlParserPos at) {
    int scale = share.getValueAs(BigDecimal.class).scale();
    SqlNode count = cast(rows, SqlTypeName.DECIMAL, Math.min(19, 38 - scale), at);
    SqlNode product = SqlStdOperatorTable.MULTIPLY.createCall(at, count, share);
    return cast(SqlStdOperatorTable.FLOOR.createCall(at, product), SqlTypeName.BIGINT, -1, at);
  }

  private static SqlNode cast(SqlNode value, SqlTypeName type, int precision, SqlParserPos at) {
    SqlNode spec =
        new SqlDataTypeSpec(
            new SqlBasicTypeNameSpec(type, precision, precision < 0 ? -1 : 0, at), at);
    return SqlStdOperatorTable.CAST.createCall(at, value, spec);
  }

  private static SqlNode over(
      SqlAggFunction function,
      List<SqlNode> operands,
      @Nullable SqlNodeList orders,
      SqlParserPos at) {
    SqlNodeList keys = new SqlNodeList(at);
    if (orders != null) {
      orders.forEach(key -> keys.add(key.clone(key.getParserPosition())));
    }
    SqlNode window = Selects.window(new SqlNodeList(at), keys, at);
    return SqlStdOperatorTable.OVER.createCall(at, function.createCall(at, operands), window);
  }
}
