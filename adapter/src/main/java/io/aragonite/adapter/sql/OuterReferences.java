package io.aragonite.adapter.sql;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.AggregatingSelectScope;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.apache.calcite.sql.validate.SqlValidatorScope;

/**
 * Columns of queries around an aggregating one: each is one value for all of its rows, so that they
 * need not be grouped. Calcite refuses them.
 */
final class OuterReferences {
  private static final StackWalker STACK = StackWalker.getInstance();
  private final Set<SqlIdentifier> known = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Whether Calcite asks for an expression only to check that it is made of grouped columns. */
  static boolean areChecked(SqlValidatorScope scope) {
    return scope instanceof AggregatingSelectScope
        && STACK.walk(frames ->
            frames.limit(4).anyMatch(frame -> frame.getMethodName().equals("checkAggregateExpr")));
  }

  /**
   * A copy whose outer columns {@link #contains} knows.
   *
   * @param expression with qualified names
   */
  SqlNode mark(SqlNode expression, AggregatingSelectScope scope, SqlNameMatcher names) {
    SqlValidatorScope from = scope.getParent();
    return expression.accept(
        new SqlShuttle() {
          @Override
          public SqlNode visit(SqlIdentifier name) {
            if (!isOuter(name, from, names)) {
              return name;
            }
            SqlIdentifier copy = (SqlIdentifier) name.clone(name.getParserPosition());
            known.add(copy);
            return copy;
          }
        });
  }

  /** Whether this very node is one of those found. */
  boolean contains(SqlIdentifier name) {
    return known.contains(name);
  }

  /**
   * @param name with its table
   * @param scope of the FROM of the query that it stands in
   */
  static boolean isOuter(SqlIdentifier name, SqlValidatorScope scope, SqlNameMatcher names) {
    if (name.isStar() || name.names.size() < 2) {
      return false;
    }
    SqlValidatorScope.ResolvedImpl found = new SqlValidatorScope.ResolvedImpl();
    scope.resolve(name.names.subList(0, name.names.size() - 1), names, false, found);
    return found.count() == 1 && !found.only().scope.equals(scope);
  }
}
