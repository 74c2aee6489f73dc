package io.aragonite.rules.function;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/**
 * Comparisons of doubles as SQL has them, for Calcite's code, which compares as Java does: NaN is
 * equal to itself and greater than all other numbers, as in PostgreSQL. The two zeros are equal.
 */
@Strict
public final class FloatComparisons {
  /** The method of each comparison. */
  static final Map<SqlKind, String> METHODS =
      Map.of(
          SqlKind.EQUALS, "equal",
          SqlKind.NOT_EQUALS, "notEqual",
          SqlKind.LESS_THAN, "less",
          SqlKind.LESS_THAN_OR_EQUAL, "lessOrEqual",
          SqlKind.GREATER_THAN, "greater",
          SqlKind.GREATER_THAN_OR_EQUAL, "greaterOrEqual");

  private FloatComparisons() {}

  /** A text as CAST of the engine reads it: NaN and infinities too. */
  public static double ofText(String text) {
    return (Double)
        Objects.requireNonNull(
            Interpreter.apply(
                new Expr.Call(
                    Op.CAST, List.of(new Expr.InputRef(0, DataType.VARCHAR)), DataType.FLOAT64),
                new @Nullable Object[] {text}));
  }

  public static boolean equal(double a, double b) {
    return a == b || Double.isNaN(a) && Double.isNaN(b);
  }

  public static boolean notEqual(double a, double b) {
    return !equal(a, b);
  }

  public static boolean less(double a, double b) {
    return a < b || !Double.isNaN(a) && Double.isNaN(b);
  }

  public static boolean lessOrEqual(double a, double b) {
    return a <= b || Double.isNaN(b);
  }

  public static boolean greater(double a, double b) {
    return less(b, a);
  }

  public static boolean greaterOrEqual(double a, double b) {
    return lessOrEqual(b, a);
  }
}
