package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.rules.function.ZoneFunctions;
import java.util.Map;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Functions of dates and times. */
final class DateForms {
  private static final Map<String, TimeUnit> UNITS =
      Map.ofEntries(
          Map.entry("YEAR", TimeUnit.YEAR),
          Map.entry("YEARS", TimeUnit.YEAR),
          Map.entry("YY", TimeUnit.YEAR),
          Map.entry("YYYY", TimeUnit.YEAR),
          Map.entry("Y", TimeUnit.YEAR),
          Map.entry("QUARTER", TimeUnit.QUARTER),
          Map.entry("QUARTERS", TimeUnit.QUARTER),
          Map.entry("QQ", TimeUnit.QUARTER),
          Map.entry("MONTH", TimeUnit.MONTH),
          Map.entry("MONTHS", TimeUnit.MONTH),
          Map.entry("MON", TimeUnit.MONTH),
          Map.entry("MM", TimeUnit.MONTH),
          Map.entry("WEEK", TimeUnit.WEEK),
          Map.entry("WEEKS", TimeUnit.WEEK),
          Map.entry("WW", TimeUnit.WEEK),
          Map.entry("DAY", TimeUnit.DAY),
          Map.entry("DAYS", TimeUnit.DAY),
          Map.entry("DD", TimeUnit.DAY),
          Map.entry("D", TimeUnit.DAY),
          Map.entry("HOUR", TimeUnit.HOUR),
          Map.entry("HOURS", TimeUnit.HOUR),
          Map.entry("HH", TimeUnit.HOUR),
          Map.entry("MINUTE", TimeUnit.MINUTE),
          Map.entry("MINUTES", TimeUnit.MINUTE),
          Map.entry("MI", TimeUnit.MINUTE),
          Map.entry("SECOND", TimeUnit.SECOND),
          Map.entry("SECONDS", TimeUnit.SECOND),
          Map.entry("SS", TimeUnit.SECOND),
          Map.entry("MILLISECOND", TimeUnit.MILLISECOND),
          Map.entry("MILLISECONDS", TimeUnit.MILLISECOND),
          Map.entry("MS", TimeUnit.MILLISECOND),
          Map.entry("MICROSECOND", TimeUnit.MICROSECOND),
          Map.entry("MICROSECONDS", TimeUnit.MICROSECOND),
          Map.entry("NANOSECOND", TimeUnit.NANOSECOND),
          Map.entry("NANOSECONDS", TimeUnit.NANOSECOND),
          Map.entry("DECADE", TimeUnit.DECADE),
          Map.entry("DECADES", TimeUnit.DECADE),
          Map.entry("CENTURY", TimeUnit.CENTURY),
          Map.entry("CENTURIES", TimeUnit.CENTURY),
          Map.entry("MILLENNIUM", TimeUnit.MILLENNIUM),
          Map.entry("MILLENNIA", TimeUnit.MILLENNIUM),
          Map.entry("DOW", TimeUnit.DOW),
          Map.entry("DAYOFWEEK", TimeUnit.DOW),
          Map.entry("WEEKDAY", TimeUnit.DOW),
          Map.entry("ISODOW", TimeUnit.ISODOW),
          Map.entry("DOY", TimeUnit.DOY),
          Map.entry("DAYOFYEAR", TimeUnit.DOY),
          Map.entry("ISOYEAR", TimeUnit.ISOYEAR),
          Map.entry("EPOCH", TimeUnit.EPOCH));

  private static final int DAYS_IN_WEEK = 7;
  private static final int NANO_DIGITS = 9;

  private DateForms() {}

  static void add(Map<String, Form> forms) {
    forms.put("DATE_TRUNC", DateForms::trunc);
    forms.put("DATETRUNC", DateForms::trunc);
    forms.put("DATE_PART", DateForms::part);
    forms.put("DATEPART", DateForms::part);
    for (String name : new String[] {"DATE_DIFF", "DATEDIFF"}) {
      forms.put(name, DateForms::difference);
    }
    for (String name : new String[] {"DATEADD", "DATE_ADD", "TIMESTAMP_ADD"}) {
      forms.put(name, DateForms::shifted);
    }
    for (String name : new String[] {"DATE_SUB", "DATESUB"}) {
      forms.put(name, DateForms::subtracted);
    }
    niladic(forms, "NOW", SqlStdOperatorTable.CURRENT_TIMESTAMP);
    niladic(forms, "GETDATE", SqlStdOperatorTable.CURRENT_TIMESTAMP);
    niladic(forms, "GET_CURRENT_TIMESTAMP", SqlStdOperatorTable.CURRENT_TIMESTAMP);
    niladic(forms, "TODAY", SqlStdOperatorTable.CURRENT_DATE);
    niladic(forms, "GET_CURRENT_TIME", SqlStdOperatorTable.CURRENT_TIME);
    forms.put(
        "EPOCH_MS",
        (trees, call) ->
            one(
                call,
                value ->
                    DateMakers.ofMillis(trees, value) instanceof SqlNode moment
                        ? moment
                        : sinceEpoch(trees, value, TimeUnit.MILLISECOND)));
    forms.put(
        "EPOCH",
        (trees, call) ->
            one(
                call,
                value ->
                    trees.over(
                        trees.cast(
                            sinceEpoch(trees, value, TimeUnit.MICROSECOND), SqlTypeName.DOUBLE),
                        trees.number(1_000_000))));
    forms.put(
        "EPOCH_US",
        (trees, call) -> one(call, value -> sinceEpoch(trees, value, TimeUnit.MICROSECOND)));
    forms.put(
        "EPOCH_NS",
        (trees, call) -> one(call, value -> sinceEpoch(trees, value, TimeUnit.NANOSECOND)));
    forms.put("YEARWEEK", (trees, call) -> one(call, value -> yearWeek(trees, value)));
    forms.put("JULIAN", (trees, call) -> one(call, value -> julian(trees, value)));
    DateMakers.add(forms);
    forms.put("DATE", (trees, call) -> one(call, value -> trees.cast(value, SqlTypeName.DATE)));
    forms.put("MONTHNAME", (trees, call) -> one(call, value -> DateFormat.month(trees, value)));
    forms.put("DAYNAME", (trees, call) -> one(call, value -> DateFormat.day(trees, value)));
    parts(forms);
    forms.put(
        "TIMEZONE",
        (trees, call) -> {
          FunctionForms.require(call, 2, 2);
          return trees.call(ZoneFunctions.AT_TIME_ZONE, call.operand(1), call.operand(0));
        });
    forms.put("TO_CHAR", (trees, call) -> DateFormat.of(trees, call, DateFormat.Style.PATTERN));
    forms.put("STRFTIME", (trees, call) -> DateFormat.of(trees, call, DateFormat.Style.PERCENT));
  }

  private static void parts(Map<String, Form> forms) {
    part(forms, "DAY", TimeUnit.DAY);
    part(forms, "WEEKOFYEAR", TimeUnit.WEEK);
    part(forms, "ISODOW", TimeUnit.ISODOW);
    part(forms, "ISOYEAR", TimeUnit.ISOYEAR);
    part(forms, "DECADE", TimeUnit.DECADE);
    part(forms, "CENTURY", TimeUnit.CENTURY);
    part(forms, "MILLENNIUM", TimeUnit.MILLENNIUM);
    part(forms, "MILLISECOND", TimeUnit.MILLISECOND);
    part(forms, "MICROSECOND", TimeUnit.MICROSECOND);
  }

  private static void niladic(Map<String, Form> forms, String name, SqlOperator operator) {
    forms.put(name, (trees, call) -> call.operandCount() == 0 ? trees.call(operator) : null);
  }

  private static void part(Map<String, Form> forms, String name, TimeUnit unit) {
    forms.put(name, (trees, call) -> one(call, value -> trees.extract(unit, value)));
  }

  /** What one argument becomes. */
  private static @Nullable SqlNode one(
      SqlCall call, java.util.function.Function<SqlNode, SqlNode> form) {
    FunctionForms.require(call, 1, 1);
    return form.apply(call.operand(0));
  }

  /** Null if a word is no unit: that is an error if the function has only this form. */
  private static @Nullable TimeUnit unit(SqlNode node) {
    String name = Trees.unitName(node);
    return name == null ? null : UNITS.get(name);
  }

  private static TimeUnit requireUnit(SqlCall call, SqlNode node) {
    TimeUnit unit = unit(node);
    if (unit == null) {
      throw FunctionForms.invalid(
          call,
          "%s needs a unit of time as a literal, such as 'year', 'month' or 'day'"
              .formatted(call.getOperator().getName()));
    }
    return unit;
  }

  private static SqlNode trunc(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 2);
    boolean none = unit(call.operand(0)) == null && unit(call.operand(1)) == null;
    if (none && !(call.operand(0) instanceof SqlCharStringLiteral)) {
      return call; // BigQuery's ISOWEEK and the like, which its library in fun= knows
    }
    // BigQuery has the unit last, and weeks that begin on Sunday
    boolean last = unit(call.operand(0)) == null && unit(call.operand(1)) != null;
    TimeUnit unit = requireUnit(call, call.operand(last ? 1 : 0));
    if (last && unit == TimeUnit.WEEK) {
      return trees.call(SqlStdOperatorTable.FLOOR, call.operand(0), trees.unit(unit));
    }
    return floor(trees, call.operand(last ? 0 : 1), unit);
  }

  /** Weeks begin on Monday; Calcite's begin on Sunday. */
  private static SqlNode floor(Trees trees, SqlNode value, TimeUnit unit) {
    return switch (unit) {
      case WEEK ->
          trees.plus(
              trees.call(
                  SqlStdOperatorTable.FLOOR,
                  trees.minus(value, trees.interval(1, TimeUnit.DAY)),
                  trees.unit(TimeUnit.WEEK)),
              trees.interval(1, TimeUnit.DAY));
      default -> trees.call(SqlStdOperatorTable.FLOOR, value, trees.unit(unit));
    };
  }

  private static SqlNode part(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 2);
    if ("YEARWEEK".equals(Trees.unitName(call.operand(0)))) {
      return yearWeek(trees, call.operand(1));
    }
    TimeUnit unit = requireUnit(call, call.operand(0));
    SqlCall extract = trees.call(SqlStdOperatorTable.EXTRACT, trees.unit(unit), call.operand(1));
    SqlNode other = extract(trees, extract);
    return other == null ? extract : other;
  }

  /** The days of a week are 0 (Sunday) to 6, as in PostgreSQL; Calcite's are 1 to 7. */
  static @Nullable SqlNode extract(Trees trees, SqlCall call) {
    if ("YEARWEEK".equals(Trees.unitName(call.operand(0)))) {
      return yearWeek(trees, call.operand(1));
    }
    TimeUnit unit = unit(call.operand(0));
    if (unit == TimeUnit.DOW) {
      return trees.call(
          SqlStdOperatorTable.MOD,
          trees.extract(TimeUnit.ISODOW, call.operand(1)),
          trees.number(DAYS_IN_WEEK));
    }
    return unit != null
            && call.operand(0) instanceof SqlIntervalQualifier word
            && word.timeFrameName != null
        ? trees.extract(unit, call.operand(1))
        : null;
  }

  /** How many beginnings of the unit lie between two moments; of two arguments days, end first. */
  private static SqlNode difference(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 3);
    if (call.operandCount() == 2) {
      return days(trees, call.operand(1), call.operand(0));
    }
    TimeUnit unit = unit(call.operand(0));
    if (unit == null && unit(call.operand(2)) instanceof TimeUnit last) {
      return between(trees, last, call.operand(1), call.operand(0)); // BigQuery's
    }
    return between(trees, requireUnit(call, call.operand(0)), call.operand(1), call.operand(2));
  }

  private static SqlNode days(Trees trees, SqlNode from, SqlNode to) {
    return between(trees, TimeUnit.DAY, from, to);
  }

  private static SqlNode between(Trees trees, TimeUnit unit, SqlNode from, SqlNode to) {
    return trees.cast(
        trees.call(
            SqlStdOperatorTable.TIMESTAMP_DIFF,
            trees.unit(unit),
            floor(trees, moment(trees, from, unit), unit),
            floor(trees, moment(trees, to, unit), unit)),
        SqlTypeName.BIGINT);
  }

  /** Of units below a day instants count, of others what clocks show. A cast has microseconds. */
  private static SqlNode moment(Trees trees, SqlNode value, TimeUnit unit) {
    return switch (unit) {
      case NANOSECOND -> value;
      case HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND -> MomentCast.unlessInstant(trees, value);
      default -> trees.cast(value, SqlTypeName.TIMESTAMP);
    };
  }

  /** {@code dateadd(unit, count, value)} and {@code date_add(value, interval)}. */
  private static SqlNode shifted(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 3);
    return call.operandCount() == 2
        ? trees.plus(call.operand(0), call.operand(1))
        : DateMakers.after(
            trees, call.operand(1), requireUnit(call, call.operand(0)), call.operand(2));
  }

  /** {@code date_sub(value, interval)}, and {@code date_sub(unit, from, to)}: whole units. */
  private static SqlNode subtracted(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 3);
    if (call.operandCount() == 2) {
      return trees.minus(call.operand(0), call.operand(1));
    }
    TimeUnit unit = requireUnit(call, call.operand(0));
    return trees.cast(
        trees.call(
            SqlStdOperatorTable.TIMESTAMP_DIFF,
            trees.unit(unit),
            moment(trees, call.operand(1), unit),
            moment(trees, call.operand(2), unit)),
        SqlTypeName.BIGINT);
  }

  private static SqlNode sinceEpoch(Trees trees, SqlNode value, TimeUnit unit) {
    return trees.call(
        SqlStdOperatorTable.TIMESTAMP_DIFF,
        trees.unit(unit),
        DateMakers.epoch(trees),
        MomentCast.ofUtc(trees, value, unit == TimeUnit.NANOSECOND ? NANO_DIGITS : -1));
  }

  /** The year of a week and the week, {@code 202401}. */
  private static SqlNode yearWeek(Trees trees, SqlNode value) {
    return trees.plus(
        trees.times(trees.extract(TimeUnit.ISOYEAR, value), trees.number(100)),
        trees.extract(TimeUnit.WEEK, Trees.copy(value)));
  }

  /** Days since 4714 BC, as PostgreSQL counts them: from midnight. */
  private static SqlNode julian(Trees trees, SqlNode value) {
    SqlNode local = trees.cast(value, SqlTypeName.TIMESTAMP);
    SqlNode micros = trees.cast(sinceEpoch(trees, local, TimeUnit.MICROSECOND), SqlTypeName.DOUBLE);
    return trees.plus(trees.over(micros, trees.number(86_400_000_000L)), trees.number(2_440_588));
  }
}
