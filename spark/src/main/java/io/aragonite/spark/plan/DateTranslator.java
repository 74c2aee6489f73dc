package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.Locale;
import org.apache.spark.sql.catalyst.expressions.AddMonths;
import org.apache.spark.sql.catalyst.expressions.DateAdd;
import org.apache.spark.sql.catalyst.expressions.DateDiff;
import org.apache.spark.sql.catalyst.expressions.DateSub;
import org.apache.spark.sql.catalyst.expressions.DayOfMonth;
import org.apache.spark.sql.catalyst.expressions.DayOfWeek;
import org.apache.spark.sql.catalyst.expressions.DayOfYear;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.LastDay;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Month;
import org.apache.spark.sql.catalyst.expressions.Quarter;
import org.apache.spark.sql.catalyst.expressions.TruncDate;
import org.apache.spark.sql.catalyst.expressions.WeekDay;
import org.apache.spark.sql.catalyst.expressions.WeekOfYear;
import org.apache.spark.sql.catalyst.expressions.Year;
import org.jspecify.annotations.Nullable;

/** Spark's functions of dates. */
final class DateTranslator {
  private static final long MILLIS_PER_DAY = 86_400_000;

  /** Days within which a moment of ours stands for each of Spark's dates that queries have. */
  private static final long MOST_DAYS = 100_000_000;

  private static final int MOST_MONTHS = 1_000_000;

  private final ExpressionTranslator values;

  DateTranslator(ExpressionTranslator values) {
    this.values = values;
  }

  /** Null for other functions. */
  @Nullable Expr translate(Expression expression, DataType type) throws UntranslatableException {
    return switch (expression) {
      case Year year -> part("YEAR", year.child(), type);
      case Quarter quarter -> part("QUARTER", quarter.child(), type);
      case Month month -> part("MONTH", month.child(), type);
      case WeekOfYear week -> part("WEEK", week.child(), type);
      case DayOfYear day -> part("DOY", day.child(), type);
      case DayOfMonth day -> part("DAY", day.child(), type);
      case DayOfWeek day -> part("DOW", day.child(), type);
      case WeekDay day ->
          Expr.call(
              Op.MINUS, type, part("ISODOW", day.child(), type), Expr.literal(1L, DataType.INT32));
      case DateAdd later -> days(later.startDate(), later.days(), 1, type);
      case DateSub earlier -> days(earlier.startDate(), earlier.days(), -1, type);
      case AddMonths later -> months(later.startDate(), later.numMonths(), type);
      case DateDiff difference -> daysBetween(difference, type);
      case TruncDate begin -> begin(unit(begin), values.translate(begin.date()), type);
      case LastDay last -> lastDay(values.translate(last.startDate()), type);
      default -> null;
    };
  }

  private Expr part(String unit, Expression date, DataType type) throws UntranslatableException {
    Expr child = values.translate(date);
    if (child.type().kind() != TypeKind.DATE) {
      throw new UntranslatableException(unit + " of " + child.type());
    }
    DataType wide = DataType.INT64.withNullable(type.nullable());
    Expr extracted =
        Expr.call(Op.EXTRACT, wide, Expr.literal(unit, DataType.VARCHAR), child);
    return Expr.call(Op.CAST, type, extracted);
  }

  private Expr daysBetween(DateDiff difference, DataType type) throws UntranslatableException {
    DataType interval = DataType.of(TypeKind.INTERVAL_DAY, type.nullable());
    Expr millis =
        Expr.call(
            Op.DATETIME_MINUS,
            interval,
            values.translate(difference.endDate()),
            values.translate(difference.startDate()));
    DataType wide = DataType.INT64.withNullable(type.nullable());
    Expr days = Expr.call(Op.EXTRACT, wide, Expr.literal("DAY", DataType.VARCHAR), millis);
    return Expr.call(Op.CAST, type, days);
  }

  /** The unit by its names of Spark's. */
  private static String unit(TruncDate begin) throws UntranslatableException {
    String name =
        begin.format() instanceof Literal literal
            ? String.valueOf(literal.value()).toUpperCase(Locale.ROOT)
            : begin.format().sql();
    return switch (name) {
      case "YEAR", "YYYY", "YY" -> "YEAR";
      case "QUARTER" -> "QUARTER";
      case "MONTH", "MM", "MON" -> "MONTH";
      default -> throw new UntranslatableException("begin of a " + name + " in " + begin.sql());
    };
  }

  private static Expr begin(String unit, Expr date, DataType type) {
    DataType nullable = DataType.of(TypeKind.DATE, date.type().nullable());
    Expr begin =
        Expr.call(Op.FLOOR_TIME, nullable, Expr.literal(unit, DataType.VARCHAR), date);
    return nullable.sameAs(type) ? begin : Expr.call(Op.CAST, type, begin);
  }

  private static Expr lastDay(Expr date, DataType type) {
    Expr month = Expr.literal(1L, DataType.of(TypeKind.INTERVAL_MONTH, false));
    Expr day = Expr.literal(-MILLIS_PER_DAY, DataType.of(TypeKind.INTERVAL_DAY, false));
    Expr next = Expr.call(Op.DATETIME_PLUS, type, begin("MONTH", date, type), month);
    return Expr.call(Op.DATETIME_PLUS, type, next, day);
  }

  /** A date so many days later, a constant. */
  private Expr days(Expression date, Expression days, int sign, DataType type)
      throws UntranslatableException {
    if (!(days instanceof Literal literal && literal.value() instanceof Number number)) {
      throw new UntranslatableException("days that are no constant: " + days.sql());
    }
    if (Math.abs(number.longValue()) > MOST_DAYS) {
      throw new UntranslatableException("so many days that dates wrap: " + days.sql());
    }
    long millis = sign * number.longValue() * MILLIS_PER_DAY;
    Expr interval = Expr.literal(millis, DataType.of(TypeKind.INTERVAL_DAY, false));
    return Expr.call(Op.DATETIME_PLUS, type, values.translate(date), interval);
  }

  /** A date so many months later, a constant; the last day of a month that is shorter. */
  private Expr months(Expression date, Expression months, DataType type)
      throws UntranslatableException {
    if (!(months instanceof Literal literal
        && literal.value() instanceof Integer number
        && Math.abs(number.longValue()) <= MOST_MONTHS)) {
      throw new UntranslatableException("months that are no constant, or many: " + months.sql());
    }
    Expr interval =
        Expr.literal((long) number, DataType.of(TypeKind.INTERVAL_MONTH, false));
    return Expr.call(Op.DATETIME_PLUS, type, values.translate(date), interval);
  }
}
