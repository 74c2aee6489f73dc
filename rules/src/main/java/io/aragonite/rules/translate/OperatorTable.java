package io.aragonite.rules.translate;

import io.aragonite.exec.expr.Op;
import io.aragonite.rules.function.DatePartFunction;
import java.util.Map;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's operators that map to one {@link Op} each, by what must be done to their operands.
 * Operators with operands of their own forms are in {@link RexTranslator}.
 */
final class OperatorTable {
  private static final Map<SqlOperator, Op> COMPARISONS =
      Map.ofEntries(
          Map.entry(SqlStdOperatorTable.EQUALS, Op.EQ),
          Map.entry(SqlStdOperatorTable.NOT_EQUALS, Op.NE),
          Map.entry(SqlStdOperatorTable.LESS_THAN, Op.LT),
          Map.entry(SqlStdOperatorTable.LESS_THAN_OR_EQUAL, Op.LE),
          Map.entry(SqlStdOperatorTable.GREATER_THAN, Op.GT),
          Map.entry(SqlStdOperatorTable.GREATER_THAN_OR_EQUAL, Op.GE),
          Map.entry(SqlStdOperatorTable.IS_DISTINCT_FROM, Op.IS_DISTINCT_FROM),
          Map.entry(SqlStdOperatorTable.IS_NOT_DISTINCT_FROM, Op.IS_NOT_DISTINCT_FROM));

  private static final Map<SqlOperator, Op> LOGIC =
      Map.ofEntries(
          Map.entry(SqlStdOperatorTable.AND, Op.AND),
          Map.entry(SqlStdOperatorTable.OR, Op.OR),
          Map.entry(SqlStdOperatorTable.NOT, Op.NOT),
          Map.entry(SqlStdOperatorTable.IS_NULL, Op.IS_NULL),
          Map.entry(SqlStdOperatorTable.IS_UNKNOWN, Op.IS_NULL),
          Map.entry(SqlStdOperatorTable.IS_NOT_NULL, Op.IS_NOT_NULL),
          Map.entry(SqlStdOperatorTable.IS_NOT_UNKNOWN, Op.IS_NOT_NULL),
          Map.entry(SqlStdOperatorTable.IS_TRUE, Op.IS_TRUE),
          Map.entry(SqlStdOperatorTable.IS_NOT_TRUE, Op.IS_NOT_TRUE),
          Map.entry(SqlStdOperatorTable.IS_FALSE, Op.IS_FALSE),
          Map.entry(SqlStdOperatorTable.IS_NOT_FALSE, Op.IS_NOT_FALSE));

  private static final Map<SqlOperator, Op> ARITHMETIC =
      Map.ofEntries(
          Map.entry(SqlStdOperatorTable.PLUS, Op.PLUS),
          Map.entry(SqlStdOperatorTable.CHECKED_PLUS, Op.PLUS),
          Map.entry(SqlStdOperatorTable.MINUS, Op.MINUS),
          Map.entry(SqlStdOperatorTable.CHECKED_MINUS, Op.MINUS),
          Map.entry(SqlStdOperatorTable.MULTIPLY, Op.TIMES),
          Map.entry(SqlStdOperatorTable.CHECKED_MULTIPLY, Op.TIMES),
          Map.entry(SqlStdOperatorTable.DIVIDE, Op.DIVIDE),
          Map.entry(SqlStdOperatorTable.CHECKED_DIVIDE, Op.DIVIDE),
          Map.entry(SqlStdOperatorTable.DIVIDE_INTEGER, Op.DIVIDE),
          Map.entry(SqlStdOperatorTable.CHECKED_DIVIDE_INTEGER, Op.DIVIDE),
          Map.entry(SqlStdOperatorTable.MOD, Op.MOD),
          Map.entry(SqlStdOperatorTable.PERCENT_REMAINDER, Op.MOD),
          Map.entry(SqlStdOperatorTable.UNARY_MINUS, Op.NEGATE),
          Map.entry(SqlStdOperatorTable.CHECKED_UNARY_MINUS, Op.NEGATE),
          Map.entry(SqlStdOperatorTable.ABS, Op.ABS),
          Map.entry(SqlStdOperatorTable.SIGN, Op.SIGN));

  private static final Map<SqlOperator, Op> FLOAT_FUNCTIONS =
      Map.ofEntries(
          Map.entry(SqlStdOperatorTable.POWER, Op.POWER),
          Map.entry(SqlLibraryOperators.POW, Op.POWER),
          Map.entry(SqlStdOperatorTable.SQRT, Op.SQRT),
          Map.entry(SqlStdOperatorTable.CBRT, Op.CBRT),
          Map.entry(SqlStdOperatorTable.EXP, Op.EXP),
          Map.entry(SqlStdOperatorTable.LN, Op.LN),
          Map.entry(SqlStdOperatorTable.LOG10, Op.LOG10),
          Map.entry(SqlStdOperatorTable.SIN, Op.SIN),
          Map.entry(SqlStdOperatorTable.COS, Op.COS),
          Map.entry(SqlStdOperatorTable.TAN, Op.TAN),
          Map.entry(SqlStdOperatorTable.COT, Op.COT),
          Map.entry(SqlStdOperatorTable.ASIN, Op.ASIN),
          Map.entry(SqlStdOperatorTable.ACOS, Op.ACOS),
          Map.entry(SqlStdOperatorTable.ATAN, Op.ATAN),
          Map.entry(SqlStdOperatorTable.ATAN2, Op.ATAN2),
          Map.entry(SqlLibraryOperators.SINH, Op.SINH),
          Map.entry(SqlLibraryOperators.COSH, Op.COSH),
          Map.entry(SqlLibraryOperators.TANH, Op.TANH),
          Map.entry(SqlStdOperatorTable.DEGREES, Op.DEGREES),
          Map.entry(SqlStdOperatorTable.RADIANS, Op.RADIANS),
          Map.entry(SqlStdOperatorTable.PI, Op.PI));

  private static final Map<SqlOperator, Op> TEXT_FUNCTIONS =
      Map.ofEntries(
          Map.entry(SqlStdOperatorTable.LIKE, Op.LIKE),
          Map.entry(SqlLibraryOperators.ILIKE, Op.ILIKE),
          Map.entry(SqlStdOperatorTable.SIMILAR_TO, Op.SIMILAR),
          Map.entry(SqlStdOperatorTable.UPPER, Op.UPPER),
          Map.entry(SqlStdOperatorTable.LOWER, Op.LOWER),
          Map.entry(SqlStdOperatorTable.INITCAP, Op.INITCAP),
          Map.entry(SqlStdOperatorTable.CHAR_LENGTH, Op.CHAR_LENGTH),
          Map.entry(SqlStdOperatorTable.CHARACTER_LENGTH, Op.CHAR_LENGTH),
          Map.entry(SqlLibraryOperators.LENGTH, Op.CHAR_LENGTH),
          Map.entry(SqlStdOperatorTable.OCTET_LENGTH, Op.OCTET_LENGTH),
          Map.entry(SqlStdOperatorTable.SUBSTRING, Op.SUBSTRING),
          Map.entry(SqlStdOperatorTable.CONCAT, Op.CONCAT),
          Map.entry(SqlStdOperatorTable.POSITION, Op.POSITION),
          Map.entry(SqlLibraryOperators.LEN, Op.CHAR_LENGTH),
          Map.entry(SqlStdOperatorTable.REPLACE, Op.REPLACE),
          Map.entry(SqlStdOperatorTable.OVERLAY, Op.OVERLAY),
          Map.entry(SqlLibraryOperators.LEFT, Op.LEFT),
          Map.entry(SqlLibraryOperators.RIGHT, Op.RIGHT),
          Map.entry(SqlLibraryOperators.REVERSE, Op.REVERSE),
          Map.entry(SqlLibraryOperators.REPEAT, Op.REPEAT),
          Map.entry(SqlStdOperatorTable.ASCII, Op.ASCII),
          Map.entry(DatePartFunction.DATE_PART, Op.DATE_PART));

  private OperatorTable() {}

  static @Nullable Op comparison(SqlOperator operator) {
    return COMPARISONS.get(operator);
  }

  static @Nullable Op logic(SqlOperator operator) {
    return LOGIC.get(operator);
  }

  /** Operands become of the result's kind. */
  static @Nullable Op arithmetic(SqlOperator operator) {
    return ARITHMETIC.get(operator);
  }

  /** Operands become FLOAT64. */
  static @Nullable Op floatFunction(SqlOperator operator) {
    return FLOAT_FUNCTIONS.get(operator);
  }

  /** Operands are texts and integers, taken as they are. */
  static @Nullable Op textFunction(SqlOperator operator) {
    return TEXT_FUNCTIONS.get(operator);
  }
}
