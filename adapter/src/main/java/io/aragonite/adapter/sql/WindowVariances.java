package io.aragonite.adapter.sql;

import io.aragonite.rules.function.WindowMoments;
import java.math.BigDecimal;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
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
import org.apache.calcite.sql2rel.SqlRexContext;
import org.apache.calcite.sql2rel.SqlRexConvertlet;
import org.jspecify.annotations.Nullable;

/**
 * Variances, deviations and covariances over windows. Variances of INTEGER and short decimals are
 * of sums that are exact: {@code (n * sum(x * x) - sum(x) * sum(x)) / n / n}. Others are of
 * products of distances from the means of frames.
 */
final class WindowVariances {
  /** Digits of decimals whose squares can be added up a billion times, and that sum as often. */
  private static final int MOST_DIGITS = 9;

  private final SqlRexContext context;
  private final SqlCall call;
  private final RexBuilder builder;

  private WindowVariances(SqlRexContext context, SqlCall call) {
    this.context = context;
    this.call = call;
    this.builder = context.getRexBuilder();
  }

  /** What converts a call; null if it is none of products of distances. */
  static @Nullable SqlRexConvertlet convertlet(SqlCall call) {
    if (call.getOperator().equals(SqlStdOperatorTable.REGR_COUNT)) {
      return (context, of) -> new WindowVariances(context, of).pairs();
    }
    return switch (call.getKind()) {
      case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP ->
          (context, of) -> new WindowVariances(context, of).variance();
      case COVAR_POP, COVAR_SAMP, REGR_SXX, REGR_SYY ->
          (context, of) -> new WindowVariances(context, of).ofPairs();
      default -> null;
    };
  }

  private boolean isOfSample() {
    return switch (call.getKind()) {
      case VAR_SAMP, STDDEV_SAMP, COVAR_SAMP -> true;
      default -> false;
    };
  }

  private RexNode variance() {
    SqlNode argument = uncast(call.operand(0));
    RelDataType type = context.convertExpression(argument).getType();
    RexNode variance;
    if (isExact(type)) {
      variance = context.convertExpression(exact(argument, decimal(type, context), isOfSample()));
    } else {
      RexNode value = number(call.operand(0));
      variance = mean(value, value);
    }
    boolean root = call.getKind() == SqlKind.STDDEV_POP || call.getKind() == SqlKind.STDDEV_SAMP;
    return ofType(root ? builder.makeCall(SqlStdOperatorTable.SQRT, variance) : variance);
  }

  private RexNode ofPairs() {
    RexNode y = number(call.operand(0));
    RexNode x = number(call.operand(1));
    return ofType(
        switch (call.getKind()) {
          case REGR_SXX -> products(beside(x, y), beside(x, y));
          case REGR_SYY -> products(beside(y, x), beside(y, x));
          default -> mean(beside(y, x), x);
        });
  }

  private RexNode pairs() {
    RexNode y = context.convertExpression(call.operand(0));
    RexNode x = context.convertExpression(call.operand(1));
    return ofType(builder.makeCall(SqlStdOperatorTable.COUNT, beside(y, x)));
  }

  private RexNode ofType(RexNode value) {
    return builder.ensureType(context.getValidator().getValidatedNodeType(call), value, false);
  }

  private RexNode number(SqlNode argument) {
    RexNode value = context.convertExpression(argument);
    return builder.makeCast(
        builder
            .getTypeFactory()
            .createTypeWithNullability(
                builder.getTypeFactory().createSqlType(SqlTypeName.DOUBLE),
                value.getType().isNullable()),
        value);
  }

  /** A value where another one is not null. */
  private RexNode beside(RexNode value, RexNode other) {
    return other.getType().isNullable()
        ? builder.makeCall(
            SqlStdOperatorTable.CASE,
            builder.makeCall(SqlStdOperatorTable.IS_NULL, other),
            builder.makeNullLiteral(value.getType()),
            value)
        : value;
  }

  private RexNode products(RexNode left, RexNode right) {
    return builder.makeCall(WindowMoments.COMOMENT, left, right);
  }

  private RexNode mean(RexNode left, RexNode right) {
    RexNode count = builder.makeCall(SqlStdOperatorTable.COUNT, beside(left, right));
    RexNode one = builder.makeBigintLiteral(BigDecimal.ONE);
    RexNode rows =
        isOfSample()
            ? builder.makeCall(
                SqlStdOperatorTable.CASE,
                builder.makeCall(SqlStdOperatorTable.GREATER_THAN, count, one),
                builder.makeCall(SqlStdOperatorTable.MINUS, count, one),
                builder.makeNullLiteral(count.getType()))
            : count;
    return builder.makeCall(
        SqlStdOperatorTable.DIVIDE,
        products(left, right),
        builder.ensureType(builder.getTypeFactory().createSqlType(SqlTypeName.DOUBLE), rows, true));
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
