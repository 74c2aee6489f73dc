package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.RandomCalls;
import java.math.BigDecimal;
import java.util.List;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/** Intervals, and times of a day, which are what has passed since midnight. */
final class Durations {
  /** Of a year in PostgreSQL's epoch of an interval, which has 365.25 days. */
  private static final int SECONDS_OF_YEAR = 31_557_600;

  /** Of a month there, which has 30 days. */
  private static final int SECONDS_OF_MONTH = 2_592_000;

  private Durations() {}

  /**
   * A TIMESTAMP that is so much later than 1970 began; null of what is neither an interval nor a
   * time of day.
   */
  static @Nullable SqlNode sinceEpoch(SqlNode value, RelDataType type) {
    SqlParserPos at = value.getParserPosition();
    SqlNode epoch =
        SqlLiteral.createTimestamp(
            SqlTypeName.TIMESTAMP, new TimestampString(1970, 1, 1, 0, 0, 0), 3, at);
    SqlNode passed;
    if (type.getSqlTypeName() == SqlTypeName.TIME) {
      return later(epoch, value, "A difference of times");
    } else if (!isMonths(type) && difference(value) instanceof SqlCall difference) {
      SqlNode micros =
          SqlStdOperatorTable.TIMESTAMP_DIFF.createCall(
              at, microsecond(at), difference.operand(1), difference.operand(0));
      return later(epoch, micros, at);
    } else if (!SqlTypeUtil.isInterval(type)) {
      return null;
    } else if (isMonths(type)) {
      RandomCalls.requireNone("EPOCH of months", value);
      SqlNode seconds =
          sum(
              times(part(TimeUnit.YEAR, value), SECONDS_OF_YEAR, at),
              times(part(TimeUnit.MONTH, value), SECONDS_OF_MONTH, at),
              at);
      passed = times(seconds, interval("1", TimeUnit.SECOND, at), at);
    } else {
      passed = value;
    }
    return sum(epoch, passed, at);
  }

  /**
   * A TIMESTAMP that is so much later than another one as a time of day is than midnight.
   *
   * @param what reads the time several times, for the error of a random one
   */
  static SqlNode later(SqlNode midnight, SqlNode time, String what) {
    RandomCalls.requireNone(what, time);
    SqlParserPos at = time.getParserPosition();
    SqlNode minutes =
        sum(times(part(TimeUnit.HOUR, time), 60, at), part(TimeUnit.MINUTE, time), at);
    SqlNode micros = sum(times(minutes, 60_000_000, at), part(TimeUnit.MICROSECOND, time), at);
    return later(midnight, micros, at);
  }

  private static SqlNode later(SqlNode epoch, SqlNode micros, SqlParserPos at) {
    return SqlStdOperatorTable.TIMESTAMP_ADD.createCall(at, microsecond(at), micros, epoch);
  }

  private static SqlNode microsecond(SqlParserPos at) {
    return new SqlIntervalQualifier(TimeUnit.MICROSECOND, null, at);
  }

  /** The difference of moments that an interval is as it stands; null if it is another. */
  private static @Nullable SqlCall difference(SqlNode value) {
    SqlNode inner = value.getKind() == SqlKind.CAST ? ((SqlCall) value).operand(0) : value;
    return inner instanceof SqlCall call
            && call.getOperator().equals(SqlStdOperatorTable.MINUS_DATE)
        ? call
        : null;
  }

  /**
   * Makes moments of 1970-01-01 of two times of day, so that a call has what is between them with
   * all digits.
   *
   * @param first operand of the two
   * @return whether both are times of day
   */
  static boolean sinceMidnight(SqlCall call, int first, RelDataType left, RelDataType right) {
    if (left.getSqlTypeName() != SqlTypeName.TIME || right.getSqlTypeName() != SqlTypeName.TIME) {
      return false;
    }
    call.setOperand(first, sinceEpoch(call.operand(first), left));
    call.setOperand(first + 1, sinceEpoch(call.operand(first + 1), right));
    return true;
  }

  private static boolean isMonths(RelDataType interval) {
    SqlIntervalQualifier unit = interval.getIntervalQualifier();
    return unit != null && unit.isYearMonth();
  }

  private static SqlNode part(TimeUnit unit, SqlNode value) {
    SqlParserPos at = value.getParserPosition();
    return SqlStdOperatorTable.EXTRACT.createCall(
        at, new SqlIntervalQualifier(unit, null, at), value);
  }

  private static SqlNode sum(SqlNode a, SqlNode b, SqlParserPos at) {
    return SqlStdOperatorTable.PLUS.createCall(at, List.of(a, b));
  }

  private static SqlNode times(SqlNode value, int number, SqlParserPos at) {
    return times(value, SqlLiteral.createExactNumeric(String.valueOf(number), at), at);
  }

  private static SqlNode times(SqlNode value, SqlNode factor, SqlParserPos at) {
    return SqlStdOperatorTable.MULTIPLY.createCall(at, List.of(value, factor));
  }

  private static SqlNode interval(String count, TimeUnit unit, SqlParserPos at) {
    return SqlLiteral.createInterval(1, count, new SqlIntervalQualifier(unit, null, at), at);
  }

  /** Whether an interval counts days, weeks or months and nothing shorter. */
  static boolean isByDays(RelDataType interval) {
    SqlIntervalQualifier unit = interval.getIntervalQualifier();
    return unit != null
        && (unit.isYearMonth()
            || unit.timeUnitRange == TimeUnitRange.DAY
            || unit.timeUnitRange == TimeUnitRange.WEEK);
  }

  /** Whether an interval is zero whatever the row: a moment to which it is added stays. */
  static boolean isZero(SqlNode interval) {
    return switch (interval) {
      case SqlIntervalLiteral literal ->
          literal.getValue() instanceof SqlIntervalLiteral.IntervalValue value
              && value.getIntervalLiteral().chars().noneMatch(c -> c >= '1' && c <= '9');
      case SqlNumericLiteral literal ->
          BigDecimal.ZERO.compareTo(literal.getValueAs(BigDecimal.class)) == 0;
      case SqlCall call when isProduct(call) ->
          call.getOperandList().stream().anyMatch(Durations::isZero);
      default -> false;
    };
  }

  /** Whether an interval can be zero in some row and is not known to be. */
  static boolean mayBeZero(SqlNode interval) {
    return switch (interval) {
      case SqlIntervalQualifier unit -> false;
      case SqlLiteral literal -> false;
      case SqlCall call when isProduct(call) ->
          call.getOperandList().stream().anyMatch(Durations::mayBeZero);
      default -> true;
    };
  }

  /** A product, whose factors are zero if it is. */
  private static boolean isProduct(SqlCall call) {
    return switch (call.getKind()) {
      case TIMES, MINUS_PREFIX, INTERVAL -> true;
      default -> false;
    };
  }

  /** The condition that an interval is zero, as one of its own type. */
  static SqlNode zero(SqlNode interval) {
    SqlParserPos at = interval.getParserPosition();
    return SqlStdOperatorTable.EQUALS.createCall(at, interval, times(interval, 0, at));
  }
}
