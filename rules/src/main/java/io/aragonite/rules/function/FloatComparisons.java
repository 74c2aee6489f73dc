package io.aragonite.rules.function;

import java.util.Map;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlKind;

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
