package io.aragonite.adapter.sql.parse;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.AsofMatch;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * The columns of {@code a ASOF JOIN b USING (k, t)}, which {@link JoinTokens} makes a call of: k is
 * equal, and t of b at most that of a.
 */
public final class AsofColumns {
  private AsofColumns() {}

  /** Makes the condition of the call, in the joins of a FROM. */
  static void toConditions(@Nullable SqlNode from) {
    if (!(from instanceof SqlJoin join)) {
      return;
    }
    toConditions(join.getLeft());
    toConditions(join.getRight());
    if (join.getCondition() instanceof SqlBasicCall call && isUsing(call)) {
      join.setOperand(5, condition(join, call));
    }
  }

  private static SqlNode condition(SqlJoin join, SqlCall call) {
    SqlParserPos at = call.getParserPosition();
    String left = join.getLeft() instanceof SqlJoin ? null : SqlValidatorUtil.alias(join.getLeft());
    String right = SqlValidatorUtil.alias(join.getRight());
    boolean names =
        call.operandCount() > 0
            && call.getOperandList().stream()
                .allMatch(column -> column instanceof SqlIdentifier name && name.isSimple());
    if (left == null || right == null || join.getRight() instanceof SqlJoin || !names) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "ASOF JOIN takes USING between two tables with names; write ON a.k = b.k AND a.t >="
              + " b.t.");
    }
    List<SqlNode> shared = new ArrayList<>();
    SqlNode all = null;
    for (SqlNode column : call.getOperandList()) {
      String name = ((SqlIdentifier) column).getSimple();
      SqlNode one = new SqlIdentifier(List.of(left, name), column.getParserPosition());
      SqlNode other = new SqlIdentifier(List.of(right, name), column.getParserPosition());
      boolean last = shared.size() == call.operandCount() - 1;
      SqlNode condition =
          last
              ? AsofMatch.ASOF_MATCH.createCall(
                  at, SqlStdOperatorTable.GREATER_THAN_OR_EQUAL.createCall(at, one, other))
              : SqlStdOperatorTable.EQUALS.createCall(at, one, other);
      all = all == null ? condition : SqlStdOperatorTable.AND.createCall(at, all, condition);
      shared.add(SqlLiteral.createCharString(name, at));
      if (last) {
        shared.addFirst(new SqlIdentifier(List.of(left, name), column.getParserPosition()));
      }
    }
    return SqlStdOperatorTable.AND.createCall(at, all, AsofMatch.ASOF_USING.createCall(at, shared));
  }

  /** The columns that an ASOF join with USING makes one of; none of other joins. */
  public static List<String> of(SqlJoin join) {
    return join.getCondition() instanceof SqlBasicCall and
            && and.getKind() == SqlKind.AND
            && and.operand(1) instanceof SqlBasicCall call
            && isUsing(call)
        ? call.getOperandList().stream()
            .skip(1) // the last column of the left table
            .map(name -> ((SqlLiteral) name).getValueAs(String.class))
            .toList()
        : List.of();
  }

  private static boolean isUsing(SqlCall call) {
    return call.getOperator().getName().equals(AsofMatch.ASOF_USING.getName());
  }
}
