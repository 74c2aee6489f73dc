package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
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

  private static final Pattern PARSED = Pattern.compile("(?:[^%]|%[YmdbBHMS])*");

  private static final Pattern TRIED =
      Pattern.compile("(?:[^%]|%(Y)(?!.*%Y)|%([mdHMS])(?!.*%\\2))*");

  private DateMakers() {}

  static void add(Map<String, Form> forms) {
    forms.put("TO_TIMESTAMP", DateMakers::fromSeconds);
    forms.put("MAKE_DATE", DateMakers::date);
    forms.put("MAKE_TIME", DateMakers::time);
    forms.put("MAKE_TIMESTAMP", DateMakers::timestamp);
    forms.put("MAKE_TIMESTAMP_MS", (trees, call) -> since(trees, call, TimeUnit.MILLISECOND));
    forms.put("MAKE_TIMESTAMP_NS", (trees, call) -> since(trees, call, TimeUnit.NANOSECOND));
    forms.put("TIME_BUCKET", DateMakers::bucket);
    forms.put("STRPTIME", DateMakers::parsed);
    forms.put("TRY_STRPTIME", DateMakers::tried);
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

  /** Calcite's PARSE_DATETIME, which has the format first, with the parts that it reads whole. */
  private static SqlNode parsed(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 2);
    String format = Trees.literalText(call.operand(1));
    if (format == null || !PARSED.matcher(format).matches()) {
      throw FunctionForms.invalid(
          call,
          "The format of STRPTIME is a literal with the parts %Y, %m, %d, %b, %B, %H, %M, %S");
    }
    return trees.call(SqlLibraryOperators.PARSE_DATETIME, call.operand(1), call.operand(0));
  }

  /** By the first of its formats that a text has; null where none does. */
  private static SqlNode tried(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 2);
    List<SqlNode> formats =
        call.operand(1) instanceof SqlCall list && list.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR
            ? list.getOperandList()
            : List.of(call.operand(1));
    SqlNode[] moments =
        formats.stream().map(format -> tried(trees, call, format)).toArray(SqlNode[]::new);
    return moments.length == 1 ? moments[0] : trees.call(SqlStdOperatorTable.COALESCE, moments);
  }

  /** The digits of a text in the order of a literal, which a cast reads. */
  private static SqlNode tried(Trees trees, SqlCall call, SqlNode written) {
    String format = Trees.literalText(written);
    if (format == null || !TRIED.matcher(format).matches()) {
      throw FunctionForms.invalid(
          call,
          "A format of TRY_STRPTIME is a literal with the parts %Y, %m, %d, %H, %M, %S, each once");
    }
    StringBuilder pattern = new StringBuilder("^");
    String order = "Y-m-d H:M:S";
    int groups = 0;
    for (int i = 0; i < format.length(); i++) {
      char sign = format.charAt(i);
      if (sign == '%') {
        sign = format.charAt(++i);
        pattern.append(digits(sign, digitFollows(format, i + 1)));
        order = order.replace(String.valueOf(sign), "\\" + ++groups);
      } else {
        pattern.append(Character.isLetterOrDigit(sign) ? "" : "\\").append(sign);
      }
    }
    order = order.replace("Y", "1900").replace("m", "01").replace("d", "01");
    String moment = order.replace("H", "00").replace("M", "00").replace("S", "00");
    SqlNode found = trees.text(pattern.append('$').toString());
    return trees.ifElse(
        trees.call(SqlLibraryOperators.REGEXP_LIKE, Trees.copy(call.operand(0)), found),
        trees.tryCast(
            trees.call(
                SqlLibraryOperators.REGEXP_REPLACE_PG_3,
                Trees.copy(call.operand(0)),
                Trees.copy(found),
                trees.text(moment)),
            SqlTypeName.TIMESTAMP),
        SqlLiteral.createNull(trees.at));
  }

  private static boolean digitFollows(String format, int at) {
    return at < format.length()
        && (format.charAt(at) == '%' || Character.isDigit(format.charAt(at)));
  }

  /** What a part takes: as many digits as it may have, all of them where a digit follows. */
  private static String digits(char part, boolean all) {
    return switch (part) {
      case 'Y' -> all ? "([0-9]{4})" : "([0-9]{1,4})";
      case 'H' -> all ? "([01][0-9]|2[0-3])" : "([01]?[0-9]|2[0-3])";
      default -> all ? "([0-9]{2})" : "([0-9]{1,2})";
    };
  }

  /** A literal of milliseconds since 1970 is a moment, as in DuckDB; null for all else. */
  static @Nullable SqlNode ofMillis(Trees trees, SqlNode value) {
    BigDecimal known = Trees.literalNumber(value);
    return known == null ? null : after(trees, value, TimeUnit.MILLISECOND, epoch(trees));
  }
}
