package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.exec.expr.DatePart;
import io.aragonite.rules.function.ZoneFunctions;
import java.util.Map;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Functions of dates and times. */
final class DateForms {
  private static final int NANO_DIGITS = 9;

  private DateForms() {}

  static void add(Map<String, Form> forms) {
    forms.put("DATE_TRUNC", DateParts::trunc);
    forms.put("DATETRUNC", DateParts::trunc);
    forms.put("DATE_PART", DateParts::part);
    forms.put("DATEPART", DateParts::part);
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
                        : millis(trees, value)));
    forms.put(
        "EPOCH", (trees, call) -> one(call, value -> DateParts.of(trees, DatePart.EPOCH, value)));
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
    part(forms, "NANOSECOND", TimeUnit.NANOSECOND);
    forms.put("ERA", (trees, call) -> one(call, value -> DateParts.of(trees, DatePart.ERA, value)));
    forms.put(
        "WEEKDAY", (trees, call) -> one(call, value -> DateParts.of(trees, DatePart.DOW, value)));
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
    DatePart part = DateParts.named(node);
    return part == null ? null : DateParts.unit(part);
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

  /**
   * How many beginnings of the unit lie between two moments, or whole weeks between two days; of
   * two arguments days, end first.
   */
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
    TimeUnit begin = unit == TimeUnit.WEEK ? TimeUnit.DAY : unit;
    return whole(
        trees,
        unit,
        DateParts.floor(trees, moment(trees, from, unit), begin),
        DateParts.floor(trees, moment(trees, to, unit), begin));
  }

  /** Whole units between two moments; Calcite counts minutes, and seconds of a week, as INTEGER. */
  private static SqlNode whole(Trees trees, TimeUnit unit, SqlNode from, SqlNode to) {
    return switch (unit) {
      case WEEK -> trees.over(whole(trees, TimeUnit.DAY, from, to), trees.number(7));
      case MINUTE -> trees.over(whole(trees, TimeUnit.SECOND, from, to), trees.number(60));
      case SECOND -> trees.over(whole(trees, TimeUnit.MILLISECOND, from, to), trees.number(1000));
      default ->
          trees.cast(
              trees.call(SqlStdOperatorTable.TIMESTAMP_DIFF, trees.unit(unit), from, to),
              SqlTypeName.BIGINT);
    };
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
    SqlNode from = moment(trees, call.operand(1), unit);
    SqlNode to = moment(trees, call.operand(2), unit);
    return unit.yearMonth
        ? whole(
            trees,
            unit,
            fromMonthsEnd(trees, from, to, SqlStdOperatorTable.LESS_THAN_OR_EQUAL),
            fromMonthsEnd(trees, Trees.copy(to), from, SqlStdOperatorTable.LESS_THAN))
        : whole(trees, unit, from, to);
  }

  /**
   * To the last day of a month a month is full that began on a day which that month lacks, as in
   * DuckDB: the earlier of two moments is moved to the day of the later one.
   *
   * @param isEarlier compares the two
   */
  private static SqlNode fromMonthsEnd(
      Trees trees, SqlNode moment, SqlNode other, SqlOperator isEarlier) {
    SqlNode day = trees.extract(TimeUnit.DAY, Trees.copy(moment));
    SqlNode last = trees.extract(TimeUnit.DAY, Trees.copy(other));
    SqlNode next = trees.plus(Trees.copy(other), trees.interval(1, TimeUnit.DAY));
    SqlNode moves =
        trees.call(
            SqlStdOperatorTable.AND,
            trees.call(isEarlier, Trees.copy(moment), Trees.copy(other)),
            trees.call(
                SqlStdOperatorTable.AND,
                trees.call(SqlStdOperatorTable.GREATER_THAN, day, last),
                trees.call(
                    SqlStdOperatorTable.EQUALS,
                    trees.extract(TimeUnit.DAY, next),
                    trees.number(1))));
    SqlNode days = trees.minus(Trees.copy(day), Trees.copy(last));
    return trees.ifElse(
        moves,
        trees.minus(Trees.copy(moment), trees.times(days, trees.interval(1, TimeUnit.DAY))),
        moment);
  }

  private static SqlNode sinceEpoch(Trees trees, SqlNode value, TimeUnit unit) {
    return trees.call(
        SqlStdOperatorTable.TIMESTAMP_DIFF,
        trees.unit(unit),
        DateMakers.epoch(trees),
        MomentCast.ofUtc(trees, value, unit == TimeUnit.NANOSECOND ? NANO_DIGITS : -1));
  }

  /** Milliseconds since 1970, the nearest: of two the one further away, as DuckDB has it. */
  private static SqlNode millis(Trees trees, SqlNode value) {
    SqlNode micros = sinceEpoch(trees, value, TimeUnit.MICROSECOND);
    SqlNode half =
        trees.ifElse(
            trees.call(SqlStdOperatorTable.LESS_THAN, Trees.copy(micros), trees.number(0)),
            trees.number(-500),
            trees.number(500));
    return trees.over(trees.plus(micros, half), trees.number(1000));
  }

  /** Seconds since 1970, with their fractions. */
  static SqlNode epoch(Trees trees, SqlNode value) {
    return trees.over(
        trees.cast(sinceEpoch(trees, value, TimeUnit.MICROSECOND), SqlTypeName.DOUBLE),
        trees.number(1_000_000));
  }

  /** The year of a week and the week, {@code 202401}. */
  static SqlNode yearWeek(Trees trees, SqlNode value) {
    return trees.plus(
        trees.times(trees.extract(TimeUnit.ISOYEAR, value), trees.number(100)),
        trees.extract(TimeUnit.WEEK, Trees.copy(value)));
  }

  /** Days since 4714 BC, as PostgreSQL counts them: from midnight. */
  static SqlNode julian(Trees trees, SqlNode value) {
    SqlNode local = trees.cast(value, SqlTypeName.TIMESTAMP);
    SqlNode micros = trees.cast(sinceEpoch(trees, local, TimeUnit.MICROSECOND), SqlTypeName.DOUBLE);
    return trees.plus(trees.over(micros, trees.number(86_400_000_000L)), trees.number(2_440_588));
  }
}
