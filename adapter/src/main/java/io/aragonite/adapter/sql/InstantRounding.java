package io.aragonite.adapter.sql;

import io.aragonite.rules.function.ZoneFunctions;
import java.util.List;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCallBinding;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperandCountRange;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlSyntax;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlOperandCountRanges;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.apache.calcite.sql2rel.SqlRexContext;

/**
 * FLOOR and CEIL of an instant to an hour or a minute of a zone's clocks. Clocks show some hours
 * twice, so the way back from the local time takes the instant's own distance from UTC.
 */
final class InstantRounding extends SqlOperator {
  private final SqlOperator rounding;
  private final String zone;

  /**
   * @param rounding FLOOR or CEIL
   */
  InstantRounding(SqlOperator rounding, String zone) {
    super(rounding.getName() + " IN " + zone, SqlKind.OTHER, 100, 100, null, null, null);
    this.rounding = rounding;
    this.zone = zone;
  }

  /** The local time, rounded, less its distance from UTC, which is a whole number of seconds. */
  static RexNode convert(SqlRexContext context, SqlCall call) {
    InstantRounding operator = (InstantRounding) call.getOperator();
    SqlIntervalQualifier unit = call.operand(1);
    RexBuilder builder = context.getRexBuilder();
    RexNode instant = context.convertExpression(call.operand(0));
    RexNode local = at(builder, instant, operator.zone);
    RexNode utc = at(builder, instant, "UTC");
    RexNode distance =
        builder.makeCall(
            difference(builder.getTypeFactory(), local.getType().isNullable()),
            SqlStdOperatorTable.MINUS_DATE,
            List.of(local, utc));
    RexNode rounded =
        builder.makeCall(operator.rounding, local, builder.makeFlag(unit.timeUnitRange));
    RexNode roundedUtc =
        builder.makeCall(
            local.getType(), SqlStdOperatorTable.MINUS_DATE, List.of(rounded, distance));
    return at(builder, roundedUtc, "UTC");
  }

  private static RexNode at(RexBuilder builder, RexNode value, String zone) {
    return builder.makeCall(ZoneFunctions.AT_TIME_ZONE, value, builder.makeLiteral(zone));
  }

  private static RelDataType difference(RelDataTypeFactory types, boolean nullable) {
    SqlIntervalQualifier unit =
        new SqlIntervalQualifier(TimeUnit.DAY, TimeUnit.SECOND, SqlParserPos.ZERO);
    return types.createTypeWithNullability(types.createSqlIntervalType(unit), nullable);
  }

  @Override
  public SqlSyntax getSyntax() {
    return SqlSyntax.FUNCTION;
  }

  @Override
  public SqlOperandCountRange getOperandCountRange() {
    return SqlOperandCountRanges.of(2);
  }

  @Override
  public RelDataType deriveType(SqlValidator validator, SqlValidatorScope scope, SqlCall call) {
    return validator.deriveType(scope, call.operand(0));
  }

  @Override
  public void validateCall(
      SqlCall call, SqlValidator validator, SqlValidatorScope scope, SqlValidatorScope operands) {
    call.operand(0).validateExpr(validator, operands);
  }

  @Override
  public boolean checkOperandTypes(SqlCallBinding binding, boolean throwOnFailure) {
    return true;
  }
}
