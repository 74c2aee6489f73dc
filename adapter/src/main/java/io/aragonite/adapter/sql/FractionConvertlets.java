package io.aragonite.adapter.sql;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql2rel.SqlRexContext;
import org.apache.calcite.sql2rel.SqlRexConvertlet;

/** TIMESTAMPDIFF and TIMESTAMPADD in units below a second, where intervals lack digits. */
final class FractionConvertlets {
  /** Units below a second, and how many of them a millisecond has. */
  private static final Map<TimeUnit, Integer> FRACTIONS =
      Map.of(TimeUnit.MILLISECOND, 1, TimeUnit.MICROSECOND, 1_000, TimeUnit.NANOSECOND, 1_000_000);

  private FractionConvertlets() {}

  /** By its name too, where it is one of ODBC's. */
  private static TimeUnit unit(SqlIntervalQualifier qualifier) {
    return switch (qualifier.timeFrameName) {
      case "SQL_TSI_FRAC_SECOND" -> TimeUnit.NANOSECOND;
      case "FRAC_SECOND" -> TimeUnit.MICROSECOND;
      case null, default -> qualifier.getUnit();
    };
  }

  /** Whether a call is a TIMESTAMPDIFF in units below a second. */
  static boolean countsFractions(SqlNode node) {
    return node instanceof SqlCall call
        && call.getOperator().getName().equals("TIMESTAMPDIFF")
        && call.operandCount() == 3
        && call.operand(0) instanceof SqlIntervalQualifier unit
        && FRACTIONS.containsKey(unit(unit));
  }

  /** From the milliseconds between two moments; Calcite's own counts whole seconds. */
  static RexNode between(SqlRexContext context, SqlCall call) {
    RexBuilder builder = context.getRexBuilder();
    RelDataTypeFactory types = context.getTypeFactory();
    TimeUnit unit = unit(call.operand(0));
    RexNode from = context.convertExpression(call.operand(1));
    RexNode to = context.convertExpression(call.operand(2));
    boolean nullable = from.getType().isNullable() || to.getType().isNullable();
    RelDataType interval =
        types.createTypeWithNullability(
            types.createSqlIntervalType(
                new SqlIntervalQualifier(TimeUnit.SECOND, null, SqlParserPos.ZERO)),
            nullable);
    RelDataType number =
        types.createTypeWithNullability(types.createSqlType(SqlTypeName.BIGINT), nullable);
    int perMilli = Objects.requireNonNull(FRACTIONS.get(unit));
    boolean fine = perMilli > 1 && (isFine(from) || isFine(to));
    List<RexNode> moments =
        fine ? List.of(millisOf(builder, to), millisOf(builder, from)) : List.of(to, from);
    RexNode between = builder.makeCall(interval, SqlStdOperatorTable.MINUS_DATE, moments);
    RexNode millis = builder.makeReinterpretCast(number, between, builder.makeLiteral(false));
    RexNode count = times(builder, number, millis, perMilli);
    if (fine) {
      RexNode rest =
          builder.makeCall(
              number,
              SqlStdOperatorTable.MINUS,
              List.of(
                  behindMillis(builder, to, unit, perMilli),
                  behindMillis(builder, from, unit, perMilli)));
      count = builder.makeCall(number, SqlStdOperatorTable.PLUS, List.of(count, rest));
    }
    return builder.ensureType(context.getValidator().getValidatedNodeType(call), count, true);
  }

  private static RexNode times(RexBuilder builder, RelDataType number, RexNode value, int factor) {
    return builder.makeCall(
        number,
        SqlStdOperatorTable.MULTIPLY,
        List.of(value, builder.makeBigintLiteral(BigDecimal.valueOf(factor))));
  }

  private static boolean isFine(RexNode moment) {
    return moment.getType().getSqlTypeName() == SqlTypeName.TIMESTAMP
        && moment.getType().getPrecision() > 3;
  }

  /** A timestamp down to its millisecond, so that an interval holds how far it is from another. */
  private static RexNode millisOf(RexBuilder builder, RexNode moment) {
    RelDataType type = builder.getTypeFactory().createSqlType(SqlTypeName.TIMESTAMP, 3);
    return isFine(moment) ? builder.ensureType(type, moment, true) : moment;
  }

  /** How many units there are behind a timestamp's milliseconds. */
  private static RexNode behindMillis(
      RexBuilder builder, RexNode moment, TimeUnit unit, int perMilli) {
    if (!isFine(moment)) {
      return builder.makeBigintLiteral(BigDecimal.ZERO);
    }
    RelDataTypeFactory types = builder.getTypeFactory();
    RelDataType number =
        types.createTypeWithNullability(
            types.createSqlType(SqlTypeName.BIGINT), moment.getType().isNullable());
    TimeUnitRange range = TimeUnitRange.of(unit, null);
    RexNode ofMinute =
        builder.makeCall(
            number, SqlStdOperatorTable.EXTRACT, List.of(builder.makeFlag(range), moment));
    return builder.makeCall(
        number,
        SqlStdOperatorTable.MOD,
        List.of(ofMinute, builder.makeBigintLiteral(BigDecimal.valueOf(perMilli))));
  }

  /** Whether a call is a TIMESTAMPADD in units below a millisecond. */
  static boolean addsFractions(SqlNode node) {
    return node instanceof SqlCall call
        && call.getOperator().getName().equals("TIMESTAMPADD")
        && call.operandCount() == 3
        && call.operand(0) instanceof SqlIntervalQualifier unit
        && FRACTIONS.getOrDefault(unit(unit), 1) > 1;
  }

  /**
   * By the numbers that timestamps are to the engine.
   *
   * @param millis Calcite's own, where the type system has no such timestamps
   */
  static RexNode plus(SqlRexContext context, SqlCall call, SqlRexConvertlet millis) {
    RexBuilder builder = context.getRexBuilder();
    RelDataTypeFactory types = context.getTypeFactory();
    TimeUnit unit = unit(call.operand(0));
    RexNode count = context.convertExpression(call.operand(1));
    RexNode moment = context.convertExpression(call.operand(2));
    int precision = Math.max(unit == TimeUnit.MICROSECOND ? 6 : 9, precision(moment));
    boolean nullable = count.getType().isNullable() || moment.getType().isNullable();
    RelDataType number =
        types.createTypeWithNullability(types.createSqlType(SqlTypeName.BIGINT), nullable);
    RelDataType type =
        types.createTypeWithNullability(
            types.createSqlType(SqlTypeName.TIMESTAMP, precision), nullable);
    if (type.getPrecision() < precision) {
      return millis.convertCall(context, call);
    }
    int factor = precision > 6 && unit == TimeUnit.MICROSECOND ? 1_000 : 1;
    RexNode from =
        builder.makeReinterpretCast(
            number, builder.ensureType(type, moment, true), builder.makeLiteral(false));
    RexNode added = times(builder, number, builder.ensureType(number, count, true), factor);
    RexNode sum = builder.makeCall(number, SqlStdOperatorTable.PLUS, List.of(from, added));
    RexNode result = builder.makeReinterpretCast(type, sum, builder.makeLiteral(false));
    return builder.ensureType(context.getValidator().getValidatedNodeType(call), result, true);
  }

  private static int precision(RexNode moment) {
    return isFine(moment) ? moment.getType().getPrecision() : 0;
  }
}
