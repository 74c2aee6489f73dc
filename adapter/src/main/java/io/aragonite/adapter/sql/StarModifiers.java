package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.ColumnsExpansion.StarColumn;
import io.aragonite.adapter.sql.function.FunctionForms;
import io.aragonite.adapter.sql.parse.TokenForms;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlStarExclude;
import org.apache.calcite.sql.SqlStarReplace;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/**
 * {@code * EXCLUDE (x)} and {@code * REPLACE (e AS x)} over columns that USING or NATURAL make one
 * of, which Calcite's own expansion miscounts, and {@code * RENAME (x AS y)} and several of these,
 * which it lacks.
 */
final class StarModifiers {
  private StarModifiers() {}

  /** The star of such a column; null of others. */
  static @Nullable SqlIdentifier star(SqlNode column) {
    return switch (column) {
      case SqlStarExclude exclude -> exclude.getStarIdentifier();
      case SqlStarReplace replace -> replace.getStarIdentifier();
      default -> null;
    };
  }

  /** Whether a star gives columns other names, or leaves some out and changes others. */
  static boolean hasMarks(SqlNode column) {
    return column instanceof SqlStarReplace replace
        && replace.getReplaceList().stream()
            .anyMatch(item ->
                marked(item, TokenForms.RENAMED) != null
                    || marked(item, TokenForms.EXCLUDED) != null);
  }

  /** Whether what is in the parentheses are names, and none of them a value. */
  static boolean isOfNames(SqlCall call) {
    String name = call.getOperator().getName();
    return call instanceof SqlStarExclude
        || name.equals(TokenForms.RENAMED)
        || name.equals(TokenForms.EXCLUDED);
  }

  private static @Nullable SqlIdentifier marked(SqlNode item, String name) {
    return item instanceof SqlCall as
            && as.operand(0) instanceof SqlCall mark
            && mark.getOperator().getName().equals(name)
            && mark.operand(0) instanceof SqlIdentifier column
        ? column
        : null;
  }

  /**
   * What is left of the star's columns.
   *
   * @param own the columns of the tables, those of USING once for each
   */
  static List<SqlNode> modified(SqlCall column, List<StarColumn> all, List<StarColumn> own) {
    return column instanceof SqlStarExclude exclude
        ? without(column, exclude.getExcludeList(), all, own)
        : replaced(column, ((SqlStarReplace) column).getReplaceList(), all);
  }

  private static List<SqlNode> without(
      SqlCall star, SqlNodeList names, List<StarColumn> all, List<StarColumn> own) {
    List<StarColumn> left = new ArrayList<>(all);
    for (SqlNode name : names) {
      SqlIdentifier column = (SqlIdentifier) name;
      if (!column.isSimple() && isShared(column, all, own)) {
        throw FunctionForms.invalid(
            star,
            "EXCLUDE (%s) names one part of a column of USING; name it without a table, or list the columns"
                .formatted(name));
      }
      List<StarColumn> meant = meant(column, all);
      if (meant.isEmpty()) {
        throw unknown(star, "EXCLUDE", name);
      }
      left.removeAll(meant);
    }
    if (left.isEmpty()) {
      throw FunctionForms.invalid(star, "EXCLUDE leaves no column of * over");
    }
    return left.stream()
        .map(each -> ColumnsExpansion.named(each, star.getParserPosition()))
        .toList();
  }

  private static List<SqlNode> replaced(SqlCall star, SqlNodeList items, List<StarColumn> all) {
    List<@Nullable SqlNode> made = new ArrayList<>();
    all.forEach(each -> made.add(ColumnsExpansion.named(each, star.getParserPosition())));
    Set<Integer> changed = new HashSet<>();
    for (SqlNode item : excludedLast(items)) {
      SqlIdentifier left = marked(item, TokenForms.EXCLUDED);
      SqlIdentifier other = marked(item, TokenForms.RENAMED);
      SqlIdentifier name = left != null ? left : ((SqlCall) item).operand(1);
      List<StarColumn> meant = meant(name, all);
      if (meant.isEmpty()) {
        throw unknown(star, left != null ? "EXCLUDE" : other != null ? "RENAME" : "REPLACE", name);
      }
      for (StarColumn each : meant) {
        if (!changed.add(all.indexOf(each))) {
          throw FunctionForms.invalid(
              star,
              "'%s' is named twice behind *; EXCLUDE, REPLACE and RENAME take a column once"
                  .formatted(name));
        }
        SqlNode renamed =
            other == null
                ? item
                : SqlStdOperatorTable.AS.createCall(item.getParserPosition(), each.value(), other);
        made.set(all.indexOf(each), left == null ? renamed : null);
      }
    }
    List<SqlNode> kept = made.stream().filter(Objects::nonNull).toList();
    if (kept.isEmpty()) {
      throw FunctionForms.invalid(star, "EXCLUDE leaves no column of * over");
    }
    return kept;
  }

  private static List<SqlNode> excludedLast(SqlNodeList items) {
    List<SqlNode> ordered = new ArrayList<>(items.getList());
    ordered.sort(Comparator.comparing(item -> marked(item, TokenForms.EXCLUDED) != null));
    return ordered;
  }

  /** The columns of a name, which may have its table before it. */
  private static List<StarColumn> meant(SqlIdentifier name, List<StarColumn> all) {
    String simple = Util.last(name.names);
    return all.stream()
        .filter(each -> each.name().equalsIgnoreCase(simple))
        .filter(each -> name.isSimple() || isOf(each.value(), name))
        .toList();
  }

  /** Whether a table's column is there, and one with that of another table. */
  private static boolean isShared(SqlIdentifier name, List<StarColumn> all, List<StarColumn> own) {
    SqlIdentifier simple = name.getComponent(name.names.size() - 1);
    return !meant(name, own).isEmpty() && meant(simple, own).size() > meant(simple, all).size();
  }

  private static boolean isOf(SqlNode value, SqlIdentifier name) {
    return value instanceof SqlIdentifier column
        && column.toString().equalsIgnoreCase(name.toString());
  }

  private static RuntimeException unknown(SqlCall star, String word, SqlNode name) {
    return FunctionForms.invalid(
        star, "SELECT * %s has a column that is not there: %s".formatted(word, name));
  }
}
