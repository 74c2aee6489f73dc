package io.aragonite.adapter.sql;

import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.ImplicitCastOperandTypeChecker;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Gives the word NULL a type where it is an operand of an aggregate, INTEGER as DuckDB has it, or
 * of one of the standard's functions, that which the function wants. A value of no type is none
 * that functions and sums can be computed over.
 */
final class NullOperands {
  private static final Set<String> SHIFTS = Set.of("LAG", "LEAD");

  private NullOperands() {}

  /** LAG and LEAD without a default that is null, which there is without one too. */
  static SqlNode withoutNullDefault(SqlNode node) {
    return node instanceof SqlCall call
            && SHIFTS.contains(call.getOperator().getName().toUpperCase(Locale.ROOT))
            && call.operandCount() == 3
            && SqlUtil.isNullLiteral(call.operand(2), false)
        ? call.getOperator()
            .createCall(
                call.getFunctionQuantifier(),
                call.getParserPosition(),
                call.getOperandList().subList(0, 2))
        : node;
  }

  /** Changes the call. */
  static void type(SqlCall call) {
    if (!(call.getOperator() instanceof SqlFunction function) || !wantsTypes(function)) {
      return;
    }
    for (int i = 0; i < call.operandCount(); i++) {
      SqlNode operand = call.operand(i);
      SqlTypeName type =
          operand != null && SqlUtil.isNullLiteral(operand, false) ? type(function, i) : null;
      if (type != null) {
        call.setOperand(i, CastCalls.cast(operand, type));
      }
    }
  }

  /** Not those whose result has the type of any of several operands, and that know of nulls. */
  private static boolean wantsTypes(SqlFunction function) {
    return switch (function.getKind()) {
      case CAST, SAFE_CAST, COALESCE, NULLIF, CASE, DECODE, NVL, GREATEST, LEAST -> false;
      case ARRAY_VALUE_CONSTRUCTOR, MAP_VALUE_CONSTRUCTOR, ROW, COLLECT, ARRAY_AGG -> false;
      default -> !function.getName().startsWith("JSON");
    };
  }

  /** Null if any type would do, or if the function is not one of the standard's. */
  private static @Nullable SqlTypeName type(SqlFunction function, int operand) {
    if (function.isAggregator()) {
      return function.getKind() == SqlKind.LISTAGG ? SqlTypeName.VARCHAR : SqlTypeName.INTEGER;
    }
    if (!SqlStdOperatorTable.instance().getOperatorList().contains(function)) {
      return null;
    }
    if (function.getKind() == SqlKind.EXTRACT) {
      return SqlTypeName.TIMESTAMP;
    }
    SqlTypeFamily family = null;
    if (function.getOperandTypeChecker() instanceof ImplicitCastOperandTypeChecker known) {
      try {
        family = known.getOperandSqlTypeFamily(operand);
      } catch (RuntimeException e) {
        // A checker of fewer operands says nothing of the others.
      }
    }
    return switch (family) {
      case CHARACTER, STRING -> SqlTypeName.VARCHAR;
      case DATE -> SqlTypeName.DATE;
      case TIME -> SqlTypeName.TIME;
      case TIMESTAMP, DATETIME -> SqlTypeName.TIMESTAMP;
      case BOOLEAN -> SqlTypeName.BOOLEAN;
      case BINARY -> SqlTypeName.VARBINARY;
      case APPROXIMATE_NUMERIC -> SqlTypeName.DOUBLE;
      case NUMERIC, EXACT_NUMERIC, INTEGER -> SqlTypeName.INTEGER;
      case null, default ->
          function.getFunctionType() == SqlFunctionCategory.NUMERIC
                  && !function.equals(SqlStdOperatorTable.CARDINALITY)
              ? SqlTypeName.INTEGER
              : null;
    };
  }
}
