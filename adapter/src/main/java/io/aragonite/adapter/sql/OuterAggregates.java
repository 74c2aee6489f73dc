package io.aragonite.adapter.sql;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.jspecify.annotations.Nullable;

/**
 * Refuses an aggregate in a subquery whose columns are all of queries around it: in SQL it is an
 * aggregate of the innermost of these (SQL:2016, 10.9), but Calcite computes it over the rows of
 * the subquery (CALCITE-6104).
 */
final class OuterAggregates extends SqlBasicVisitor<@Nullable Void> {
  private final SqlValidatorScope scope;
  private final SqlNameMatcher names;

  /**
   * @param scope of the FROM of the query whose aggregates are visited
   */
  OuterAggregates(SqlValidatorScope scope, SqlNameMatcher names) {
    this.scope = scope;
    this.names = names;
  }

  @Override
  public @Nullable Void visit(SqlCall call) {
    if (call.getKind() == SqlKind.OVER || call instanceof SqlSelect) {
      return null;
    }
    if (!call.getOperator().isAggregator() && !isWithClause(call)) {
      return super.visit(call);
    }
    Columns columns = new Columns();
    call.accept(columns);
    if (columns.outer != null && !columns.others) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          ("%s in a subquery has columns of an outer query only (%s), which makes it an aggregate"
                  + " of that query; compute it in the outer query's own SELECT list or in a"
                  + " derived table and refer to it.")
              .formatted(name(call), columns.outer));
    }
    return null;
  }

  private static String name(SqlCall call) {
    return isWithClause(call) ? name(call.operand(0)) : call.getOperator().getName();
  }

  /** Columns of these count too: FILTER, WITHIN GROUP, WITHIN DISTINCT. */
  private static boolean isWithClause(SqlCall call) {
    return switch (call.getKind()) {
      case FILTER, WITHIN_GROUP, WITHIN_DISTINCT, RESPECT_NULLS, IGNORE_NULLS -> true;
      default -> false;
    };
  }

  /** Which columns an aggregate has. */
  private final class Columns extends SqlBasicVisitor<@Nullable Void> {
    private @Nullable SqlIdentifier outer;

    /** Columns of its own query, or a subquery, which may have some. */
    private boolean others;

    @Override
    public @Nullable Void visit(SqlCall call) {
      if (call.isA(SqlKind.QUERY)) {
        others = true;
        return null;
      }
      return super.visit(call);
    }

    @Override
    public @Nullable Void visit(SqlIdentifier name) {
      if (OuterReferences.isOuter(name, scope, names)) {
        outer = name;
      } else {
        others = true;
      }
      return null;
    }
  }

  static void refuse(
      SqlValidatorScope scope, SqlNameMatcher names, Iterable<? extends SqlNode> expressions) {
    OuterAggregates visitor = new OuterAggregates(scope, names);
    expressions.forEach(expression -> expression.accept(visitor));
  }
}
