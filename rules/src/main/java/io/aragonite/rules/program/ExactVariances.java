package io.aragonite.rules.program;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.tools.RelBuilder;

/**
 * Variances and deviations of INTEGER and of decimals, of sums that are exact: the sum of squares
 * less that of the mean's, both far greater, would leave nothing of a variance in DOUBLE. With the
 * mean m at the argument's scale and {@code r = sum(x) - m * n}, the squares of the distances from
 * the mean add up to {@code sum(x * x) - m * (2 * sum(x) - m * n) - r * r / n}.
 */
final class ExactVariances extends RelHomogeneousShuttle {
  /** Digits of arguments whose squares can be added up a billion times in 38 digits. */
  private static final int SURE_DIGITS = 14;

  /** Digits, of which few are a fraction: of money, whose columns are wider than the amounts. */
  private static final int WIDE_DIGITS = 16;

  private static final int SHORT_SCALE = 3;

  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    return rel instanceof LogicalAggregate aggregate
            && aggregate.getAggCallList().stream().anyMatch(call -> isExact(call, aggregate))
        ? new Rewrite(aggregate).run()
        : rel;
  }

  private static boolean isExact(AggregateCall call, LogicalAggregate aggregate) {
    return switch (call.getAggregation().kind) {
      case STDDEV_POP, STDDEV_SAMP, VAR_POP, VAR_SAMP ->
          !call.isDistinct()
              && call.getType().getSqlTypeName() == SqlTypeName.DOUBLE
              && isExact(argument(call, aggregate.getInput()).getType());
      default -> false;
    };
  }

  private static boolean isExact(RelDataType type) {
    return switch (type.getSqlTypeName()) {
      case TINYINT, SMALLINT, INTEGER -> true;
      case DECIMAL ->
          type.getPrecision() <= (type.getScale() <= SHORT_SCALE ? WIDE_DIGITS : SURE_DIGITS);
      default -> false;
    };
  }

  /** What a call is of, before a cast to DOUBLE. */
  private static RexNode argument(AggregateCall call, RelNode input) {
    RexNode value =
        input instanceof LogicalProject project
            ? project.getProjects().get(call.getArgList().get(0))
            : input.getCluster().getRexBuilder().makeInputRef(input, call.getArgList().get(0));
    return value instanceof RexCall cast
            && cast.isA(SqlKind.CAST)
            && cast.getType().getSqlTypeName() == SqlTypeName.DOUBLE
        ? cast.getOperands().get(0)
        : value;
  }

  /** One aggregate. */
  private static final class Rewrite {
    private final LogicalAggregate aggregate;
    private final RelBuilder builder;
    private final RexBuilder rex;
    private final List<AggregateCall> calls = new ArrayList<>();

    /** Where an argument is, and behind it its square, by the column that calls have. */
    private final Map<Integer, Integer> squares = new HashMap<>();

    Rewrite(LogicalAggregate aggregate) {
      this.aggregate = aggregate;
      this.builder = Simplification.NONE.create(aggregate.getCluster(), null);
      this.rex = aggregate.getCluster().getRexBuilder();
    }

    RelNode run() {
      RelNode input = withSquares();
      List<Integer> places = new ArrayList<>();
      for (AggregateCall call : aggregate.getAggCallList()) {
        places.add(aggregate.getGroupCount() + add(call, input));
      }
      builder.push(
          LogicalAggregate.create(
              input,
              aggregate.getHints(),
              aggregate.getGroupSet(),
              aggregate.getGroupSets(),
              calls));
      List<RexNode> columns =
          new ArrayList<>(builder.fields().subList(0, aggregate.getGroupCount()));
      for (int i = 0; i < places.size(); i++) {
        AggregateCall call = aggregate.getAggCallList().get(i);
        RexNode value =
            isExact(call, aggregate) ? result(call, places.get(i)) : builder.field(places.get(i));
        columns.add(rex.makeCast(call.getType(), value));
      }
      return builder.project(columns, aggregate.getRowType().getFieldNames(), true).build();
    }

    /** Where a call's sums begin among all calls: its own, or those of an equal one. */
    private int add(AggregateCall call, RelNode input) {
      if (!isExact(call, aggregate)) {
        calls.add(call);
        return calls.size() - 1;
      }
      int argument = requireNonNull(squares.get(call.getArgList().get(0)));
      AggregateCall count = sum(SqlStdOperatorTable.COUNT, call, argument, input);
      int place = calls.indexOf(count);
      if (place < 0) {
        place = calls.size();
        calls.add(count);
        calls.add(sum(SqlStdOperatorTable.SUM, call, argument, input));
        calls.add(sum(SqlStdOperatorTable.SUM, call, argument + 1, input));
      }
      return place;
    }

    /** The input, and behind its columns each argument and its square: one value of both. */
    private RelNode withSquares() {
      RelNode input = aggregate.getInput();
      boolean projects = input instanceof LogicalProject;
      builder.push(projects ? input.getInput(0) : input);
      List<RexNode> columns =
          new ArrayList<>(projects ? ((LogicalProject) input).getProjects() : builder.fields());
      int width = columns.size();
      for (AggregateCall call : aggregate.getAggCallList()) {
        if (isExact(call, aggregate) && !squares.containsKey(call.getArgList().get(0))) {
          squares.put(call.getArgList().get(0), width + 2 * squares.size());
          columns.add(decimal(argument(call, input)));
        }
      }
      RelNode arguments = Projections.of(builder.build(), columns);
      builder.push(arguments);
      List<RexNode> squared = new ArrayList<>(builder.fields().subList(0, width));
      for (RexNode argument : builder.fields().subList(width, columns.size())) {
        squared.add(argument);
        squared.add(rex.makeCall(SqlStdOperatorTable.MULTIPLY, argument, argument));
      }
      return Projections.of(builder.build(), squared);
    }

    private RexNode decimal(RexNode value) {
      RelDataType type = value.getType();
      return SqlTypeUtil.isDecimal(type)
          ? value
          : rex.makeCast(rex.getTypeFactory().decimalOf(type), value, true, false);
    }

    private AggregateCall sum(SqlAggFunction sum, AggregateCall of, int column, RelNode input) {
      return AggregateCall.create(
          sum,
          false,
          false,
          false,
          List.of(),
          List.of(column),
          of.filterArg,
          null,
          RelCollations.EMPTY,
          aggregate.hasEmptyGroup(),
          input,
          null,
          null);
    }

    private RexNode result(AggregateCall call, int place) {
      SqlKind kind = call.getAggregation().kind;
      RexNode count = builder.field(place);
      RexNode total = builder.field(place + 1);
      RexNode square = builder.field(place + 2);
      RelDataType type = meanType(decimal(argument(call, aggregate.getInput())).getType());
      RexNode mean = cast(type, over(total, count));
      RexNode covered = times(mean, count);
      RexNode remainder = asDouble(minus(total, covered));
      RexNode twice = call(SqlStdOperatorTable.PLUS, total, total);
      RexNode distances =
          minus(
              asDouble(minus(square, times(mean, minus(twice, covered)))),
              over(times(remainder, remainder), asDouble(count)));
      boolean sample = kind == SqlKind.STDDEV_SAMP || kind == SqlKind.VAR_SAMP;
      RexNode variance = over(positive(distances), asDouble(sample ? lessOne(count) : count));
      return kind == SqlKind.STDDEV_POP || kind == SqlKind.STDDEV_SAMP
          ? call(SqlStdOperatorTable.SQRT, variance)
          : variance;
    }

    /** With a digit more: a quotient may be rounded to more than the greatest argument. */
    private RelDataType meanType(RelDataType argument) {
      return rex.getTypeFactory()
          .createTypeWithNullability(
              rex.getTypeFactory()
                  .createSqlType(
                      SqlTypeName.DECIMAL, argument.getPrecision() + 1, argument.getScale()),
              true);
    }

    private RexNode lessOne(RexNode count) {
      RexNode one = builder.literal(1);
      return call(
          SqlStdOperatorTable.CASE,
          call(SqlStdOperatorTable.EQUALS, count, one),
          rex.makeNullLiteral(count.getType()),
          minus(count, one));
    }

    /** No sum of squares is below zero, but by rounding. */
    private RexNode positive(RexNode value) {
      RexNode zero = rex.makeApproxLiteral(BigDecimal.ZERO);
      return call(
          SqlStdOperatorTable.CASE, call(SqlStdOperatorTable.LESS_THAN, value, zero), zero, value);
    }

    private RexNode asDouble(RexNode value) {
      return cast(rex.getTypeFactory().createSqlType(SqlTypeName.DOUBLE), value);
    }

    private RexNode cast(RelDataType type, RexNode value) {
      return rex.makeCast(
          rex.getTypeFactory().createTypeWithNullability(type, value.getType().isNullable()),
          value,
          true,
          false);
    }

    private RexNode times(RexNode left, RexNode right) {
      return call(SqlStdOperatorTable.MULTIPLY, left, right);
    }

    private RexNode minus(RexNode left, RexNode right) {
      return call(SqlStdOperatorTable.MINUS, left, right);
    }

    private RexNode over(RexNode left, RexNode right) {
      return call(SqlStdOperatorTable.DIVIDE, left, right);
    }

    private RexNode call(SqlOperator operator, RexNode... operands) {
      return rex.makeCall(operator, operands);
    }
  }
}
