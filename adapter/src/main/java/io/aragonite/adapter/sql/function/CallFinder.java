package io.aragonite.adapter.sql.function;

import java.util.function.Predicate;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/** Finds calls in an expression, outside of its subqueries. */
public final class CallFinder {
  private CallFinder() {}

  /** Whether there is a subquery. */
  public static boolean hasSubQuery(SqlNode node) {
    return has(node, CallFinder::isQuery);
  }

  /** Whether there is a window. */
  public static boolean hasWindow(SqlNode node) {
    return has(node, call -> call.getKind() == SqlKind.OVER);
  }

  /**
   * Whether there is a call of a function.
   *
   * @param name in upper or lower case
   */
  public static boolean hasCallOf(SqlNode node, String name) {
    return has(node, call -> call.getOperator().getName().equalsIgnoreCase(name));
  }

  /** Whether there is a name without others before it, in any case of letters. */
  public static boolean hasName(SqlNode node, String name) {
    try {
      node.accept(
          new SqlBasicVisitor<Void>() {
            @Override
            public @Nullable Void visit(SqlIdentifier id) {
              if (id.isSimple() && id.getSimple().equalsIgnoreCase(name)) {
                throw Util.FoundOne.NULL;
              }
              return null;
            }
          });
      return false;
    } catch (Util.FoundOne e) {
      return true;
    }
  }

  /** Whether there is such a call, or such a subquery. */
  private static boolean has(SqlNode node, Predicate<SqlCall> wanted) {
    try {
      node.accept(
          new SqlBasicVisitor<Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
              if (wanted.test(call)) {
                throw Util.FoundOne.NULL;
              }
              return isQuery(call) ? null : super.visit(call);
            }
          });
      return false;
    } catch (Util.FoundOne e) {
      return true;
    }
  }

  /** Whether a call is a query. */
  public static boolean isQuery(SqlCall call) {
    return call.getKind().belongsTo(SqlKind.QUERY);
  }
}
