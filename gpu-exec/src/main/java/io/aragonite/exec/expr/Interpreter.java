package io.aragonite.exec.expr;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reference semantics of expressions, a row at a time over boxed values in the forms of {@link
 * Expr.Literal}.
 */
public final class Interpreter {
  private Interpreter() {}

  /** The order of two values of one type that are not null. */
  public static int compare(Object a, Object b) {
    return Operations.compare(a, b);
  }

  /** The values of one row. */
  @FunctionalInterface
  public interface Row {
    /** The boxed value of a column, null for SQL null. */
    @Nullable Object get(int column);

    /** The code of a dictionary column's value, which is not null. */
    default int code(int column) {
      throw new IllegalStateException("column " + column + " has no dictionary");
    }
  }

  /**
   * @return the value, boxed; null for SQL null
   * @throws AragoniteException naming the operation that failed
   */
  public static @Nullable Object evaluate(Expr expr, Row row) {
    return switch (expr) {
      case Expr.InputRef ref -> row.get(ref.index());
      case Expr.Literal literal -> literal.value();
      case Expr.Parameter parameter ->
          throw new AragoniteException(
              ErrorCode.MISSING_PARAMETER,
              "Parameter " + (parameter.index() + 1) + " has no value; set it before executing");
      case Expr.HostFunctionCall call -> apply(call, values(call.args(), row));
      case Expr.KeyWord word -> keyWord(word, row);
      case Expr.Call call -> call(call, row);
    };
  }

  private static @Nullable Object call(Expr.Call call, Row row) {
    List<Expr> args = call.args();
    switch (call.op()) {
      case AND -> {
        return logic(args, row, false);
      }
      case OR -> {
        return logic(args, row, true);
      }
      case CASE -> {
        for (int i = 0; i + 1 < args.size(); i += 2) {
          if (Boolean.TRUE.equals(evaluate(args.get(i), row))) {
            return evaluate(args.get(i + 1), row);
          }
        }
        return evaluate(args.getLast(), row);
      }
      case COALESCE -> {
        for (Expr arg : args) {
          Object value = evaluate(arg, row);
          if (value != null) {
            return value;
          }
        }
        return null;
      }
      default -> {
        return apply(call, values(args, row));
      }
    }
  }

  /** AND ({@code decisive} false) and OR (true), which stop at the first decisive argument. */
  private static @Nullable Boolean logic(List<Expr> args, Row row, boolean decisive) {
    boolean unknown = false;
    for (Expr arg : args) {
      Object value = evaluate(arg, row);
      if (value == null) {
        unknown = true;
      } else if ((Boolean) value == decisive) {
        return decisive;
      }
    }
    return unknown ? null : (Boolean) !decisive;
  }

  private static @Nullable Object[] values(List<Expr> args, Row row) {
    @Nullable Object[] values = new @Nullable Object[args.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = evaluate(args.get(i), row);
    }
    return values;
  }

  /** A host call over its arguments' values. */
  public static @Nullable Object apply(Expr.HostFunctionCall call, @Nullable Object[] args) {
    try {
      return call.function().apply(args);
    } catch (AragoniteException e) {
      throw e;
    } catch (EvalException e) {
      throw error(call, e);
    } catch (StackOverflowError e) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "A value is nested too deeply, in " + ExprText.of(call) + ".",
          e);
    } catch (RuntimeException e) {
      boolean arithmetic = e instanceof ArithmeticException;
      Throwable root = e; // what wraps it says the same behind the name of a class
      while (root.getCause() != null) {
        root = root.getCause();
      }
      String message =
          root.getMessage() == null
              ? "The function failed (" + root.getClass().getSimpleName() + ")"
              : root.getMessage();
      throw new AragoniteException(
          !arithmetic
              ? ErrorCode.INVALID_ARGUMENT
              : message.contains("zero") ? ErrorCode.DIVISION_BY_ZERO : ErrorCode.NUMERIC_OVERFLOW,
          message + ", in " + ExprText.of(call),
          e);
    }
  }

  /**
   * An operation over its arguments' values; not for AND, OR, CASE and COALESCE, which decide what
   * is evaluated.
   */
  public static @Nullable Object apply(Expr.Call call, @Nullable Object[] args) {
    switch (call.op()) {
      case IS_NULL -> {
        return args[0] == null;
      }
      case IS_NOT_NULL -> {
        return args[0] != null;
      }
      case IS_TRUE -> {
        return Boolean.TRUE.equals(args[0]);
      }
      case IS_NOT_TRUE -> {
        return !Boolean.TRUE.equals(args[0]);
      }
      case IS_FALSE -> {
        return Boolean.FALSE.equals(args[0]);
      }
      case IS_NOT_FALSE -> {
        return !Boolean.FALSE.equals(args[0]);
      }
      case IS_DISTINCT_FROM -> {
        return !Operations.same(args[0], args[1]);
      }
      case IS_NOT_DISTINCT_FROM -> {
        return Operations.same(args[0], args[1]);
      }
      case IN_LIST -> {
        return Operations.inList(args);
      }
      default -> {}
    }
    for (Object arg : args) {
      if (arg == null) {
        return null;
      }
    }
    try {
      return Operations.strict(call, args);
    } catch (EvalException e) {
      if (call.op().isTried() && e.code() != ErrorCode.EXPRESSION_UNSUPPORTED) {
        return null;
      }
      throw error(call, e);
    }
  }

  /** The error that a user sees: what was wrong, and in which expression. */
  public static AragoniteException error(Expr expr, EvalException e) {
    String detail = e.detail();
    String wayOut =
        switch (e.code()) {
          case DIVISION_BY_ZERO -> "; guard it with NULLIF or CASE";
          case NUMERIC_OVERFLOW -> "; cast the operands to a wider type";
          case INVALID_CAST, INVALID_DATETIME -> "; correct the value or use TRY_CAST";
          case INVALID_ARGUMENT ->
              expr instanceof Expr.Call call && call.op() == Op.UUID_OF_TEXT
                  ? "; TRY_CAST makes it NULL"
                  : "";
          default -> "";
        };
    return new AragoniteException(
        e.code(),
        Character.toUpperCase(detail.charAt(0))
            + detail.substring(1)
            + ", in "
            + ExprText.of(expr)
            + wayOut
            + ".");
  }

  private static Long keyWord(Expr.KeyWord word, Row row) {
    if (!word.layout().exact()) {
      long hash = KeyHash.SEED;
      for (Expr key : word.keys()) {
        hash = KeyHash.combine(hash, KeyHash.of(evaluate(key, row)));
      }
      return KeyHash.zero() ? 0L : hash;
    }
    long packed = 0;
    int shift = 0;
    for (int i = 0; i < word.keys().size(); i++) {
      KeyLayout.KeyField part = word.layout().parts().get(i);
      Object value = evaluate(word.keys().get(i), row);
      if (value != null && part.bits() > 0) {
        long offset = keyValue(word.keys().get(i), value, row) - part.min();
        packed |= (part.mayBeNull() ? offset + 1 : offset) << shift;
      }
      shift += part.bits();
    }
    return packed;
  }

  private static long keyValue(Expr key, Object value, Row row) {
    return switch (value) {
      case Long number -> number;
      case Boolean truth -> truth ? 1 : 0;
      case BigDecimal decimal -> decimal.unscaledValue().longValueExact();
      default -> {
        if (key.type().kind() != TypeKind.OPAQUE && key instanceof Expr.InputRef ref) {
          yield row.code(ref.index());
        }
        throw new AragoniteException(
            ErrorCode.INTERNAL, "A packed key of type " + key.type() + " is not a column.");
      }
    };
  }
}
