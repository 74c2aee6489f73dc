package io.aragonite.rules.function;

import com.google.common.base.CaseFormat;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.DateTimes;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlOperandTypeChecker;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.jspecify.annotations.Nullable;

/**
 * What casts, sums and parts of intervals are written by, and {@code age}. An interval counts
 * months or milliseconds. The methods are for Calcite's code; the functions of numbers are written
 * by others before.
 */
@Strict
public final class IntervalFunctions {
  /** Wide enough for every interval of days and time. */
  public static final SqlIntervalQualifier DAY_TIME =
      new SqlIntervalQualifier(TimeUnit.DAY, 10, TimeUnit.SECOND, 3, SqlParserPos.ZERO);

  /** Wide enough for every interval of years and months. */
  public static final SqlIntervalQualifier YEAR_MONTH =
      new SqlIntervalQualifier(
          TimeUnit.YEAR, 9, TimeUnit.MONTH, RelDataType.PRECISION_NOT_SPECIFIED, SqlParserPos.ZERO);

  private static final SqlOperandTypeChecker INTERVAL =
      OperandTypes.family(SqlTypeFamily.DATETIME_INTERVAL);
  private static final SqlOperandTypeChecker MOMENTS =
      OperandTypes.family(SqlTypeFamily.TIMESTAMP, SqlTypeFamily.TIMESTAMP);
  private static final SqlOperandTypeChecker TEXT_AND_RANGE =
      OperandTypes.family(SqlTypeFamily.CHARACTER, SqlTypeFamily.INTEGER);

  /** {@code $INTERVAL_TEXT(x)}: of days and time, as PostgreSQL writes it. */
  public static final SqlFunction INTERVAL_TEXT =
      create("$INTERVAL_TEXT", nullable(ReturnTypes.VARCHAR), INTERVAL);

  /** {@code $MONTHS_TEXT(x)}: of years and months. */
  public static final SqlFunction MONTHS_TEXT =
      create("$MONTHS_TEXT", nullable(ReturnTypes.VARCHAR), INTERVAL);

  /**
   * {@code $INTERVAL_OF_TEXT(text, range)}: an interval of the fields of a {@link TimeUnitRange},
   * whose ordinal is given. A number alone counts the last of them, as in PostgreSQL.
   */
  public static final SqlFunction INTERVAL_OF_TEXT =
      create("$INTERVAL_OF_TEXT", nullable(of(DAY_TIME)), TEXT_AND_RANGE);

  /** {@code $MONTHS_OF_TEXT(text, range)}: the same of years and months. */
  public static final SqlFunction MONTHS_OF_TEXT =
      create("$MONTHS_OF_TEXT", nullable(of(YEAR_MONTH)), TEXT_AND_RANGE);

  /** {@link #INTERVAL_OF_TEXT}, but null where the text is none. */
  public static final SqlFunction TRY_INTERVAL_OF_TEXT =
      create("$TRY_INTERVAL_OF_TEXT", forceNullable(DAY_TIME), TEXT_AND_RANGE);

  /** {@link #MONTHS_OF_TEXT}, but null where the text is none. */
  public static final SqlFunction TRY_MONTHS_OF_TEXT =
      create("$TRY_MONTHS_OF_TEXT", forceNullable(YEAR_MONTH), TEXT_AND_RANGE);

  /** {@code $INTERVAL_COUNT(x)}: the milliseconds or months of an interval, a BIGINT. */
  public static final SqlFunction INTERVAL_COUNT =
      create("$INTERVAL_COUNT", nullable(ReturnTypes.BIGINT), INTERVAL);

  /** {@code $AS_INTERVAL(n)}: so many milliseconds. */
  public static final SqlFunction AS_INTERVAL =
      create(
          "$AS_INTERVAL", nullable(of(DAY_TIME)), OperandTypes.family(SqlTypeFamily.EXACT_NUMERIC));

  /** {@code $AS_MONTHS(n)}: so many months. */
  public static final SqlFunction AS_MONTHS =
      create(
          "$AS_MONTHS", nullable(of(YEAR_MONTH)), OperandTypes.family(SqlTypeFamily.EXACT_NUMERIC));

  /** {@code $WHOLE_MONTHS(value, divisor)}, of DOUBLEs: INVALID_ARGUMENT if there is a rest. */
  public static final SqlFunction WHOLE_MONTHS =
      create(
          "$WHOLE_MONTHS",
          nullable(of(YEAR_MONTH)),
          OperandTypes.family(SqlTypeFamily.NUMERIC, SqlTypeFamily.NUMERIC));

  /** {@code $AGE_MONTHS(x, y)}: the years and months of the age. */
  public static final SqlFunction AGE_MONTHS =
      create("$AGE_MONTHS", nullable(of(YEAR_MONTH)), MOMENTS);

  /** {@code $AGE_REST(x, y)}: the days and time of the age. */
  public static final SqlFunction AGE_REST = create("$AGE_REST", nullable(of(DAY_TIME)), MOMENTS);

  /** {@code $AGE_SPAN(x, y)}: what ages are compared by, with months of 30 days. */
  public static final SqlFunction AGE_SPAN = create("$AGE_SPAN", nullable(of(DAY_TIME)), MOMENTS);

  /** {@code $AGE_TEXT(x, y)}. */
  public static final SqlFunction AGE_TEXT =
      create("$AGE_TEXT", nullable(ReturnTypes.VARCHAR), MOMENTS);

  private static final DataType TIME = DataType.of(TypeKind.INTERVAL_DAY, false);
  private static final DataType MONTHS = DataType.of(TypeKind.INTERVAL_MONTH, false);
  private static final int DAYS_OF_MONTH = 30;
  private static final TimeUnitRange[] RANGES = TimeUnitRange.values();
  private static final Pattern NUMBER = Pattern.compile("[+-]?\\d{1,9}(?:\\.\\d{1,9})?");
  private static final Pattern MINUTES =
      Pattern.compile("([+-]?)(\\d{1,9}):([0-5]?\\d(?:\\.\\d{1,9})?)");

  private IntervalFunctions() {}

  /** All of them. */
  public static List<SqlFunction> all() {
    return List.of(
        INTERVAL_TEXT,
        MONTHS_TEXT,
        INTERVAL_OF_TEXT,
        MONTHS_OF_TEXT,
        TRY_INTERVAL_OF_TEXT,
        TRY_MONTHS_OF_TEXT,
        INTERVAL_COUNT,
        AS_INTERVAL,
        AS_MONTHS,
        WHOLE_MONTHS,
        AGE_MONTHS,
        AGE_REST,
        AGE_SPAN,
        AGE_TEXT);
  }

  /** What Calcite's code calls: the method of the function's name, {@code $AGE_TEXT} ageText. */
  static List<Method> methods(SqlFunction function) {
    String name =
        CaseFormat.UPPER_UNDERSCORE.to(CaseFormat.LOWER_CAMEL, function.getName().substring(1));
    return HostMethods.named(IntervalFunctions.class, name);
  }

  private static SqlFunction create(
      String name, SqlReturnTypeInference type, SqlOperandTypeChecker operands) {
    return SqlBasicFunction.create(name, type, operands, SqlFunctionCategory.TIMEDATE);
  }

  private static SqlReturnTypeInference of(SqlIntervalQualifier unit) {
    return binding -> binding.getTypeFactory().createSqlIntervalType(unit);
  }

  private static SqlReturnTypeInference nullable(SqlReturnTypeInference type) {
    return type.andThen(SqlTypeTransforms.TO_NULLABLE);
  }

  private static SqlReturnTypeInference forceNullable(SqlIntervalQualifier unit) {
    return of(unit).andThen(SqlTypeTransforms.FORCE_NULLABLE);
  }

  private static @Nullable Object cast(Op op, Object value, DataType from, DataType to) {
    @Nullable Object[] values = {value};
    return Interpreter.apply(new Expr.Call(op, List.of(new Expr.InputRef(0, from)), to), values);
  }

  private static Object cast(Object value, DataType from, DataType to) {
    return Objects.requireNonNull(cast(Op.CAST, value, from, to));
  }

  public static String intervalText(long millis) {
    return (String) cast(millis, TIME, DataType.VARCHAR);
  }

  public static String monthsText(int months) {
    return (String) cast((long) months, MONTHS, DataType.VARCHAR);
  }

  public static long intervalOfText(String text, long range) {
    Long counted = counted(text, RANGES[(int) range]);
    return cut(counted != null ? counted : (Long) cast(text, DataType.VARCHAR, TIME), range);
  }

  public static int monthsOfText(String text, long range) {
    Long counted = counted(text, RANGES[(int) range]);
    return (int)
        cut(counted != null ? counted : (Long) cast(text, DataType.VARCHAR, MONTHS), range);
  }

  public static @Nullable Long tryIntervalOfText(String text, long range) {
    return tried(text, range, TIME);
  }

  public static @Nullable Integer tryMonthsOfText(String text, long range) {
    Long months = tried(text, range, MONTHS);
    return months == null ? null : (Integer) months.intValue();
  }

  private static @Nullable Long tried(String text, long range, DataType type) {
    Long counted = counted(text, RANGES[(int) range]);
    Object value =
        counted != null
            ? counted
            : cast(Op.TRY_CAST, text, DataType.VARCHAR, type.withNullable(true));
    return value == null ? null : (Long) cut((Long) value, range);
  }

  private static TimeUnit last(TimeUnitRange range) {
    return range.endUnit == null ? range.startUnit : range.endUnit;
  }

  /** Whole multiples of the last field; of seconds there are fractions. */
  private static long cut(long value, long range) {
    TimeUnit last = last(RANGES[(int) range]);
    return last == TimeUnit.SECOND ? value : value - value % last.multiplier.longValue();
  }

  /** A number alone, or minutes and seconds, which a text does not tell from others; else null. */
  private static @Nullable Long counted(String text, TimeUnitRange range) {
    String stripped = text.strip();
    if (NUMBER.matcher(stripped).matches()) {
      return rounded(new BigDecimal(stripped).multiply(last(range).multiplier));
    }
    Matcher minutes = MINUTES.matcher(stripped);
    if (range != TimeUnitRange.MINUTE_TO_SECOND || !minutes.matches()) {
      return null;
    }
    long millis =
        Long.parseLong(minutes.group(2)) * TimeUnit.MINUTE.multiplier.longValue()
            + rounded(new BigDecimal(minutes.group(3)).multiply(TimeUnit.SECOND.multiplier));
    return minutes.group(1).equals("-") ? -millis : millis;
  }

  private static long rounded(BigDecimal value) {
    return value.setScale(0, RoundingMode.HALF_UP).longValueExact();
  }

  public static int wholeMonths(double value, double divisor) {
    double months = value / divisor;
    if (months != Math.rint(months) || Math.abs(months) > Integer.MAX_VALUE) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          divisor == 0
              ? "An interval of months is divided by zero."
              : "%s months are no whole number of them, and an interval with days beside months is not possible; count the months with EXTRACT, or take an interval of days."
                  .formatted(months));
    }
    return (int) months;
  }

  /** Whole months, and days and time behind them, all of one sign. */
  private record Age(int months, long millis) {
    /** As PostgreSQL has it: days that a month lacks are those of the earlier moment's month. */
    static Age of(long to, long from) {
      LocalDateTime later = moment(Math.max(to, from));
      LocalDateTime earlier = moment(Math.min(to, from));
      int months =
          (later.getYear() - earlier.getYear()) * 12
              + later.getMonthValue()
              - earlier.getMonthValue();
      long millis =
          (later.getDayOfMonth() - earlier.getDayOfMonth()) * DateTimes.MILLIS_PER_DAY
              + Math.floorMod(Math.max(to, from), DateTimes.MILLIS_PER_DAY)
              - Math.floorMod(Math.min(to, from), DateTimes.MILLIS_PER_DAY);
      if (millis < 0) {
        months--;
        millis += earlier.toLocalDate().lengthOfMonth() * DateTimes.MILLIS_PER_DAY;
      }
      return to < from ? new Age(-months, -millis) : new Age(months, millis);
    }

    private static LocalDateTime moment(long millis) {
      return LocalDateTime.ofEpochSecond(Math.floorDiv(millis, 1000), 0, ZoneOffset.UTC);
    }
  }

  public static int ageMonths(long to, long from) {
    return Age.of(to, from).months();
  }

  public static long ageRest(long to, long from) {
    return Age.of(to, from).millis();
  }

  public static long ageSpan(long to, long from) {
    Age age = Age.of(to, from);
    return age.months() * DAYS_OF_MONTH * DateTimes.MILLIS_PER_DAY + age.millis();
  }

  public static String ageText(long to, long from) {
    Age age = Age.of(to, from);
    if (age.months() == 0) {
      return intervalText(age.millis());
    }
    return age.millis() == 0
        ? monthsText(age.months())
        : monthsText(age.months()) + " " + intervalText(age.millis());
  }
}
