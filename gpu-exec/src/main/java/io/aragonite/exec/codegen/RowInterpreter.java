package io.aragonite.exec.codegen;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.limit.StopCheck;
import org.jspecify.annotations.Nullable;

/** The interpreter where a query can be stopped. */
public final class RowInterpreter {
  private RowInterpreter() {}

  /** An expression's value for a row; looks now and then whether the query is to end. */
  public static @Nullable Object evaluate(Expr expr, Interpreter.Row row, StopCheck stopCheck) {
    stopCheck.work(KernelArgs.CALL);
    long held = stopCheck.held();
    try {
      return Interpreter.evaluate(expr, row);
    } finally {
      stopCheck.release(held);
    }
  }
}
