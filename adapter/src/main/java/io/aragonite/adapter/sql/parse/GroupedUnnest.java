package io.aragonite.adapter.sql.parse;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/**
 * {@code SELECT x, UNNEST(list(y)) FROM t GROUP BY x}, and UNNEST beside windows: the groups and
 * windows go into a subquery, whose lists are unnested.
 */
final class GroupedUnnest {
  private static final String TABLE = "$grouped";
  private static final String COLUMN = "$g";

  private final SqlNodeList inner;

  private GroupedUnnest(SqlParserPos at) {
    inner = new SqlNodeList(at);
  }

  static void toSubquery(SqlSelect select) {
    SqlParserPos at = select.getParserPosition();
    GroupedUnnest columns = new GroupedUnnest(at);
    SqlNodeList outer = new SqlNodeList(at);
    select.getSelectList().forEach(column -> outer.add(columns.outer(column)));
    SqlSelect groups =
        new SqlSelect(
            at,
            null,
            columns.inner,
            select.getFrom(),
            select.getWhere(),
            select.getGroup(),
            select.getHaving(),
            select.getWindowList(),
            select.getQualify(),
            null,
            null,
            null,
            null);
    select.setSelectList(outer);
    select.setFrom(SqlStdOperatorTable.AS.createCall(at, groups, new SqlIdentifier(TABLE, at)));
    select.setWhere(null);
    select.setGroupBy(null);
    select.setHaving(null);
    select.setQualify(null);
  }

  /** Whether an item of FROM is such a subquery. */
  static boolean is(SqlNode from) {
    return TABLE.equals(SqlValidatorUtil.alias(from));
  }

  /** Makes names of columns without their table of those that a list has, whose table is gone. */
  static SqlShuttle names(SqlSelect select) {
    Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    for (SqlNode column : select.getSelectList()) {
      String name = SqlValidatorUtil.alias(column);
      if (name != null) {
        names.add(name);
      }
    }
    return new SqlShuttle() {
      @Override
      public SqlNode visit(SqlIdentifier id) {
        return id.names.size() == 2 && names.contains(id.names.get(1))
            ? new SqlIdentifier(id.names.get(1), id.getParserPosition())
            : id;
      }
    };
  }

  /** A column over the subquery, under its own name. */
  private SqlNode outer(SqlNode column) {
    List<SqlNode> lists = new ArrayList<>();
    SqlNode unnested = Objects.requireNonNull(column.accept(new Lists(lists)));
    if (!lists.isEmpty()) {
      return unnested;
    }
    SqlParserPos at = column.getParserPosition();
    boolean named = column.getKind() == SqlKind.AS;
    SqlNode value = named ? ((SqlCall) column).operand(0) : column;
    SqlNode name =
        named
            ? ((SqlCall) column).operand(1)
            : column instanceof SqlIdentifier path
                ? new SqlIdentifier(Util.last(path.names), at)
                : null;
    return name == null ? added(value) : SqlStdOperatorTable.AS.createCall(at, added(value), name);
  }

  /** A column of the subquery. */
  private SqlNode added(SqlNode value) {
    SqlParserPos at = value.getParserPosition();
    String name = COLUMN + inner.size();
    inner.add(SqlStdOperatorTable.AS.createCall(at, value, new SqlIdentifier(name, at)));
    return new SqlIdentifier(List.of(TABLE, name), at);
  }

  /** Puts columns of the subquery in the place of lists that are unnested. */
  private final class Lists extends SqlShuttle {
    private final List<SqlNode> found;

    Lists(List<SqlNode> found) {
      this.found = found;
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
      if (SelectedUnnest.isMark(call) && call.operandCount() == 1) {
        found.add(call);
        return call.getOperator().createCall(call.getParserPosition(), added(call.operand(0)));
      }
      return call.getKind().belongsTo(SqlKind.QUERY) ? call : super.visit(call);
    }
  }
}
