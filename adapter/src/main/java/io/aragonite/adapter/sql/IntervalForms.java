package io.aragonite.adapter.sql;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.IntervalFunctions;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.avatica.util.TimeUnit;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql2rel.SqlRexContext;
import org.apache.calcite.sql2rel.SqlRexConvertlet;
import org.jspecify.annotations.Nullable;

/**
 * What Calcite lacks about intervals: their sums and averages, products with fractions, casts from
 * and to texts as PostgreSQL writes them, and comparisons of months with days, of which a month has
 * 30. An interval counts months or milliseconds; what would have both is refused.
 */
final class IntervalForms {
  private static final String DAYS_OF_MONTH = "30";

  /** Digits of a number of units, and those behind its point. */
  private static final int NUMBER_PRECISION = 19;

  private static final int NUMBER_SCALE = 6;
  private static final int MILLIS_DIGITS = 3;

  /** Names of integers that hold few numbers. */
  private static final Set<String> NARROW =
      Set.of(
          SqlTypeName.TINYINT.getName(),
          SqlTypeName.SMALLINT.getName(),
          SqlTypeName.INTEGER.getName());

  private static final Set<SqlKind> SUMS = Set.of(SqlKind.PLUS, SqlKind.MINUS);

  private final Function<SqlNode, RelDataType> types;

  /**
   * @param types of operands
   */
  private IntervalForms(Function<SqlNode, RelDataType> types) {
    this.types = types;
  }

  /** Changes a call whose operands are intervals. */
  static void apply(SqlCall call, Function<SqlNode, RelDataType> types) {
    if (call instanceof SqlBasicCall basic) {
      new IntervalForms(types).apply(basic);
    }
  }

  private void apply(SqlBasicCall call) {
    switch (call.getKind()) {
      case CAST, SAFE_CAST -> cast(call);
      case INTERVAL -> ofNumber(call);
      case EQUALS,
          NOT_EQUALS,
          LESS_THAN,
          LESS_THAN_OR_EQUAL,
          GREATER_THAN,
          GREATER_THAN_OR_EQUAL,
          BETWEEN ->
          compare(call);
      case TIMES, DIVIDE -> product(call);
      case PLUS, MINUS -> sum(call);
      case EXTRACT -> part(call);
      case SUM, AVG -> total(call);
      case OVER, FILTER -> totalOf(call);
      default -> {}
    }
  }

  private boolean isInterval(SqlNode node) {
    return SqlTypeUtil.isInterval(types.apply(node));
  }

  private boolean isMonths(SqlNode node) {
    SqlIntervalQualifier unit = types.apply(node).getIntervalQualifier();
    return unit != null && unit.isYearMonth();
  }

  private boolean isText(SqlNode node) {
    return SqlTypeUtil.inCharFamily(types.apply(node));
  }

  private void cast(SqlBasicCall call) {
    SqlNode value = call.operand(0);
    if (call.operand(1) instanceof SqlIntervalQualifier unit) {
      if (isText(value)) {
        call.setOperator(ofText(unit.isYearMonth(), call.getKind() == SqlKind.SAFE_CAST));
        call.setOperand(1, range(unit.getStartUnit(), unit.getEndUnit(), unit.getParserPosition()));
      } else if (SqlTypeUtil.isNumeric(types.apply(value)) && unit.getEndUnit() == null) {
        ofUnits(call, unit);
      } else if (isInterval(value) && isMonths(value) != unit.isYearMonth()) {
        throw new AragoniteException(
            ErrorCode.EXPRESSION_UNSUPPORTED,
            "An interval of %s is not cast to INTERVAL %s: how many days a month has is not said. Count them with EXTRACT, or add the interval to a date."
                .formatted(isMonths(value) ? "months" : "days", unit));
      }
    } else if (call.operand(1) instanceof SqlDataTypeSpec spec
        && spec.getTypeNameSpec() instanceof SqlBasicTypeNameSpec
        && isTextName(spec.getTypeName().getSimple())
        && isInterval(value)) {
      call.setOperand(0, text(value));
    } else if (call.operand(1) instanceof SqlDataTypeSpec spec
        && spec.getTypeNameSpec() instanceof SqlBasicTypeNameSpec
        && NARROW.contains(spec.getTypeName().getSimple())
        && isInterval(value)) {
      // Of a literal Calcite looks whether its milliseconds fit, and not its units.
      call.setOperand(0, CastCalls.cast(value, SqlTypeName.BIGINT));
    }
  }

  private static boolean isTextName(String name) {
    return name.equals(SqlTypeName.VARCHAR.getName()) || name.equals(SqlTypeName.CHAR.getName());
  }

  private SqlNode text(SqlNode value) {
    SqlOperator function =
        isMonths(value) ? IntervalFunctions.MONTHS_TEXT : IntervalFunctions.INTERVAL_TEXT;
    return function.createCall(value.getParserPosition(), value);
  }

  /** {@code INTERVAL (number) DAYS}: what evaluates it row by row has no products of fractions. */
  private void ofNumber(SqlBasicCall call) {
    SqlNode number = call.operand(0);
    if (SqlTypeUtil.isApproximateNumeric(types.apply(number))) {
      SqlParserPos at = number.getParserPosition();
      SqlBasicTypeNameSpec exact =
          new SqlBasicTypeNameSpec(SqlTypeName.DECIMAL, NUMBER_PRECISION, NUMBER_SCALE, at);
      call.setOperand(
          0, SqlStdOperatorTable.CAST.createCall(at, number, new SqlDataTypeSpec(exact, at)));
    }
  }

  /** So many units. */
  private void ofUnits(SqlBasicCall cast, SqlIntervalQualifier unit) {
    cast.setOperator(SqlStdOperatorTable.MULTIPLY);
    cast.setOperand(1, SqlLiteral.createInterval(1, "1", unit, unit.getParserPosition()));
    product(cast);
  }

  private static SqlOperator ofText(boolean months, boolean safe) {
    return months
        ? safe ? IntervalFunctions.TRY_MONTHS_OF_TEXT : IntervalFunctions.MONTHS_OF_TEXT
        : safe ? IntervalFunctions.TRY_INTERVAL_OF_TEXT : IntervalFunctions.INTERVAL_OF_TEXT;
  }

  /** The fields of a type, as {@link IntervalFunctions#INTERVAL_OF_TEXT} has them. */
  private static SqlNode range(TimeUnit first, @Nullable TimeUnit last, SqlParserPos at) {
    int range = TimeUnitRange.of(first, last).ordinal();
    return SqlLiteral.createExactNumeric(String.valueOf(range), at);
  }

  /** Texts become intervals, and months beside days become 30 days each. */
  private void compare(SqlBasicCall call) {
    SqlNode interval =
        call.getOperandList().stream().filter(this::isInterval).findFirst().orElse(null);
    if (interval == null) {
      return;
    }
    boolean months =
        call.getOperandList().stream()
            .allMatch(operand -> !isInterval(operand) || isMonths(operand));
    for (int i = 0; i < call.operandCount(); i++) {
      SqlNode operand = call.operand(i);
      SqlParserPos at = operand.getParserPosition();
      if (isText(operand)) {
        call.setOperand(
            i,
            ofText(months, false)
                .createCall(
                    at,
                    operand,
                    months
                        ? range(TimeUnit.YEAR, TimeUnit.MONTH, at)
                        : range(TimeUnit.DAY, TimeUnit.SECOND, at)));
      } else if (!months && isInterval(operand) && isMonths(operand)) {
        call.setOperand(
            i,
            SqlStdOperatorTable.MULTIPLY.createCall(
                at, count(operand), interval(DAYS_OF_MONTH, TimeUnit.DAY, at)));
      }
    }
  }

  private static SqlNode interval(String count, TimeUnit unit, SqlParserPos at) {
    return SqlLiteral.createInterval(1, count, new SqlIntervalQualifier(unit, null, at), at);
  }

  private static SqlNode count(SqlNode interval) {
    return IntervalFunctions.INTERVAL_COUNT.createCall(interval.getParserPosition(), interval);
  }

  private static SqlNode rounded(SqlNode value) {
    return CastCalls.cast(
        SqlStdOperatorTable.ROUND.createCall(value.getParserPosition(), value), SqlTypeName.BIGINT);
  }

  /** Calcite has no days of an interval of hours. */
  private void part(SqlBasicCall call) {
    SqlNode interval = call.operand(1);
    SqlIntervalQualifier unit = types.apply(interval).getIntervalQualifier();
    if (unit != null && !unit.isYearMonth() && unit.getStartUnit() != TimeUnit.DAY) {
      call.setOperand(
          1,
          IntervalFunctions.AS_INTERVAL.createCall(interval.getParserPosition(), count(interval)));
    }
  }

  /** Of an interval and a number that is no whole one, or that divides months. */
  private void product(SqlBasicCall call) {
    boolean divides = call.getKind() == SqlKind.DIVIDE;
    int place = divides || isInterval(call.operand(0)) ? 0 : 1;
    SqlNode interval = call.operand(place);
    SqlNode number = call.operand(1 - place);
    if (!isInterval(interval)
        || !SqlTypeUtil.isNumeric(types.apply(number))
        || SqlTypeUtil.isIntType(types.apply(number)) && !(divides && isMonths(interval))) {
      return;
    }
    SqlParserPos at = call.getParserPosition();
    SqlNode one = SqlLiteral.createExactNumeric("1", at);
    SqlNode wide = CastCalls.cast(count(interval), SqlTypeName.DOUBLE);
    SqlNode factor = CastCalls.cast(number, SqlTypeName.DOUBLE);
    if (isMonths(interval)) {
      call.setOperator(IntervalFunctions.WHOLE_MONTHS);
      call.setOperand(
          0, divides ? wide : SqlStdOperatorTable.MULTIPLY.createCall(at, wide, factor));
      call.setOperand(1, divides ? factor : one);
      return;
    }
    SqlOperator operator = divides ? SqlStdOperatorTable.DIVIDE : SqlStdOperatorTable.MULTIPLY;
    call.setOperator(SqlStdOperatorTable.MULTIPLY);
    call.setOperand(
        0,
        IntervalFunctions.AS_INTERVAL.createCall(
            at, rounded(operator.createCall(at, wide, factor))));
    call.setOperand(1, one);
  }

  /** A moment and a sum of months and days: the months are added first, as in PostgreSQL. */
  private void sum(SqlBasicCall call) {
    if (call.operandCount() != 2) {
      return;
    }
    keepTime(call, 0, 1);
    keepTime(call, 1, 0);
    keepFractions(call, 0, 1);
    keepFractions(call, 1, 0);
    if (call.operand(1) instanceof SqlBasicCall added
        && SUMS.contains(added.getKind())
        && SqlTypeUtil.isDatetime(types.apply(call.operand(0)))) {
      List<SqlNode> terms = new ArrayList<>();
      List<Boolean> negative = new ArrayList<>();
      boolean intervals = terms(added, call.getKind() == SqlKind.MINUS, terms, negative);
      if (intervals && terms.stream().map(this::isMonths).distinct().count() > 1) {
        add(call, terms, negative);
      }
      return;
    }
    if (isInterval(call.operand(0))
        && isInterval(call.operand(1))
        && isMonths(call.operand(0)) != isMonths(call.operand(1))) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "An interval has years and months, or days and time, not both (line %d, column %d); add two to a moment, one after the other: x + INTERVAL '1' MONTH + INTERVAL '2' DAY."
              .formatted(
                  call.getParserPosition().getLineNum(), call.getParserPosition().getColumnNum()));
    }
  }

  /** A date to which hours or less are added is a timestamp, as in PostgreSQL. */
  private void keepTime(SqlBasicCall sum, int date, int interval) {
    SqlNode value = sum.operand(date);
    if (hasTime(sum.operand(interval)) && types.apply(value).getSqlTypeName() == SqlTypeName.DATE) {
      sum.setOperand(date, timestamp(value));
    }
  }

  /** Whether an interval, or a sum of some, has hours, minutes or seconds. */
  private boolean hasTime(SqlNode node) {
    List<SqlNode> terms = new ArrayList<>();
    boolean intervals = terms(node, false, terms, new ArrayList<>());
    return (intervals ? terms : List.of(node)).stream().anyMatch(this::mayHaveTime);
  }

  /** A part of a day has hours. */
  private boolean mayHaveTime(SqlNode term) {
    SqlIntervalQualifier unit = types.apply(term).getIntervalQualifier();
    return unit != null
        && !unit.isYearMonth()
        && (term.getKind() == SqlKind.DIVIDE
            || unit.getUnit().multiplier.compareTo(TimeUnit.DAY.multiplier) < 0);
  }

  private static SqlNode timestamp(SqlNode value) {
    SqlParserPos at = value.getParserPosition();
    SqlBasicTypeNameSpec millis =
        new SqlBasicTypeNameSpec(SqlTypeName.TIMESTAMP, MILLIS_DIGITS, at);
    return SqlStdOperatorTable.CAST.createCall(at, value, new SqlDataTypeSpec(millis, at));
  }

  /** A TIMESTAMP(0), as its literals are, gets the digits of what is added to it. */
  private void keepFractions(SqlBasicCall sum, int moment, int interval) {
    SqlNode value = sum.operand(moment);
    if (sum.operand(interval) instanceof SqlBasicCall added
        && added.getKind() == SqlKind.INTERVAL
        && added.operand(1) instanceof SqlIntervalQualifier unit
        && !unit.isYearMonth()
        && isFraction(types.apply(added.operand(0)))
        && types.apply(value).getSqlTypeName() == SqlTypeName.TIMESTAMP
        && types.apply(value).getPrecision() < MILLIS_DIGITS) {
      sum.setOperand(moment, timestamp(value));
    }
  }

  private static boolean isFraction(RelDataType number) {
    return SqlTypeUtil.isApproximateNumeric(number) || number.getScale() > 0;
  }

  /** Collects the terms of a sum; false if one is no interval. */
  private boolean terms(SqlNode node, boolean minus, List<SqlNode> terms, List<Boolean> negative) {
    if (node instanceof SqlBasicCall sum
        && SUMS.contains(sum.getKind())
        && sum.operandCount() == 2) {
      return terms(sum.operand(0), minus, terms, negative)
          && terms(sum.operand(1), minus != (sum.getKind() == SqlKind.MINUS), terms, negative);
    }
    terms.add(node);
    negative.add(minus);
    return isInterval(node);
  }

  private void add(SqlBasicCall call, List<SqlNode> terms, List<Boolean> negative) {
    List<Integer> order = new ArrayList<>();
    for (boolean months : new boolean[] {true, false}) {
      for (int i = 0; i < terms.size(); i++) {
        if (isMonths(terms.get(i)) == months) {
          order.add(i);
        }
      }
    }
    SqlNode sum = call.operand(0);
    for (int i : order.subList(0, order.size() - 1)) {
      sum = operator(negative.get(i)).createCall(call.getParserPosition(), sum, terms.get(i));
    }
    int last = order.getLast();
    call.setOperator(operator(negative.get(last)));
    call.setOperand(0, sum);
    call.setOperand(1, terms.get(last));
  }

  private static SqlOperator operator(boolean minus) {
    return minus ? SqlStdOperatorTable.MINUS : SqlStdOperatorTable.PLUS;
  }

  private boolean isTotal(SqlNode node) {
    return node instanceof SqlBasicCall call
        && (call.getKind() == SqlKind.SUM || call.getKind() == SqlKind.AVG)
        && call.operandCount() == 1
        && call.getFunctionQuantifier() == null
        && isInterval(call.operand(0));
  }

  /** {@code SUM(interval)}: the interval of the sum of numbers. */
  private void total(SqlBasicCall call) {
    if (isTotal(call)) {
      boolean months = isMonths(call.operand(0));
      SqlNode number = number(call, months, sum -> sum);
      call.setOperator(months ? IntervalFunctions.AS_MONTHS : IntervalFunctions.AS_INTERVAL);
      call.setOperand(0, number);
    }
  }

  /** The same over a window, or of some rows. */
  private void totalOf(SqlBasicCall call) {
    SqlNode total = call.operand(0);
    SqlBasicCall filter =
        total instanceof SqlBasicCall inner && inner.getKind() == SqlKind.FILTER ? inner : null;
    if (!isTotal(filter == null ? total : filter.operand(0))) {
      return;
    }
    SqlBasicCall sum = filter == null ? (SqlBasicCall) total : filter.operand(0);
    SqlParserPos at = call.getParserPosition();
    boolean months = isMonths(sum.operand(0));
    SqlOperator operator = call.getOperator();
    SqlNode behind = call.operand(1);
    SqlNode number =
        number(
            sum,
            months,
            numbers ->
                operator.createCall(
                    at,
                    filter == null
                        ? numbers
                        : filter.getOperator().createCall(at, numbers, filter.operand(1)),
                    behind));
    call.setOperator(SqlStdOperatorTable.MULTIPLY);
    call.setOperand(
        0,
        (months ? IntervalFunctions.AS_MONTHS : IntervalFunctions.AS_INTERVAL)
            .createCall(at, number));
    call.setOperand(1, SqlLiteral.createExactNumeric("1", at));
  }

  /** A sum or average of intervals as a BIGINT. */
  private static SqlNode number(
      SqlBasicCall total, boolean months, Function<SqlNode, SqlNode> around) {
    SqlParserPos at = total.getParserPosition();
    SqlNode count = count(total.operand(0));
    if (total.getKind() == SqlKind.SUM) {
      return CastCalls.cast(
          around.apply(total.getOperator().createCall(at, count)), SqlTypeName.BIGINT);
    }
    SqlNode average =
        around.apply(total.getOperator().createCall(at, CastCalls.cast(count, SqlTypeName.DOUBLE)));
    return months
        ? count(
            IntervalFunctions.WHOLE_MONTHS.createCall(
                at, average, SqlLiteral.createExactNumeric("1", at)))
        : rounded(average);
  }

  /** How numbers and intervals become each other; null of other calls. */
  static @Nullable SqlRexConvertlet convertlet(SqlCall call) {
    SqlOperator operator = call.getOperator();
    if (operator.equals(IntervalFunctions.INTERVAL_COUNT)) {
      return IntervalForms::convertCount;
    }
    return operator.equals(IntervalFunctions.AS_INTERVAL)
            || operator.equals(IntervalFunctions.AS_MONTHS)
        ? IntervalForms::convertInterval
        : null;
  }

  private static RexNode convertCount(SqlRexContext context, SqlCall call) {
    return convertCount(context, call, true);
  }

  /**
   * @param exact whether a difference with more than milliseconds is refused, and not cut off
   */
  private static RexNode convertCount(SqlRexContext context, SqlCall call, boolean exact) {
    RexBuilder builder = context.getRexBuilder();
    RexNode interval = context.convertExpression(call.operand(0));
    RelDataType type = context.getValidator().getValidatedNodeType(call);
    SqlIntervalQualifier unit = Objects.requireNonNull(interval.getType().getIntervalQualifier());
    if (!unit.isYearMonth()) {
      return builder.makeReinterpretCast(type, interval, builder.makeLiteral(exact));
    }
    RexNode years = part(builder, type, TimeUnit.YEAR, interval);
    RexNode months = part(builder, type, TimeUnit.MONTH, interval);
    return builder.makeCall(
        type,
        SqlStdOperatorTable.PLUS,
        List.of(
            builder.makeCall(
                type,
                SqlStdOperatorTable.MULTIPLY,
                List.of(years, builder.makeBigintLiteral(BigDecimal.valueOf(12)))),
            months));
  }

  private static RexNode part(
      RexBuilder builder, RelDataType type, TimeUnit unit, RexNode interval) {
    return builder.makeCall(
        type,
        SqlStdOperatorTable.EXTRACT,
        List.of(builder.makeFlag(TimeUnitRange.of(unit, null)), interval));
  }

  private static RexNode convertInterval(SqlRexContext context, SqlCall call) {
    RexBuilder builder = context.getRexBuilder();
    RexNode number =
        call.operand(0) instanceof SqlCall count
                && count.getOperator().equals(IntervalFunctions.INTERVAL_COUNT)
            ? convertCount(context, count, false) // for EXTRACT, which cuts off
            : context.convertExpression(call.operand(0));
    RelDataType type = context.getValidator().getValidatedNodeType(call);
    SqlIntervalQualifier unit = Objects.requireNonNull(type.getIntervalQualifier());
    return builder.makeCall(
        type,
        SqlStdOperatorTable.MULTIPLY,
        List.of(number, builder.makeIntervalLiteral(BigDecimal.ONE, unit)));
  }
}
