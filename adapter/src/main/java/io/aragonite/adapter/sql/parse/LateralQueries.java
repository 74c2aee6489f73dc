package io.aragonite.adapter.sql.parse;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * Subqueries in FROM that take columns of a table before them, by its name, and do not say LATERAL:
 * {@code FROM t, (SELECT t.x + 1)}, as DuckDB has it. A table of that name within the subquery
 * comes first.
 */
final class LateralQueries {
  private LateralQueries() {}

  static void mark(SqlSelect select) {
    names(select.getFrom());
  }

  /** The names of what stands in FROM, whose joins are changed. */
  private static Set<String> names(@Nullable SqlNode from) {
    Set<String> names = new TreeSet<>();
    if (from instanceof SqlJoin join) {
      names.addAll(names(join.getLeft()));
      // Of rows without a partner on the left there is nothing to name.
      if (join.getJoinType() != JoinType.RIGHT && join.getJoinType() != JoinType.FULL) {
        join.setRight(lateral(join.getRight(), names));
      }
      names.addAll(names(join.getRight()));
    } else if (from != null) {
      String name = SqlValidatorUtil.alias(from);
      if (name != null) {
        names.add(name.toUpperCase(Locale.ROOT));
      }
    }
    return names;
  }

  private static SqlNode lateral(SqlNode item, Set<String> before) {
    if (item.getKind() == SqlKind.AS) {
      SqlCall as = (SqlCall) item;
      as.setOperand(0, lateral(as.operand(0), before));
      return as;
    }
    return item.getKind().belongsTo(SqlKind.QUERY) && takes(item, before)
        ? SqlStdOperatorTable.LATERAL.createCall(item.getParserPosition(), item)
        : item;
  }

  private static boolean takes(SqlNode query, Set<String> before) {
    Set<String> taken = new TreeSet<>();
    Set<String> own = new TreeSet<>();
    query.accept(
        new SqlBasicVisitor<@Nullable Void>() {
          @Override
          public @Nullable Void visit(SqlIdentifier name) {
            if (name.names.size() > 1) {
              taken.add(name.names.getFirst().toUpperCase(Locale.ROOT));
            }
            return null;
          }

          @Override
          public @Nullable Void visit(SqlCall call) {
            if (call instanceof SqlSelect select) {
              own.addAll(names(select.getFrom()));
            }
            return super.visit(call);
          }
        });
    taken.retainAll(before);
    taken.removeAll(own);
    return !taken.isEmpty();
  }
}
