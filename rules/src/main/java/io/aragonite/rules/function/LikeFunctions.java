package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.linq4j.function.Strict;
import org.jspecify.annotations.Nullable;

/**
 * LIKE, ILIKE and SIMILAR TO as the engine matches them, in time proportional to text times
 * pattern, for what Calcite's code evaluates. Called by generated code; no argument is null.
 */
@Strict
public final class LikeFunctions {
  private LikeFunctions() {}

  /**
   * @throws AragoniteException INVALID_ESCAPE, INVALID_REGEX
   */
  private static boolean match(Op op, String... arguments) {
    List<Expr> args = new ArrayList<>();
    @Nullable Object[] values = new @Nullable Object[arguments.length];
    for (int i = 0; i < arguments.length; i++) {
      args.add(new Expr.InputRef(i, DataType.VARCHAR));
      values[i] = arguments[i];
    }
    return (Boolean)
        Objects.requireNonNull(
            Interpreter.apply(new Expr.Call(op, args, DataType.BOOLEAN), values));
  }

  public static boolean like(String text, String pattern) {
    return match(Op.LIKE, text, pattern);
  }

  public static boolean like(String text, String pattern, String escape) {
    return match(Op.LIKE, text, pattern, escape);
  }

  public static boolean ilike(String text, String pattern) {
    return match(Op.ILIKE, text, pattern);
  }

  public static boolean ilike(String text, String pattern, String escape) {
    return match(Op.ILIKE, text, pattern, escape);
  }

  public static boolean similar(String text, String pattern) {
    return match(Op.SIMILAR, text, pattern);
  }

  public static boolean similar(String text, String pattern, String escape) {
    return match(Op.SIMILAR, text, pattern, escape);
  }
}
