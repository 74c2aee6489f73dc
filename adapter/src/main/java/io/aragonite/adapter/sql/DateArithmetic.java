package io.aragonite.adapter.sql;

import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * Sums and differences of dates and numbers of days, as PostgreSQL has them: {@code date + 5} is a
 * date, {@code date + time} a timestamp, {@code date - date} a number of days, {@code timestamp -
 * timestamp} and {@code time - time} are intervals. The standard has none of them.
 */
final class DateArithmetic {
  private static final int PRECISION = 10;

  private DateArithmetic() {}

  static boolean isSumOrDifference(SqlNode node) {
    return node instanceof SqlBasicCall call
        && call.operandCount() == 2
        && (call.getOperator().equals(SqlStdOperatorTable.PLUS)
            || call.getOperator().equals(SqlStdOperatorTable.MINUS));
  }

  /** Changes the call if its operands have such types. */
  static void apply(SqlBasicCall call, RelDataType left, RelDataType right) {
    boolean difference = call.getOperator().equals(SqlStdOperatorTable.MINUS);
    if (isDate(left) && SqlTypeUtil.isIntType(right)) {
      call.setOperand(1, days(call.operand(1)));
    } else if (!difference && SqlTypeUtil.isIntType(left) && isDate(right)) {
      SqlNode date = call.operand(1);
      call.setOperand(1, days(call.operand(0)));
      call.setOperand(0, date);
    } else if (!difference && isDate(left) && isTime(right)) {
      atTime(call, call.operand(0), call.operand(1), right);
    } else if (!difference && isTime(left) && isDate(right)) {
      atTime(call, call.operand(1), call.operand(0), left);
    } else if (difference && isMoment(left) && isMoment(right)) {
      if (isDate(left) != isDate(right)) {
        int date = isDate(left) ? 0 : 1;
        call.setOperand(date, midnight(call.operand(date)));
      }
      subtract(call, isDate(left) && isDate(right));
    } else if (difference && Durations.sinceMidnight(call, 0, left, right)) {
      subtract(call, false);
    }
  }

  private static boolean isDate(RelDataType type) {
    return type.getSqlTypeName() == SqlTypeName.DATE;
  }

  private static boolean isTime(RelDataType type) {
    return type.getSqlTypeName() == SqlTypeName.TIME;
  }

  /** A date and a time of its day become a CAST, which has two operands as the sum has. */
  private static void atTime(SqlBasicCall call, SqlNode date, SqlNode time, RelDataType type) {
    SqlParserPos at = call.getParserPosition();
    call.setOperator(SqlStdOperatorTable.CAST);
    call.setOperand(0, Durations.later(midnight(date), time, "A sum of a date and a time"));
    call.setOperand(
        1,
        new SqlDataTypeSpec(
            new SqlBasicTypeNameSpec(SqlTypeName.TIMESTAMP, Math.max(0, type.getPrecision()), at),
            at));
  }

  private static boolean isMoment(RelDataType type) {
    return isDate(type) || type.getSqlTypeName() == SqlTypeName.TIMESTAMP;
  }

  private static SqlNode midnight(SqlNode date) {
    SqlParserPos at = date.getParserPosition();
    return SqlStdOperatorTable.CAST.createCall(
        at, date, new SqlDataTypeSpec(new SqlBasicTypeNameSpec(SqlTypeName.TIMESTAMP, 0, at), at));
  }

  private static SqlNode days(SqlNode count) {
    SqlParserPos at = count.getParserPosition();
    SqlIntervalQualifier day =
        new SqlIntervalQualifier(
            TimeUnit.DAY, PRECISION, null, RelDataType.PRECISION_NOT_SPECIFIED, at);
    return SqlStdOperatorTable.MULTIPLY.createCall(
        at, count, SqlLiteral.createInterval(1, "1", day, at));
  }

  /** The call becomes a CAST, which has two operands as well. */
  private static void subtract(SqlBasicCall call, boolean dates) {
    SqlParserPos at = call.getParserPosition();
    SqlNode left = call.operand(0);
    SqlNode right = call.operand(1);
    SqlIntervalQualifier unit =
        dates
            ? new SqlIntervalQualifier(TimeUnit.DAY, null, at)
            : new SqlIntervalQualifier(TimeUnit.DAY, PRECISION, TimeUnit.SECOND, 3, at);
    call.setOperator(SqlStdOperatorTable.CAST);
    call.setOperand(
        0,
        dates
            ? SqlStdOperatorTable.TIMESTAMP_DIFF.createCall(at, unit, right, left)
            : SqlStdOperatorTable.MINUS_DATE.createCall(at, left, right, unit));
    call.setOperand(
        1,
        dates ? new SqlDataTypeSpec(new SqlBasicTypeNameSpec(SqlTypeName.BIGINT, at), at) : unit);
  }
}
