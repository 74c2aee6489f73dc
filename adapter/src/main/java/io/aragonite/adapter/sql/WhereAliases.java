package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.NodeCopy;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.jspecify.annotations.Nullable;

/**
 * {@code SELECT a + 1 AS x FROM t WHERE x > 2}: a name in WHERE that no column of FROM has is that
 * of a column of SELECT. It is written out, unless it has a subquery. WHERE within subqueries sees
 * their own columns only.
 */
final class WhereAliases extends SqlShuttle {
  /** Functions with another value at each call, before their operators are known. */
  private static final Set<String> CHANGING =
      Set.of("RAND", "RANDOM", "RAND_INTEGER", "UUID", "GEN_RANDOM_UUID");

  private final SqlNameMatcher matcher;
  private final Predicate<String> isColumn;
  private final Map<String, AliasedColumn> columns;

  /** The first column of SELECT that names here do not stand for. */
  private final int end;

  private WhereAliases(
      SqlNameMatcher matcher,
      Predicate<String> isColumn,
      Map<String, AliasedColumn> columns,
      int end) {
    this.matcher = matcher;
    this.isColumn = isColumn;
    this.columns = columns;
    this.end = end;
  }

  /**
   * A column of SELECT.
   *
   * @param place its number: names in it stand for columns before it only
   */
  private record AliasedColumn(SqlNode expression, int place) {}

  /**
   * @param isColumn whether FROM, or that of a query around it, has a column of a name
   */
  static void expand(SqlSelect select, SqlNameMatcher matcher, Predicate<String> isColumn) {
    SqlNode where = select.getWhere();
    if (where == null) {
      return;
    }
    Map<String, AliasedColumn> columns = new LinkedHashMap<>();
    int place = 0;
    for (SqlNode column : select.getSelectList()) {
      if (column.getKind() == SqlKind.AS
          && ((SqlCall) column).operand(1) instanceof SqlIdentifier alias
          && !SqlUtil.containsCall(column, WhereAliases::stays)) {
        columns.putIfAbsent(
            alias.getSimple(), new AliasedColumn(((SqlCall) column).operand(0), place));
      }
      place++;
    }
    if (!columns.isEmpty()) {
      select.setWhere(where.accept(new WhereAliases(matcher, isColumn, columns, place)));
    }
  }

  /** Whether a column with such a call cannot stand twice: it would have two values, or scopes. */
  private static boolean stays(SqlCall call) {
    return call.getKind().belongsTo(SqlKind.QUERY)
        || call.getKind() == SqlKind.LAMBDA
        || !call.getOperator().isDeterministic()
        || CHANGING.contains(call.getOperator().getName().toUpperCase(Locale.ROOT));
  }

  @Override
  public @Nullable SqlNode visit(SqlIdentifier name) {
    if (name.isSimple() && !name.isStar()) {
      for (Map.Entry<String, AliasedColumn> column : columns.entrySet()) {
        AliasedColumn aliased = column.getValue();
        if (aliased.place < end
            && matcher.matches(column.getKey(), name.getSimple())
            && !isColumn.test(name.getSimple())) {
          SqlNode copy = Objects.requireNonNull(aliased.expression.accept(new NodeCopy()));
          return copy.accept(new WhereAliases(matcher, isColumn, columns, aliased.place));
        }
      }
    }
    return name;
  }

  @Override
  public @Nullable SqlNode visit(SqlCall call) {
    return call.getKind().belongsTo(SqlKind.QUERY) || call.getKind() == SqlKind.LAMBDA
        ? call
        : super.visit(call);
  }
}
