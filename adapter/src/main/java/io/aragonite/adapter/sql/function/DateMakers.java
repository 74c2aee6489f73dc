package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.rules.function.ParseFunctions;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.parser.SqlParserUtil;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/** Functions that make dates, times and intervals of numbers and texts. */
final class DateMakers {
  private static final long MICROS = 1_000_000;
  private static final int COUNT_DIGITS = 10;

  /** Where buckets of days begin: a Monday. Those of months begin with the year. */
  private static final String FIRST_MONDAY = "2000-01-03 00:00:00";

  private static final int FIRST_YEAR = 2000;
  private static final int MONTHS_IN_YEAR = 12;

  private DateMakers() {}

  static void add(Map<String, Form> forms) {
    forms.put("TO_TIMESTAMP", DateMakers::fromSeconds);
    forms.put("MAKE_DATE", DateMakers::date);
    forms.put("MAKE_TIME", DateMakers::time);
    forms.put("MAKE_TIMESTAMP", DateMakers::timestamp);
    forms.put("MAKE_TIMESTAMP_MS", (trees, call) -> since(trees, call, TimeUnit.MILLISECOND));
    forms.put("MAKE_TIMESTAMP_NS", (trees, call) -> since(trees, call, TimeUnit.NANOSECOND));
    forms.put("TIME_BUCKET", DateMakers::bucket);
    forms.put("STRPTIME", (trees, call) -> parsed(trees, call, false));
    forms.put("TRY_STRPTIME", (trees, call) -> parsed(trees, call, true));
    interval(forms, "TO_YEARS", TimeUnit.YEAR, 1);
    interval(forms, "TO_MONTHS", TimeUnit.MONTH, 1);
    interval(forms, "TO_WEEKS", TimeUnit.DAY, 7);
    interval(forms, "TO_DAYS", TimeUnit.DAY, 1);
    interval(forms, "TO_HOURS", TimeUnit.HOUR, 1);
    interval(forms, "TO_MINUTES", TimeUnit.MINUTE, 1);
    interval(forms, "TO_SECONDS", TimeUnit.SECOND, 1);
  }

  private static void interval(Map<String, Form> forms, String name, TimeUnit unit, int times) {
    forms.put(
        name,
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          SqlIntervalQualifier qualifier =
              new SqlIntervalQualifier(unit, COUNT_DIGITS, null, -1, SqlParserPos.ZERO);
          return trees.times(
              call.operand(0),
              SqlLiteral.createInterval(1, String.valueOf(times), qualifier, trees.at));
        });
  }

  static SqlNode epoch(Trees trees) {
    return literal(trees, "1970-01-01 00:00:00");
  }

  private static SqlNode literal(Trees trees, String moment) {
    return SqlLiteral.createTimestamp(
        SqlTypeName.TIMESTAMP, new TimestampString(moment), 3, trees.at);
  }

  /** So many units after a moment. */
  static SqlNode after(Trees trees, SqlNode count, TimeUnit unit, SqlNode moment) {
    return trees.call(SqlStdOperatorTable.TIMESTAMP_ADD, trees.unit(unit), count, moment);
  }

  /** Of a number of seconds; of a text and a pattern it is Calcite's. */
  private static @Nullable SqlNode fromSeconds(Trees trees, SqlCall call) {
    return call.operandCount() == 1
        ? after(trees, micros(trees, call.operand(0)), TimeUnit.MICROSECOND, epoch(trees))
        : null;
  }

  /** The microseconds of a number of seconds. */
  private static SqlNode micros(Trees trees, SqlNode seconds) {
    SqlNode all = trees.times(trees.cast(trees.number(MICROS), SqlTypeName.BIGINT), seconds);
    return trees.cast(trees.call(SqlStdOperatorTable.ROUND, all), SqlTypeName.BIGINT);
  }

  /** By a text, which is refused where there is no such day; of one number days since 1970. */
  private static SqlNode date(Trees trees, SqlCall call) {
    if (call.operandCount() == 1) {
      SqlNode day = trees.cast(epoch(trees), SqlTypeName.DATE);
      return after(trees, call.operand(0), TimeUnit.DAY, day);
    }
    FunctionForms.require(call, 3, 3);
    return trees.cast(day(trees, call), SqlTypeName.DATE);
  }

  private static SqlNode day(Trees trees, SqlCall call) {
    return trees.concat(
        List.of(
            DateFormat.digits(trees, call.operand(0), 4),
            trees.text("-"),
            DateFormat.digits(trees, call.operand(1), 2),
            trees.text("-"),
            DateFormat.digits(trees, call.operand(2), 2)));
  }

  private static SqlNode clock(Trees trees, SqlCall call, int first) {
    SqlNode micros = micros(trees, call.operand(first + 2));
    SqlNode perSecond = trees.number(MICROS);
    SqlNode fraction =
        trees.call(SqlStdOperatorTable.MOD, Trees.copy(micros), trees.number(MICROS));
    return trees.concat(
        List.of(
            DateFormat.digits(trees, call.operand(first), 2),
            trees.text(":"),
            DateFormat.digits(trees, call.operand(first + 1), 2),
            trees.text(":"),
            DateFormat.digits(trees, trees.over(micros, perSecond), 2),
            trees.text("."),
            DateFormat.digits(trees, fraction, 6)));
  }

  private static SqlNode time(Trees trees, SqlCall call) {
    FunctionForms.require(call, 3, 3);
    return trees.cast(clock(trees, call, 0), SqlTypeName.TIME);
  }

  /** Of six numbers, or of microseconds since 1970. */
  private static SqlNode timestamp(Trees trees, SqlCall call) {
    if (call.operandCount() == 1) {
      return after(trees, call.operand(0), TimeUnit.MICROSECOND, epoch(trees));
    }
    FunctionForms.require(call, 6, 6);
    SqlNode text = trees.concat(List.of(day(trees, call), trees.text(" "), clock(trees, call, 3)));
    return trees.cast(text, SqlTypeName.TIMESTAMP);
  }

  private static SqlNode since(Trees trees, SqlCall call, TimeUnit unit) {
    FunctionForms.require(call, 1, 1);
    return after(trees, call.operand(0), unit, epoch(trees));
  }

  /** The beginning of the span of a width that a moment is in. */
  private static SqlNode bucket(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 2);
    if (!(call.operand(0) instanceof SqlIntervalLiteral width)
        || !(width.getValue() instanceof SqlIntervalLiteral.IntervalValue value)) {
      throw FunctionForms.invalid(call, "The width of TIME_BUCKET is an INTERVAL as a literal");
    }
    SqlNode moment = call.operand(1);
    if (value.getIntervalQualifier().isYearMonth()) {
      SqlNode years = trees.minus(trees.extract(TimeUnit.YEAR, moment), trees.number(FIRST_YEAR));
      SqlNode months =
          trees.minus(
              trees.plus(
                  trees.times(years, trees.number(MONTHS_IN_YEAR)),
                  trees.extract(TimeUnit.MONTH, Trees.copy(moment))),
              trees.number(1));
      return after(
          trees,
          down(trees, months, positive(call, SqlParserUtil.intervalToMonths(value))),
          TimeUnit.MONTH,
          literal(trees, FIRST_YEAR + "-01-01 00:00:00"));
    }
    SqlNode micros =
        trees.cast(
            trees.call(
                SqlStdOperatorTable.TIMESTAMP_DIFF,
                trees.unit(TimeUnit.MICROSECOND),
                literal(trees, FIRST_MONDAY),
                trees.cast(moment, SqlTypeName.TIMESTAMP)),
            SqlTypeName.BIGINT);
    long most = positive(call, SqlParserUtil.intervalToMillis(value)) * 1000;
    return after(
        trees, down(trees, micros, most), TimeUnit.MICROSECOND, literal(trees, FIRST_MONDAY));
  }

  private static long positive(SqlCall call, long width) {
    if (width <= 0) {
      throw FunctionForms.invalid(call, "The width of TIME_BUCKET is greater than zero");
    }
    return width;
  }

  /** The multiple of a width that is not above a number. */
  private static SqlNode down(Trees trees, SqlNode number, long width) {
    SqlNode rest = trees.call(SqlStdOperatorTable.MOD, number, trees.number(width));
    SqlNode positive =
        trees.call(
            SqlStdOperatorTable.MOD, trees.plus(rest, trees.number(width)), trees.number(width));
    return trees.minus(Trees.copy(number), positive);
  }

  /** By the first of its formats that a text has; null or an error where none does. */
  private static SqlNode parsed(Trees trees, SqlCall call, boolean tried) {
    FunctionForms.require(call, 2, 2);
    List<SqlNode> formats =
        call.operand(1) instanceof SqlCall list && list.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR
            ? list.getOperandList()
            : List.of(call.operand(1));
    List<SqlNode> moments = new ArrayList<>();
    for (SqlNode format : formats) {
      String known = Trees.literalText(format);
      if (known != null && !ParseFunctions.isFormat(known)) {
        throw FunctionForms.invalid(
            call,
            "The format of %s has the parts %s, not '%s'"
                .formatted(call.getOperator().getName(), ParseFunctions.PARTS, known));
      }
      boolean last = moments.size() == formats.size() - 1;
      SqlNode text =
          trees.call(
              tried || !last ? ParseFunctions.TRY_STRPTIME_TEXT : ParseFunctions.STRPTIME_TEXT,
              Trees.copy(call.operand(0)),
              format);
      moments.add(text);
    }
    SqlNode text =
        moments.size() == 1
            ? moments.getFirst()
            : trees.call(SqlStdOperatorTable.COALESCE, moments.toArray(SqlNode[]::new));
    return trees.cast(text, SqlTypeName.TIMESTAMP);
  }

  /** A literal of milliseconds since 1970 is a moment, as in DuckDB; null for all else. */
  static @Nullable SqlNode ofMillis(Trees trees, SqlNode value) {
    BigDecimal known = Trees.literalNumber(value);
    return known == null ? null : after(trees, value, TimeUnit.MILLISECOND, epoch(trees));
  }
}
