package io.aragonite.adapter.sql.parse;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.List;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * Semi- and anti-joins as conditions: {@code a SEMI JOIN b ON c} is {@code a WHERE EXISTS (SELECT *
 * FROM b WHERE c)}. Both keep rows of the left side as they are, so they go to the WHERE of the
 * query, behind the inner and left joins that follow.
 */
final class SemiJoins {
  private SemiJoins() {}

  static void toConditions(SqlSelect select) {
    SqlNode from = select.getFrom();
    if (from instanceof SqlJoin join) {
      select.setFrom(stripped(join, select));
    }
  }

  private static SqlNode stripped(SqlJoin join, SqlSelect select) {
    SqlNode left =
        join.getLeft() instanceof SqlJoin inner ? stripped(inner, select) : join.getLeft();
    if (!isSemi(join)) {
      if (join.getRight() instanceof SqlJoin right && isSemi(right)
          || !left.equals(join.getLeft()) && !keepsLeft(join.getJoinType())) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "A semi- or anti-join within another join goes into a subquery: (SELECT * FROM a SEMI"
                + " JOIN b ON ...).");
      }
      join.setLeft(left);
      return join;
    }
    if (join.isNatural()) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "A semi- or anti-join cannot be NATURAL; list the common columns: SEMI JOIN b USING"
              + " (x).");
    }
    SqlParserPos at = join.getParserPosition();
    SqlSelect inner =
        Selects.of(
            at,
            SqlNodeList.of(SqlLiteral.createExactNumeric("1", at)),
            join.getRight(),
            condition(join, left));
    SqlNode exists = SqlStdOperatorTable.EXISTS.createCall(at, inner);
    if (join.getJoinType() == JoinType.LEFT_ANTI_JOIN) {
      exists = SqlStdOperatorTable.NOT.createCall(at, exists);
    }
    SqlNode where = select.getWhere();
    select.setWhere(where == null ? exists : SqlStdOperatorTable.AND.createCall(at, exists, where));
    return left;
  }

  private static boolean isSemi(SqlJoin join) {
    return join.getJoinType() == JoinType.LEFT_SEMI_JOIN
        || join.getJoinType() == JoinType.LEFT_ANTI_JOIN;
  }

  private static boolean keepsLeft(JoinType type) {
    return switch (type) {
      case INNER, CROSS, COMMA, LEFT -> true;
      default -> false;
    };
  }

  private static @Nullable SqlNode condition(SqlJoin join, SqlNode left) {
    SqlNode written = join.getCondition();
    if (join.getConditionType() != JoinConditionType.USING
        || !(written instanceof SqlNodeList columns)) {
      return written;
    }
    String leftName = SqlValidatorUtil.alias(left);
    String rightName = SqlValidatorUtil.alias(join.getRight());
    if (leftName == null || rightName == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "A semi- or anti-join with USING needs a table with a name on each side; write ON.");
    }
    SqlNode all = null;
    for (SqlNode column : columns) {
      SqlParserPos at = column.getParserPosition();
      String name = ((SqlIdentifier) column).getSimple();
      SqlNode equal =
          SqlStdOperatorTable.EQUALS.createCall(
              at,
              new SqlIdentifier(List.of(leftName, name), at),
              new SqlIdentifier(List.of(rightName, name), at));
      all = all == null ? equal : SqlStdOperatorTable.AND.createCall(at, all, equal);
    }
    return all;
  }
}
