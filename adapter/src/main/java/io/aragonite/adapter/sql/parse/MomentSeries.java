package io.aragonite.adapter.sql.parse;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlUnknownLiteral;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.parser.SqlParserUtil;
import org.apache.calcite.util.NlsString;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/**
 * A series of moments: {@code generate_series(DATE '2024-01-01', DATE '2024-12-31', INTERVAL 1
 * DAY)}.
 *
 * @param months of a step; 0: it is one of milliseconds
 */
record MomentSeries(String name, LocalDateTime first, LocalDateTime end, long months, long millis) {
  /** Months are added one after the other, from 31 January to 29 February to 29 March. */
  private static final int MOST_OF_MONTHS = 10_000;

  private static final DateTimeFormatter FORMAT =
      new DateTimeFormatterBuilder()
          .appendPattern("yyyy-MM-dd[ HH:mm[:ss]]")
          .optionalStart()
          .appendFraction(ChronoField.NANO_OF_SECOND, 1, 6, true)
          .optionalEnd()
          .parseDefaulting(ChronoField.HOUR_OF_DAY, 0)
          .parseDefaulting(ChronoField.MINUTE_OF_HOUR, 0)
          .toFormatter(Locale.ROOT);

  /** The series of a call; null if its arguments are no literals of moments. */
  static @Nullable MomentSeries of(SqlCall call, String name) {
    List<SqlNode> arguments = call.getOperandList();
    String first = arguments.isEmpty() ? null : text(arguments.getFirst());
    if (first == null) {
      return null;
    }
    if (arguments.size() != 3) {
      throw noStep(name);
    }
    String last = text(arguments.get(1));
    if (last == null || arguments.get(2).getKind() == SqlKind.MINUS_PREFIX) {
      return null;
    }
    MomentSeries series = stepped(name, moment(first, name), moment(last, name), arguments.get(2));
    if (series.months == 0 && series.millis == 0) {
      throw invalid(name, "has a step of zero");
    }
    return series;
  }

  private static MomentSeries stepped(
      String name, LocalDateTime first, LocalDateTime end, SqlNode step) {
    if (step instanceof SqlIntervalLiteral literal
        && literal.getValue() instanceof SqlIntervalLiteral.IntervalValue interval) {
      boolean months = interval.getIntervalQualifier().isYearMonth();
      return new MomentSeries(
          name,
          first,
          end,
          months ? interval.getSign() * SqlParserUtil.intervalToMonths(interval) : 0,
          months ? 0 : interval.getSign() * SqlParserUtil.intervalToMillis(interval));
    }
    if (step.getKind() == SqlKind.INTERVAL
        && ((SqlCall) step).operand(0) instanceof SqlNumericLiteral count
        && ((SqlCall) step).operand(1) instanceof SqlIntervalQualifier unit
        && count.isInteger()
        && count.bigDecimalValue() instanceof BigDecimal number) {
      long units = units(number, unit.getStartUnit(), name);
      return new MomentSeries(
          name, first, end, unit.isYearMonth() ? units : 0, unit.isYearMonth() ? 0 : units);
    }
    throw noStep(name);
  }

  private static long units(BigDecimal number, TimeUnit unit, String name) {
    try {
      return number.multiply(unit.multiplier).longValueExact();
    } catch (ArithmeticException e) {
      throw tooLong(name);
    }
  }

  private static AragoniteException tooLong(String name) {
    return invalid(name, "has a step that is too long");
  }

  private static AragoniteException noStep(String name) {
    return invalid(name, "of moments takes two of them and an interval of one unit, as literals");
  }

  private static AragoniteException invalid(String name, String what) {
    return new AragoniteException(ErrorCode.INVALID_STATEMENT, "%s %s.".formatted(name, what));
  }

  /** What a literal of a moment, or a cast of a text to one, has between its quotes. */
  private static @Nullable String text(SqlNode node) {
    if (node instanceof SqlUnknownLiteral literal
        && (literal.tag.equals("DATE") || literal.tag.equals("TIMESTAMP"))) {
      return literal.getValueAs(String.class);
    }
    if (node.getKind() == SqlKind.CAST
        && ((SqlCall) node).operand(0) instanceof SqlCharStringLiteral literal
        && literal.getValue() instanceof NlsString text) {
      String type = ((SqlCall) node).operand(1).toString().toUpperCase(Locale.ROOT);
      return type.equals("DATE") || type.equals("TIMESTAMP") || type.equals("DATETIME")
          ? text.getValue()
          : null;
    }
    return null;
  }

  private static LocalDateTime moment(String text, String name) {
    try {
      return LocalDateTime.parse(text.strip().replace('T', ' '), FORMAT);
    } catch (DateTimeParseException e) {
      throw invalid(name, "takes moments such as '2024-01-31 12:00:00', not '%s'".formatted(text));
    }
  }

  /** All of it, if its steps are months; null otherwise. */
  @Nullable List<SqlNode> listed(SqlParserPos at) {
    if (months == 0) {
      return null;
    }
    List<SqlNode> moments = new ArrayList<>();
    for (LocalDateTime each = first; isIn(each); each = next(each)) {
      if (moments.size() == MOST_OF_MONTHS) {
        throw invalid(name, "has more than %,d rows".formatted(MOST_OF_MONTHS));
      }
      moments.add(literal(each, at));
    }
    return moments;
  }

  private LocalDateTime next(LocalDateTime moment) {
    try {
      return moment.plusMonths(months);
    } catch (DateTimeException e) {
      throw tooLong(name);
    }
  }

  private boolean isIn(LocalDateTime moment) {
    int order = months > 0 ? moment.compareTo(end) : end.compareTo(moment);
    return name.equals("generate_series") ? order <= 0 : order < 0;
  }

  private static SqlNode literal(LocalDateTime moment, SqlParserPos at) {
    String text = moment.format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT));
    TimestampString value = new TimestampString(text).withNanos(moment.getNano());
    return SqlLiteral.createTimestamp(value, 6, at);
  }

  /** Microseconds between the first moment and the end. */
  BigInteger way() {
    return BigInteger.valueOf(ChronoUnit.MICROS.between(first, end));
  }

  /** Microseconds of a step. */
  BigInteger step() {
    return BigInteger.valueOf(millis).multiply(BigInteger.valueOf(1000));
  }

  /** The moment so many microseconds after the first. */
  SqlNode after(SqlNode micros, SqlParserPos at) {
    return SqlStdOperatorTable.TIMESTAMP_ADD.createCall(
        at, new SqlIntervalQualifier(TimeUnit.MICROSECOND, null, at), micros, literal(first, at));
  }
}
