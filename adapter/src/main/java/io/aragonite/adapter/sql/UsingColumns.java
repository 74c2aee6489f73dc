package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.FunctionForms;
import io.aragonite.adapter.sql.parse.AsofColumns;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * Columns that USING and NATURAL make one of: without a table before it such a name means the left
 * table's column, after a RIGHT JOIN the right one's, after a FULL JOIN whichever is not null.
 * Calcite knows that in the list of SELECT for two tables, and finds the name ambiguous in GROUP BY
 * and ORDER BY.
 */
final class UsingColumns {
  private final SqlNameMatcher matcher;
  private final Function<SqlNode, @Nullable RelDataType> rowType;

  /**
   * @param rowType the columns of an item of FROM
   */
  UsingColumns(SqlNameMatcher matcher, Function<SqlNode, @Nullable RelDataType> rowType) {
    this.matcher = matcher;
    this.rowType = rowType;
  }

  /** Changes the names of such columns outside of subqueries. */
  void qualify(SqlSelect select) {
    SqlNode from = select.getFrom();
    if (!(from instanceof SqlJoin join) || !hasCommon(join)) {
      return;
    }
    requireUnique(join);
    Names names = new Names(from, new SqlNodeList(SqlParserPos.ZERO));
    SqlNodeList columns = select.getSelectList();
    columns.replaceAll(column -> column(column, names));
    if (select.getWhere() != null) {
      select.setWhere(names.in(select.getWhere()));
    }
    if (select.getHaving() != null) {
      select.setHaving(names.in(select.getHaving()));
    }
    if (select.getQualify() != null) {
      select.setQualify(names.in(select.getQualify()));
    }
    each(select.getGroup(), names);
    each(select.getOrderList(), new Names(from, columns));
    compareValues(join);
  }

  /**
   * Has joins over the columns of a RIGHT or FULL one compare what those are: Calcite compares the
   * first column of the name, which is null in rows of the right side. And columns of types that
   * Calcite would not compare, as a UUID and a text.
   */
  private void compareValues(SqlNode from) {
    if (!(from instanceof SqlJoin join)) {
      return;
    }
    SqlParserPos at = join.getParserPosition();
    SqlNode all = null;
    if (needsValues(join)) {
      for (String name : shared(join)) {
        SqlNode left = value(join.getLeft(), name, at);
        SqlNode right = value(join.getRight(), name, at);
        if (left == null || right == null) {
          return; // Calcite says that there is no such column
        }
        SqlNode equal = SqlStdOperatorTable.EQUALS.createCall(at, left, right);
        all = all == null ? equal : SqlStdOperatorTable.AND.createCall(at, all, equal);
      }
    }
    if (all != null) {
      join.setOperand(1, SqlLiteral.createBoolean(false, at));
      join.setOperand(4, JoinConditionType.ON.symbol(at));
      join.setOperand(5, all);
    }
    compareValues(join.getLeft());
    compareValues(join.getRight());
  }

  /** Whether a join of FROM is to compare common columns by their values, as {@code ON} does. */
  boolean comparesValues(@Nullable SqlNode from) {
    return from instanceof SqlJoin join
        && (needsValues(join) || comparesValues(join.getLeft()) || comparesValues(join.getRight()));
  }

  private boolean needsValues(SqlJoin join) {
    return (join.isNatural() || join.getConditionType() == JoinConditionType.USING)
        && (hasSwapped(join.getLeft())
            || hasSwapped(join.getRight())
            || shared(join).stream().anyMatch(name -> differs(join, name)));
  }

  /** Whether Calcite would not compare a common column's types, which {@code ON} makes one. */
  private boolean differs(SqlJoin join, String name) {
    RelDataType left = type(join.getLeft(), name);
    RelDataType right = type(join.getRight(), name);
    return left != null && right != null && !SqlTypeUtil.isComparable(left, right);
  }

  private @Nullable RelDataType type(SqlNode from, String name) {
    if (from instanceof SqlJoin join) {
      RelDataType left = type(join.getLeft(), name);
      return left == null ? type(join.getRight(), name) : left;
    }
    RelDataType columns = rowType.apply(from);
    RelDataTypeField column = columns == null ? null : matcher.field(columns, name);
    return column == null ? null : column.getType();
  }

  private static boolean hasSwapped(SqlNode from) {
    return from instanceof SqlJoin join
        && ((join.getJoinType() == JoinType.RIGHT || join.getJoinType() == JoinType.FULL)
                && (join.isNatural() || !listed(join).isEmpty())
            || hasSwapped(join.getLeft())
            || hasSwapped(join.getRight()));
  }

  /** A common column that a side has twice is none of them. */
  private void requireUnique(SqlNode from) {
    if (!(from instanceof SqlJoin join)) {
      return;
    }
    requireUnique(join.getLeft());
    requireUnique(join.getRight());
    for (String name : shared(join)) {
      if (count(join.getLeft(), name) > 1 || count(join.getRight(), name) > 1) {
        throw FunctionForms.invalid(
            join,
            "Column '%s' of USING or of a NATURAL join is there twice on one side; write ON with the table's name"
                .formatted(name));
      }
    }
  }

  private List<String> shared(SqlJoin join) {
    List<String> shared = new ArrayList<>(listed(join));
    if (join.isNatural()) {
      names(join.getRight(), shared);
      shared.removeIf(name -> count(join.getLeft(), name) == 0);
    }
    return shared;
  }

  private void names(SqlNode from, List<String> names) {
    if (from instanceof SqlJoin join) {
      names(join.getLeft(), names);
      names(join.getRight(), names);
    } else {
      RelDataType columns = rowType.apply(from);
      if (columns != null) {
        names.addAll(columns.getFieldNames());
      }
    }
  }

  /** How many columns of a name there are, common ones counted once. */
  private int count(SqlNode from, String name) {
    if (!(from instanceof SqlJoin join)) {
      RelDataType columns = rowType.apply(from);
      return columns == null
          ? 0
          : (int)
              columns.getFieldNames().stream().filter(each -> matcher.matches(each, name)).count();
    }
    int left = count(join.getLeft(), name);
    int right = count(join.getRight(), name);
    boolean common =
        join.isNatural() && left > 0 && right > 0
            || listed(join).stream().anyMatch(each -> matcher.matches(each, name));
    return common ? 1 : left + right;
  }

  private static void each(@Nullable SqlNodeList list, Names names) {
    if (list != null) {
      list.replaceAll(names::in);
    }
  }

  /** Keeps the column's name where the value is an expression. */
  private static SqlNode column(SqlNode column, Names names) {
    if (column.getKind() == SqlKind.AS) {
      SqlCall as = (SqlCall) column;
      as.setOperand(0, names.in(as.operand(0)));
      return column;
    }
    SqlNode made = names.in(column);
    return column instanceof SqlIdentifier name
            && !name.isStar()
            && made.getKind() == SqlKind.COALESCE
        ? SqlStdOperatorTable.AS.createCall(
            name.getParserPosition(),
            made,
            new SqlIdentifier(name.getSimple(), name.getParserPosition()))
        : made;
  }

  /** Whether a join of FROM makes one column of two. */
  static boolean hasCommon(SqlNode from) {
    return from instanceof SqlJoin join
        && (join.isNatural()
            || !listed(join).isEmpty()
            || hasCommon(join.getLeft())
            || hasCommon(join.getRight()));
  }

  /** What a name stands for in an item of FROM, null if it is none of its columns. */
  private @Nullable SqlNode value(SqlNode from, String name, SqlParserPos at) {
    if (!(from instanceof SqlJoin join)) {
      String table = SqlValidatorUtil.alias(from);
      RelDataType columns = table == null ? null : rowType.apply(from);
      if (table == null || columns == null) {
        return null;
      }
      int place = matcher.indexOf(columns.getFieldNames(), name);
      return place < 0
          ? null
          : new SqlIdentifier(List.of(table, columns.getFieldNames().get(place)), at);
    }
    SqlNode left = value(join.getLeft(), name, at);
    SqlNode right = value(join.getRight(), name, at);
    if (left == null || right == null) {
      return left == null ? right : left;
    }
    return common(join, left, right, at);
  }

  /** The columns that a join names as common ones, an ASOF join too. */
  static List<String> listed(SqlJoin join) {
    return join.getConditionType() == JoinConditionType.USING
            && join.getCondition() instanceof SqlNodeList list
        ? SqlIdentifier.simpleNames(list)
        : AsofColumns.of(join);
  }

  /** What a join makes of two columns of one name. */
  static SqlNode common(SqlJoin join, SqlNode left, SqlNode right, SqlParserPos at) {
    return switch (join.getJoinType()) {
      case RIGHT -> right;
      case FULL -> SqlStdOperatorTable.COALESCE.createCall(at, left, right);
      default -> left;
    };
  }

  /** Whether a join makes one column of two of the name. */
  private boolean isCommon(SqlNode from, String name) {
    if (!(from instanceof SqlJoin join)) {
      return false;
    }
    boolean here =
        join.isNatural()
            ? value(join.getLeft(), name, SqlParserPos.ZERO) != null
                && value(join.getRight(), name, SqlParserPos.ZERO) != null
            : listed(join).stream().anyMatch(each -> matcher.matches(each, name));
    return here || isCommon(join.getLeft(), name) || isCommon(join.getRight(), name);
  }

  private final class Names extends SqlShuttle {
    private final SqlNode from;

    /** Columns whose aliases go before. */
    private final SqlNodeList aliased;

    Names(SqlNode from, SqlNodeList aliased) {
      this.from = from;
      this.aliased = aliased;
    }

    SqlNode in(SqlNode node) {
      SqlNode made = node.accept(this);
      return made == null ? node : made;
    }

    @Override
    public @Nullable SqlNode visit(SqlIdentifier id) {
      if (!id.isSimple() || id.isStar() || isAlias(id.getSimple())) {
        return id;
      }
      SqlNode value =
          isCommon(from, id.getSimple())
              ? value(from, id.getSimple(), id.getParserPosition())
              : null;
      return value == null ? id : value;
    }

    private boolean isAlias(String name) {
      return aliased.stream()
          .anyMatch(column ->
              column.getKind() == SqlKind.AS
                  && matcher.matches(((SqlCall) column).operand(1).toString(), name));
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
      return call.getKind().belongsTo(SqlKind.QUERY) ? call : super.visit(call);
    }
  }
}
