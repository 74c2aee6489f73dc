package io.aragonite.adapter.sql.parse;

import io.aragonite.adapter.sql.function.AggregateNames;
import io.aragonite.adapter.sql.function.CallFinder;
import io.aragonite.adapter.sql.function.NodeCopy;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlStarExclude;
import org.apache.calcite.sql.SqlStarReplace;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * {@code SELECT UNNEST(list) FROM t}, a row for each element, written as {@code FROM t,
 * UNNEST(list) AS u (unnest)}: rows with an empty list, or with none, are left out, as in
 * PostgreSQL. Of several lists the places are unnested, up to the longest: {@code
 * UNNEST(generate_series(1, greatest(cardinality(x), cardinality(y))))}, and a column is {@code
 * x[unnest]}. Lists are unnested before rows are grouped if GROUP BY has their elements, else after
 * that.
 */
public final class SelectedUnnest {
  /** What the parser reads in place of UNNEST among columns, where the grammar has none. */
  static final String MARK = "$unnest";

  /** The name in FROM of what is no table that a statement names. */
  public static final String TABLE = "$unnested";

  private static final String COLUMN = "unnest";

  private SelectedUnnest() {}

  static void toJoin(SqlSelect select) {
    SqlNodeList columns = select.getSelectList();
    List<SqlCall> found = new ArrayList<>();
    columns.forEach(column -> column.accept(new References(found, false)));
    if (found.isEmpty()) {
      return;
    }
    if (isGrouped(select) && !isKeyed(select)) {
      GroupedUnnest.toSubquery(select);
      if (isGrouped(select)) {
        throw invalid(
            found.getFirst(),
            "Beside UNNEST in the same column there is an aggregate; put the groups into a"
                + " subquery");
      }
      toJoin(select);
      return;
    }
    check(select, found);
    if (hasWindows(select)) {
      // they go over the rows that were there before, of which the join makes more
      GroupedUnnest.toSubquery(select);
      toJoin(select);
    } else {
      join(select, found);
    }
  }

  private static void join(SqlSelect select, List<SqlCall> found) {
    SqlNodeList columns = select.getSelectList();
    List<SqlNode> lists = distinct(found);
    SqlNodeList changed = new SqlNodeList(columns.getParserPosition());
    for (SqlNode column : columns) {
      SqlNode replaced = column.accept(new References(new ArrayList<>(), lists.size() > 1));
      boolean bare = column instanceof SqlCall call && isMark(call);
      changed.add(
          bare
              ? SqlStdOperatorTable.AS.createCall(
                  column.getParserPosition(),
                  replaced,
                  new SqlIdentifier(COLUMN, column.getParserPosition()))
              : replaced);
    }
    SqlParserPos at = found.getFirst().getParserPosition();
    SqlNode list = lists.size() > 1 ? places(lists, at) : lists.getFirst();
    SqlNode moments = SeriesQuery.ofMoments(list);
    SqlNode elements =
        SqlStdOperatorTable.AS.createCall(
            at,
            moments == null
                ? SqlStdOperatorTable.UNNEST.createCall(at, UnnestedStructs.column(list))
                : moments,
            new SqlIdentifier(TABLE, at),
            new SqlIdentifier(COLUMN, at));
    SqlNode from = select.getFrom();
    changed.replaceAll(column -> qualified(column, from));
    select.setSelectList(changed);
    select.setFrom(
        from == null
            ? elements
            : new SqlJoin(
                at,
                from,
                SqlLiteral.createBoolean(false, at),
                JoinType.CROSS.symbol(at),
                elements,
                JoinConditionType.NONE.symbol(at),
                null));
  }

  private static List<SqlNode> distinct(List<SqlCall> found) {
    Map<String, SqlNode> lists = new LinkedHashMap<>();
    found.forEach(call -> lists.putIfAbsent(call.operand(0).toString(), call.operand(0)));
    return List.copyOf(lists.values());
  }

  /** The places of the longest list. */
  private static SqlNode places(List<SqlNode> lists, SqlParserPos at) {
    SqlNode[] sizes =
        lists.stream()
            .map(list ->
                SqlStdOperatorTable.COALESCE.createCall(
                    at,
                    SqlStdOperatorTable.CARDINALITY.createCall(at, list.accept(new NodeCopy())),
                    number(0, at)))
            .toArray(SqlNode[]::new);
    return named("GENERATE_SERIES", at, number(1, at), named("GREATEST", at, sizes));
  }

  private static SqlNode number(int number, SqlParserPos at) {
    return SqlLiteral.createExactNumeric(Integer.toString(number), at);
  }

  private static SqlNode named(String function, SqlParserPos at, SqlNode... operands) {
    return new SqlUnresolvedFunction(
            new SqlIdentifier(function, at),
            null,
            null,
            null,
            null,
            SqlFunctionCategory.USER_DEFINED_FUNCTION)
        .createCall(at, operands);
  }

  private static boolean isGrouped(SqlSelect select) {
    return select.getGroup() != null
        || select.getHaving() != null
        || select.getSelectList().stream().anyMatch(AggregateNames::hasAggregate);
  }

  /** Whether the columns with UNNEST are keys of groups: all of them, or none. */
  private static boolean isKeyed(SqlSelect select) {
    SqlNodeList keys = select.getGroup();
    boolean keyed = false;
    boolean free = false;
    for (int i = 0; keys != null && i < select.getSelectList().size(); i++) {
      SqlNode column = select.getSelectList().get(i);
      List<SqlCall> found = new ArrayList<>();
      column.accept(new References(found, false));
      if (!found.isEmpty()) {
        boolean key = isKey(keys, column, i + 1, found.getFirst());
        keyed |= key;
        free |= !key;
      }
    }
    if (keyed && free) {
      throw invalid(
          select,
          "GROUP BY has the elements of one UNNEST and not those of another; put one of them into"
              + " a subquery");
    }
    return keyed;
  }

  /** A name in GROUP BY that the list has too is a column's before it is that of an element. */
  private static boolean isKey(SqlNodeList keys, SqlNode column, int place, SqlCall unnest) {
    String name = SqlValidatorUtil.alias(column);
    for (SqlNode key : keys) {
      if (key instanceof SqlNodeList list && isKey(list, column, place, unnest)
          || key instanceof SqlNumericLiteral number
              && Integer.toString(place).equals(number.toValue())
          || QueryForms.isAll(key) && !AggregateNames.hasAggregate(column)
          || key instanceof SqlIdentifier alias
              && alias.isSimple()
              && alias.getSimple().equalsIgnoreCase(name)
              && !CallFinder.hasName(unnest, alias.getSimple())) {
        return true;
      }
    }
    return false;
  }

  static boolean isMark(SqlCall call) {
    return call.getOperator().getName().equals(MARK);
  }

  private static void check(SqlSelect select, List<SqlCall> found) {
    if (found.stream().anyMatch(call -> call.operandCount() != 1)) {
      throw invalid(found.getLast(), "An UNNEST among columns is of one list; write one for each");
    }
    if (hasWindows(select) && select.getSelectList().stream().anyMatch(SelectedUnnest::isStar)) {
      throw windows(found.getFirst());
    }
  }

  private static boolean hasWindows(SqlSelect select) {
    return select.getQualify() != null
        || select.getSelectList().stream().anyMatch(CallFinder::hasWindow);
  }

  private static boolean isStar(SqlNode column) {
    return column instanceof SqlStarExclude
        || column instanceof SqlStarReplace
        || column instanceof SqlIdentifier name && name.isStar();
  }

  /**
   * Keys of ORDER BY. Windows go over the rows that were there before, and the join has made more
   * of them; columns of what has become a subquery go by their names in the list.
   */
  static void order(SqlSelect select, SqlNodeList orders) {
    SqlNode from = select.getFrom();
    SqlNode last = from instanceof SqlJoin join ? join.getRight() : from;
    if (last == null || !TABLE.equals(SqlValidatorUtil.alias(last))) {
      return;
    }
    if (orders.stream().anyMatch(CallFinder::hasWindow)) {
      throw windows(last);
    }
    if (from instanceof SqlJoin join && GroupedUnnest.is(join.getLeft())) {
      orders.replaceAll(order -> order.accept(GroupedUnnest.names(select)));
    }
  }

  private static AragoniteException windows(SqlNode at) {
    return invalid(
        at,
        "UNNEST cannot be in a SELECT with windows in ORDER BY, or with windows and a star; name"
            + " the columns, or put one of them into a subquery");
  }

  private static AragoniteException invalid(SqlNode node, String sentence) {
    return new AragoniteException(
        ErrorCode.INVALID_STATEMENT,
        "%s (line %d, column %d)."
            .formatted(
                sentence,
                node.getParserPosition().getLineNum(),
                node.getParserPosition().getColumnNum()));
  }

  /** A star is of the tables that were there before. */
  private static SqlNode qualified(SqlNode column, @Nullable SqlNode from) {
    if (column instanceof SqlStarExclude exclude) {
      return new SqlStarExclude(
          column.getParserPosition(),
          (SqlIdentifier) qualified(exclude.getStarIdentifier(), from),
          exclude.getExcludeList());
    }
    if (column instanceof SqlStarReplace replace) {
      return new SqlStarReplace(
          column.getParserPosition(),
          (SqlIdentifier) qualified(replace.getStarIdentifier(), from),
          replace.getReplaceList());
    }
    if (!(column instanceof SqlIdentifier star) || !star.isStar() || star.names.size() > 1) {
      return column;
    }
    String table =
        from == null || from.getKind() == SqlKind.JOIN ? null : SqlValidatorUtil.alias(from);
    if (table == null) {
      throw invalid(column, "Beside UNNEST a star needs the table whose columns are meant: t.*");
    }
    return new SqlIdentifier(List.of(table, ""), column.getParserPosition());
  }

  /** Puts the column of elements in place of calls, but for those of subqueries. */
  private static final class References extends SqlShuttle {
    private final List<SqlCall> found;
    private final boolean places;

    /**
     * @param places whether the column has places in lists, not elements of one
     */
    References(List<SqlCall> found, boolean places) {
      this.found = found;
      this.places = places;
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
      if (isMark(call)) {
        found.add(call);
        SqlParserPos at = call.getParserPosition();
        SqlNode column = new SqlIdentifier(List.of(TABLE, COLUMN), at);
        return places ? SqlStdOperatorTable.ITEM.createCall(at, call.operand(0), column) : column;
      }
      return call.getKind().belongsTo(SqlKind.QUERY) ? call : super.visit(call);
    }
  }
}
