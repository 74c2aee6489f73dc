package io.aragonite.adapter.sql;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import java.math.BigDecimal;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/**
 * Literals that are texts among operands of one type: beside dates, times, timestamps and UUIDs
 * they are read as such, as in PostgreSQL. Calcite does so for comparisons only. Literals of
 * numbers have no more digits than a DECIMAL.
 */
final class LiteralOperands {
  private static final int MAX_DIGITS = 9;
  private static final Set<SqlKind> EXTREMES =
      EnumSet.of(SqlKind.GREATEST, SqlKind.LEAST, SqlKind.GREATEST_PG, SqlKind.LEAST_PG);
  private static final Set<String> NAMES = Set.of("GREATEST", "LEAST", "IFNULL", "NVL");
  private static final Pattern FRACTION = Pattern.compile(":\\d+[.](\\d+)");

  private LiteralOperands() {}

  /** Casts such literals of GREATEST, LEAST, IFNULL and NVL, and the default of LAG and LEAD. */
  static void apply(SqlNode expr, Function<SqlNode, RelDataType> types) {
    if (!(expr instanceof SqlCall call)) {
      return;
    }
    if (isOfOneType(call)) {
      cast(call, call.getOperandList(), types);
    } else if (call.getKind() == SqlKind.OVER) {
      SqlNode function = call.operand(0);
      if (function.getKind() == SqlKind.IGNORE_NULLS
          || function.getKind() == SqlKind.RESPECT_NULLS) {
        function = ((SqlCall) function).operand(0);
      }
      if (function instanceof SqlCall shift
          && (shift.getKind() == SqlKind.LAG || shift.getKind() == SqlKind.LEAD)
          && shift.operandCount() == 3) {
        cast(shift, List.of(shift.operand(0), shift.operand(2)), types);
      }
    }
  }

  private static boolean isOfOneType(SqlCall call) {
    return EXTREMES.contains(call.getKind())
        || call.getKind() == SqlKind.NVL
        || call.getOperator() instanceof SqlUnresolvedFunction named
            && NAMES.contains(named.getName().toUpperCase(Locale.ROOT));
  }

  private static void cast(
      SqlCall call, List<SqlNode> operands, Function<SqlNode, RelDataType> types) {
    if (operands.stream().noneMatch(UuidOperands::isGiven)) {
      return;
    }
    RelDataType type = null;
    for (SqlNode operand : operands) {
      RelDataType known = UuidOperands.isGiven(operand) ? null : types.apply(operand);
      type = type == null ? known : type;
    }
    for (int i = 0; type != null && i < call.operandCount(); i++) {
      SqlNode text = call.operand(i);
      if (UuidOperands.isGiven(text) && operands.contains(text)) {
        if (type.getSqlTypeName() == SqlTypeName.UUID) {
          call.setOperand(i, CastCalls.cast(text, SqlTypeName.UUID));
        } else if (text instanceof SqlCharStringLiteral literal) {
          moment(call, i, type, literal);
        }
      }
    }
  }

  private static void moment(
      SqlCall call, int operand, RelDataType type, SqlCharStringLiteral text) {
    SqlParserPos at = text.getParserPosition();
    SqlBasicTypeNameSpec name = spec(type, text, at);
    if (name != null) {
      call.setOperand(
          operand, SqlStdOperatorTable.CAST.createCall(at, text, new SqlDataTypeSpec(name, at)));
    }
  }

  private static @Nullable SqlBasicTypeNameSpec spec(
      RelDataType type, SqlCharStringLiteral text, SqlParserPos at) {
    SqlTypeName name = type.getSqlTypeName();
    if (name == SqlTypeName.DATE) {
      return new SqlBasicTypeNameSpec(name, at);
    }
    if (!SqlTypeUtil.isDatetime(type)) {
      return null;
    }
    Matcher fraction = FRACTION.matcher(text.toValue());
    int digits = fraction.find() ? Math.min(MAX_DIGITS, fraction.group(1).length()) : 0;
    return new SqlBasicTypeNameSpec(name, Math.max(digits, type.getPrecision()), at);
  }

  /** Calcite refuses numbers of too many digits only where they are not zeros at the end. */
  static void requireDigits(SqlLiteral literal) {
    if (literal.getTypeName() == SqlTypeName.DECIMAL
        && literal.getValue() instanceof BigDecimal value
        && Math.max(value.precision(), value.scale()) > DataType.MAX_DECIMAL_PRECISION) {
      String number = Double.toString(value.doubleValue());
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "The number %s has more than the %d digits of a DECIMAL (line %d, column %d); write it as a DOUBLE: %s."
              .formatted(
                  value.toPlainString(),
                  DataType.MAX_DECIMAL_PRECISION,
                  literal.getParserPosition().getLineNum(),
                  literal.getParserPosition().getColumnNum(),
                  number.contains("E") ? number : number + "E0"));
    }
  }
}
