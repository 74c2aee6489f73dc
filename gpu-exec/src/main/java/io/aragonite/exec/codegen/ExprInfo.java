package io.aragonite.exec.codegen;

import io.aragonite.exec.expr.Expr;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Facts of expressions, each found once. */
final class ExprInfo {
  /** {@link ExprProperties#column} of an expression without columns. */
  static final int NO_COLUMN = -1;

  /** {@link ExprProperties#column} of an expression of several columns. */
  static final int MANY_COLUMNS = -2;

  /**
   * @param size nodes of the tree
   * @param column the only column, NO_COLUMN or MANY_COLUMNS
   * @param deterministic whether equal arguments give equal results
   */
  record ExprProperties(int size, int column, boolean deterministic) {}

  private final Map<Expr, ExprProperties> known = new IdentityHashMap<>();

  ExprProperties of(Expr expr) {
    ExprProperties facts = known.get(expr);
    if (facts == null) {
      facts = find(expr);
      known.put(expr, facts);
    }
    return facts;
  }

  private ExprProperties find(Expr expr) {
    return switch (expr) {
      case Expr.InputRef ref -> new ExprProperties(1, ref.index(), true);
      case Expr.Literal literal -> new ExprProperties(1, NO_COLUMN, true);
      case Expr.Parameter parameter -> new ExprProperties(1, NO_COLUMN, false);
      case Expr.Call call -> sum(call.args(), true);
      case Expr.HostFunctionCall call -> sum(call.args(), call.deterministic());
      case Expr.KeyWord word -> sum(word.keys(), true);
    };
  }

  private ExprProperties sum(List<Expr> args, boolean deterministic) {
    int size = 1;
    int column = NO_COLUMN;
    boolean all = deterministic;
    for (Expr arg : args) {
      ExprProperties facts = of(arg);
      size += facts.size();
      all &= facts.deterministic();
      if (column == NO_COLUMN) {
        column = facts.column();
      } else if (facts.column() != NO_COLUMN && facts.column() != column) {
        column = MANY_COLUMNS;
      }
    }
    return new ExprProperties(size, column, all);
  }
}
