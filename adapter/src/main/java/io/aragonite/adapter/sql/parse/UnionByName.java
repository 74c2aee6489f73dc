package io.aragonite.adapter.sql.parse;

import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSetOperator;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/**
 * {@code UNION [ALL] BY NAME}: columns of the same name become one, and one that a side lacks is
 * null there. The validator, which knows the columns, writes it as a UNION.
 */
public final class UnionByName extends SqlSetOperator {
  /** The first column of the second query, between the tokens and the tree. */
  static final String MARK = "$by name";

  private UnionByName(SqlSetOperator union) {
    super(
        union.isAll() ? "UNION ALL BY NAME" : "UNION BY NAME",
        SqlKind.UNION,
        union.getLeftPrec(),
        union.isAll());
  }

  /** The UNION of columns by their places. */
  public SqlSetOperator byPlace() {
    return isAll() ? SqlStdOperatorTable.UNION_ALL : SqlStdOperatorTable.UNION;
  }

  /** Makes it of a UNION whose second query has the mark. */
  static boolean unmark(SqlCall call) {
    return call.getKind() == SqlKind.UNION && takeMark(call.operand(1));
  }

  static SqlNode of(SqlCall union) {
    return new UnionByName((SqlSetOperator) union.getOperator())
        .createCall(union.getParserPosition(), union.getOperandList());
  }

  private static boolean takeMark(SqlNode query) {
    return switch (query) {
      case SqlOrderBy order -> takeMark(order.query);
      case SqlWith with -> takeMark(with.body);
      case SqlSelect select -> {
        List<SqlNode> columns = select.getSelectList();
        boolean marked =
            !columns.isEmpty()
                && columns.get(0) instanceof SqlIdentifier name
                && name.isSimple()
                && name.getSimple().equals(MARK);
        if (marked) {
          columns.remove(0);
        }
        yield marked;
      }
      case SqlCall call when SqlKind.SET_QUERY.contains(call.getKind()) ->
          takeMark(call.operand(0));
      default -> false;
    };
  }
}
