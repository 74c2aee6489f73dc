package io.aragonite.adapter.sql;

import io.aragonite.rules.function.ZoneFunctions;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCallBinding;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperandCountRange;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlSyntax;
import org.apache.calcite.sql.type.SqlOperandCountRanges;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.apache.calcite.sql2rel.SqlRexContext;

/** FLOOR and CEIL of an instant to an hour or a minute of a zone's clocks. */
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

  static RexNode convert(SqlRexContext context, SqlCall call) {
    InstantRounding operator = (InstantRounding) call.getOperator();
    SqlIntervalQualifier unit = call.operand(1);
    RexBuilder builder = context.getRexBuilder();
    return builder.makeCall(
        operator.rounding.getKind() == SqlKind.FLOOR
            ? ZoneFunctions.INSTANT_FLOOR
            : ZoneFunctions.INSTANT_CEIL,
        context.convertExpression(call.operand(0)),
        builder.makeLiteral(unit.timeUnitRange.name()),
        builder.makeLiteral(operator.zone));
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
