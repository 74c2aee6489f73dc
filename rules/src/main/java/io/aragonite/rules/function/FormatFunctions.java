package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.TextFormat;
import io.aragonite.exec.expr.TextFormat.Wanted;
import java.math.BigDecimal;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlOperatorBinding;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * What the places of FORMAT and PRINTF are written by, and bars; the methods are for Calcite's
 * code.
 */
@Strict
public final class FormatFunctions {
  /** {@code FORMAT_VALUE(x, specification)}, a text. */
  public static final SqlFunction FORMAT_VALUE =
      SqlBasicFunction.create(
          "FORMAT_VALUE", FormatFunctions::type, OperandTypes.ANY_ANY, SqlFunctionCategory.STRING);

  /** {@code $BAR(x, least, greatest, width)} of DOUBLEs, a text. */
  public static final SqlFunction BAR =
      SqlBasicFunction.create(
          "$BAR",
          ReturnTypes.VARCHAR_NULLABLE,
          OperandTypes.family(
              SqlTypeFamily.NUMERIC,
              SqlTypeFamily.NUMERIC,
              SqlTypeFamily.NUMERIC,
              SqlTypeFamily.NUMERIC),
          SqlFunctionCategory.STRING);

  /** Blocks as wide as so many eighths of a character. */
  private static final String EIGHTHS = " ▏▎▍▌▋▊▉";

  private static final int WIDEST_BAR = 1000;

  private FormatFunctions() {}

  private static RelDataType type(SqlOperatorBinding binding) {
    RelDataType value = binding.getOperandType(0);
    if (binding.isOperandLiteral(1, false)) {
      String spec = String.valueOf(binding.getOperandLiteralValue(1, String.class));
      if (!fits(TextFormat.wanted(spec), value)) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "'%s' is no format of a value of %s; whole numbers take d, x, o and b, others f, e and g, and texts s."
                .formatted(spec, value));
      }
    }
    RelDataTypeFactory types = binding.getTypeFactory();
    return types.createTypeWithNullability(
        types.createSqlType(SqlTypeName.VARCHAR), value.isNullable());
  }

  private static boolean fits(Wanted wanted, RelDataType value) {
    boolean unknown = SqlTypeUtil.isNull(value);
    return switch (wanted) {
      case INTEGER -> unknown || SqlTypeUtil.isIntType(value);
      case FLOAT -> unknown || SqlTypeUtil.isNumeric(value);
      case NONE -> false;
      case TEXT, ANY -> true;
    };
  }

  /** {@code bar}, with blanks behind it: blocks of eighths, as long as x lies between the ends. */
  public static String bar(double x, double least, double most, double width) {
    if (!(width >= 1 && width <= WIDEST_BAR)) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "The width of BAR is a number from 1 to %d, and not %s.".formatted(WIDEST_BAR, width));
    }
    double part = x >= most ? 1 : (x - least) / (most - least);
    boolean none = Double.isNaN(least) || Double.isNaN(most) || !(x > least);
    int eighths = none ? 0 : (int) (width * part * EIGHTHS.length());
    StringBuilder bar = new StringBuilder("█".repeat(eighths / EIGHTHS.length()));
    int rest = eighths % EIGHTHS.length();
    if (rest > 0) {
      bar.append(EIGHTHS.charAt(rest));
    }
    return bar.append(" ".repeat(Math.max(0, (int) width - bar.length()))).toString();
  }

  public static String formatValue(String value, String spec) {
    return TextFormat.format(value, spec);
  }

  public static String formatValue(Object value, String spec) {
    Object number =
        switch (value) {
          case BigDecimal decimal when TextFormat.wanted(spec) != Wanted.TEXT ->
              decimal.doubleValue();
          case Float single -> single.doubleValue();
          default -> value;
        };
    return TextFormat.format(number, spec);
  }
}
