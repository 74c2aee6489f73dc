package io.aragonite.exec.expr;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The columns that an expression names. */
public final class ExprColumns {
  private ExprColumns() {}

  /** Adds the positions of an expression's columns. */
  public static void collect(Expr expr, Set<Integer> into) {
    switch (expr) {
      case Expr.InputRef ref -> into.add(ref.index());
      case Expr.Literal literal -> {}
      case Expr.Parameter parameter -> {}
      case Expr.Call call -> call.args().forEach(a -> collect(a, into));
      case Expr.HostFunctionCall call -> call.args().forEach(a -> collect(a, into));
      case Expr.KeyWord word -> word.keys().forEach(k -> collect(k, into));
    }
  }

  /** The positions of an expression's columns, ascending. */
  public static List<Integer> of(Expr expr) {
    Set<Integer> columns = new TreeSet<>();
    collect(expr, columns);
    return List.copyOf(columns);
  }

  /** The expression over other columns: reference i becomes {@code places[i]}. */
  public static Expr renumber(Expr expr, int[] places) {
    return switch (expr) {
      case Expr.InputRef ref -> Expr.ref(places[ref.index()], ref.type());
      case Expr.Literal literal -> literal;
      case Expr.Parameter parameter -> parameter;
      case Expr.Call call -> new Expr.Call(call.op(), renumber(call.args(), places), call.type());
      case Expr.HostFunctionCall c ->
          new Expr.HostFunctionCall(
              c.name(), c.function(), renumber(c.args(), places), c.deterministic(), c.type());
      case Expr.KeyWord word -> new Expr.KeyWord(renumber(word.keys(), places), word.layout());
    };
  }

  private static List<Expr> renumber(List<Expr> exprs, int[] places) {
    return exprs.stream().map(e -> renumber(e, places)).toList();
  }
}
