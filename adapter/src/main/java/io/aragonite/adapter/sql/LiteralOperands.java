package io.aragonite.adapter.sql;

import java.util.EnumSet;
import java.util.List;
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
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/**
 * Literals that are texts among operands of one type: beside dates, times, timestamps and UUIDs
 * they are read as such, as in PostgreSQL. Calcite does so for comparisons only.
 */
final class LiteralOperands {
  private static final int MAX_DIGITS = 9;
  private static final Set<SqlKind> EXTREMES =
      EnumSet.of(SqlKind.GREATEST, SqlKind.LEAST, SqlKind.GREATEST_PG, SqlKind.LEAST_PG);
  private static final Pattern FRACTION = Pattern.compile(":\\d+[.](\\d+)");

  private LiteralOperands() {}

  /** Casts such literals of GREATEST and LEAST, and the default of LAG and LEAD. */
  static void apply(SqlNode expr, Function<SqlNode, RelDataType> types) {
    if (!(expr instanceof SqlCall call)) {
      return;
    }
    if (isExtreme(call)) {
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

  private static boolean isExtreme(SqlCall call) {
    return EXTREMES.contains(call.getKind())
        || call.getOperator() instanceof SqlUnresolvedFunction named
            && (named.getName().equalsIgnoreCase("GREATEST")
                || named.getName().equalsIgnoreCase("LEAST"));
  }

  private static void cast(
      SqlCall call, List<SqlNode> operands, Function<SqlNode, RelDataType> types) {
    if (operands.stream().noneMatch(SqlCharStringLiteral.class::isInstance)) {
      return;
    }
    RelDataType type = null;
    for (SqlNode operand : operands) {
      RelDataType known = operand instanceof SqlCharStringLiteral ? null : types.apply(operand);
      type = type == null ? known : type;
    }
    for (int i = 0; type != null && i < call.operandCount(); i++) {
      if (call.operand(i) instanceof SqlCharStringLiteral text && operands.contains(text)) {
        SqlParserPos at = text.getParserPosition();
        SqlBasicTypeNameSpec name = spec(type, text, at);
        if (name != null) {
          call.setOperand(
              i, SqlStdOperatorTable.CAST.createCall(at, text, new SqlDataTypeSpec(name, at)));
        }
      }
    }
  }

  private static @Nullable SqlBasicTypeNameSpec spec(
      RelDataType type, SqlCharStringLiteral text, SqlParserPos at) {
    SqlTypeName name = type.getSqlTypeName();
    if (name == SqlTypeName.UUID || name == SqlTypeName.DATE) {
      return new SqlBasicTypeNameSpec(name, at);
    }
    if (!SqlTypeUtil.isDatetime(type)) {
      return null;
    }
    Matcher fraction = FRACTION.matcher(text.toValue());
    int digits = fraction.find() ? Math.min(MAX_DIGITS, fraction.group(1).length()) : 0;
    return new SqlBasicTypeNameSpec(name, Math.max(digits, type.getPrecision()), at);
  }
}
