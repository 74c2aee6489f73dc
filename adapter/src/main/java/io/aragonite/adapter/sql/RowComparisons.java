package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.NodeCopy;
import io.aragonite.adapter.sql.function.RandomCalls;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;

/**
 * Comparisons of rows that are written as such, part by part, as the standard has them: {@code (a,
 * b) < (c, d)} is {@code a < c OR a = c AND b < d}.
 */
final class RowComparisons {
  private RowComparisons() {}

  /** What a comparison is written as; another call stays. */
  static SqlNode of(SqlCall call, RandomCalls randomCalls) {
    if (!isOrdering(call.getKind())
        || call.operandCount() != 2
        || call.operand(0).getKind() != SqlKind.ROW
        || call.operand(1).getKind() != SqlKind.ROW) {
      return call;
    }
    SqlCall once = randomCalls.shared(call);
    List<SqlNode> left = ((SqlCall) once.operand(0)).getOperandList();
    List<SqlNode> right = ((SqlCall) once.operand(1)).getOperandList();
    if (left.size() != right.size() || left.isEmpty()) {
      return call;
    }
    SqlParserPos at = call.getParserPosition();
    if (call.getKind() == SqlKind.NOT_EQUALS) {
      SqlNode differ = null;
      for (int i = 0; i < left.size(); i++) {
        SqlNode part = SqlStdOperatorTable.NOT_EQUALS.createCall(at, left.get(i), right.get(i));
        differ = differ == null ? part : SqlStdOperatorTable.OR.createCall(at, differ, part);
      }
      return Objects.requireNonNull(differ);
    }
    return ordered(call.getOperator(), left, right, at);
  }

  private static boolean isOrdering(SqlKind kind) {
    return switch (kind) {
      case NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL -> true;
      default -> false;
    };
  }

  private static SqlNode ordered(
      SqlOperator comparison, List<SqlNode> left, List<SqlNode> right, SqlParserPos at) {
    int last = left.size() - 1;
    SqlNode rest = comparison.createCall(at, left.get(last), right.get(last));
    SqlOperator strict =
        switch (comparison.getKind()) {
          case LESS_THAN, LESS_THAN_OR_EQUAL -> SqlStdOperatorTable.LESS_THAN;
          default -> SqlStdOperatorTable.GREATER_THAN;
        };
    for (int i = last - 1; i >= 0; i--) {
      SqlNode equal =
          SqlStdOperatorTable.EQUALS.createCall(at, copy(left.get(i)), copy(right.get(i)));
      rest =
          SqlStdOperatorTable.OR.createCall(
              at,
              strict.createCall(at, left.get(i), right.get(i)),
              SqlStdOperatorTable.AND.createCall(at, equal, rest));
    }
    return rest;
  }

  private static SqlNode copy(SqlNode node) {
    return Objects.requireNonNull(node.accept(new NodeCopy()));
  }
}
