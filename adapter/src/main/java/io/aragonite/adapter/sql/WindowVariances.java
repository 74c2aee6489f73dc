package io.aragonite.adapter.sql;

import java.math.BigDecimal;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql2rel.SqlRexContext;
import org.apache.calcite.sql2rel.SqlRexConvertlet;
import org.apache.calcite.sql2rel.SqlRexConvertletTable;
import org.jspecify.annotations.Nullable;

/**
 * Variances and deviations over windows. Of INTEGER and short decimals they are of sums that are
 * exact: {@code (n * sum(x * x) - sum(x) * sum(x)) / n / n}. Of others Calcite's sums of squares in
 * DOUBLE may be less than those of the mean; then nothing is left, where the root of what is less
 * than zero would be no number.
 */
final class WindowVariances {
  /** Digits of decimals whose squares can be added up a billion times, and that sum as often. */
  private static final int MOST_DIGITS = 9;

  private WindowVariances() {}

  /** What converts a call; null if it is none of a variance. */
  static @Nullable SqlRexConvertlet convertlet(SqlCall call, SqlRexConvertletTable table) {
    SqlAggFunction variance = variance(call.getKind());
    return variance == null ? null : (context, of) -> convert(context, of, variance, table);
  }

  /** The variance that a call is, or the root of; null for others. */
  private static @Nullable SqlAggFunction variance(SqlKind kind) {
    return switch (kind) {
      case VAR_POP, STDDEV_POP -> SqlStdOperatorTable.VAR_POP;
      case VAR_SAMP, STDDEV_SAMP -> SqlStdOperatorTable.VAR_SAMP;
      default -> null;
    };
  }

  private static RexNode convert(
      SqlRexContext context, SqlCall call, SqlAggFunction variance, SqlRexConvertletTable table) {
    RexBuilder builder = context.getRexBuilder();
    SqlNode argument = uncast(call.operand(0));
    RelDataType type = context.convertExpression(argument).getType();
    boolean sample = variance.kind == SqlKind.VAR_SAMP;
    RexNode value;
    if (isExact(type)) {
      value = context.convertExpression(exact(argument, decimal(type, context), sample));
    } else {
      SqlCall plain = variance.createCall(call.getParserPosition(), call.getOperandList());
      SqlValidator validator = context.getValidator();
      validator.setValidatedNodeType(plain, validator.getValidatedNodeType(call));
      SqlRexConvertlet known = table.get(plain);
      if (known == null) {
        throw new IllegalStateException("Calcite has no convertlet of " + variance);
      }
      value = positive(builder, known.convertCall(context, plain));
    }
    boolean root = call.getKind() == SqlKind.STDDEV_POP || call.getKind() == SqlKind.STDDEV_SAMP;
    return root ? builder.makeCall(SqlStdOperatorTable.SQRT, value) : value;
  }

  /** A sum of squares, which is not less than zero but by rounding. */
  static RexNode positive(RexBuilder builder, RexNode value) {
    RexNode zero = builder.makeApproxLiteral(BigDecimal.ZERO);
    return builder.makeCall(
        SqlStdOperatorTable.CASE,
        List.of(builder.makeCall(SqlStdOperatorTable.LESS_THAN, value, zero), zero, value));
  }

  /** What a value was before it became a DOUBLE. */
  private static SqlNode uncast(SqlNode value) {
    return value instanceof SqlCall cast
            && cast.getKind() == SqlKind.CAST
            && cast.operand(1) instanceof SqlDataTypeSpec type
            && type.getTypeName().getSimple().equals(SqlTypeName.DOUBLE.getName())
        ? cast.operand(0)
        : value;
  }

  private static boolean isExact(RelDataType type) {
    return switch (type.getSqlTypeName()) {
      case TINYINT, SMALLINT, INTEGER -> true;
      case DECIMAL -> type.getPrecision() <= MOST_DIGITS;
      default -> false;
    };
  }

  private static SqlNode decimal(RelDataType type, SqlRexContext context) {
    RelDataType decimal =
        SqlTypeUtil.isDecimal(type) ? type : context.getTypeFactory().decimalOf(type);
    return SqlTypeUtil.convertTypeToSpec(decimal);
  }

  private static SqlNode exact(SqlNode value, SqlNode decimal, boolean sample) {
    SqlNode x = call(SqlStdOperatorTable.CAST, value, decimal);
    SqlNode n = call(SqlStdOperatorTable.COUNT, value);
    SqlNode sum = call(SqlStdOperatorTable.SUM, x);
    SqlNode squares = call(SqlStdOperatorTable.SUM, call(SqlStdOperatorTable.MULTIPLY, x, x));
    SqlNode total =
        call(
            SqlStdOperatorTable.MINUS,
            call(SqlStdOperatorTable.MULTIPLY, n, squares),
            call(SqlStdOperatorTable.MULTIPLY, sum, sum));
    SqlNode mean = over(asDouble(total), asDouble(n));
    return over(mean, asDouble(sample ? lessOne(n) : n));
  }

  private static SqlNode lessOne(SqlNode count) {
    SqlNode one = SqlLiteral.createExactNumeric("1", SqlParserPos.ZERO);
    return new SqlCase(
        SqlParserPos.ZERO,
        null,
        SqlNodeList.of(call(SqlStdOperatorTable.GREATER_THAN, count, one)),
        SqlNodeList.of(call(SqlStdOperatorTable.MINUS, count, one)),
        SqlLiteral.createNull(SqlParserPos.ZERO));
  }

  private static SqlNode asDouble(SqlNode value) {
    return call(
        SqlStdOperatorTable.CAST,
        value,
        new SqlDataTypeSpec(
            new SqlBasicTypeNameSpec(SqlTypeName.DOUBLE, SqlParserPos.ZERO), SqlParserPos.ZERO));
  }

  private static SqlNode over(SqlNode left, SqlNode right) {
    return call(SqlStdOperatorTable.DIVIDE, left, right);
  }

  private static SqlNode call(SqlOperator operator, SqlNode... operands) {
    return operator.createCall(SqlParserPos.ZERO, operands);
  }
}
