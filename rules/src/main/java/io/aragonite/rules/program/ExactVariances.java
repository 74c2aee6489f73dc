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
 * Variances, deviations and covariances of INTEGER and of decimals, of sums that are exact: the sum
 * of products less that of the means', both far greater, would leave nothing of a variance in
 * DOUBLE. With the means m and k at the scales of x and y, {@code r = sum(x) - m * n} and {@code q
 * = sum(y) - k * n}, the products of the distances from the means add up to {@code sum(x * y) - (m
 * * (sum(y) - k * n) + k * sum(x)) - r * q / n}. Of a variance both are the argument.
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

  /** Whether a call is computed of sums that are exact. */
  static boolean isExact(AggregateCall call, LogicalAggregate aggregate) {
    return isOfDistances(call)
        && call.getType().getSqlTypeName() == SqlTypeName.DOUBLE
        && call.getArgList().stream()
            .allMatch(column -> isExact(argument(column, aggregate.getInput()).getType()));
  }

  /** Whether a call adds up products of distances from means, of all values. */
  static boolean isOfDistances(AggregateCall call) {
    return switch (call.getAggregation().kind) {
      case STDDEV_POP, STDDEV_SAMP, VAR_POP, VAR_SAMP, COVAR_POP, COVAR_SAMP, REGR_SXX, REGR_SYY ->
          !call.isDistinct();
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

  /** What a column is, before a cast to DOUBLE. */
  private static RexNode argument(int column, RelNode input) {
    RexNode value =
        input instanceof LogicalProject project
            ? project.getProjects().get(column)
            : input.getCluster().getRexBuilder().makeInputRef(input, column);
    return value instanceof RexCall cast
            && cast.isA(SqlKind.CAST)
            && cast.getType().getSqlTypeName() == SqlTypeName.DOUBLE
        ? cast.getOperands().get(0)
        : value;
  }

  /**
   * What a call multiplies: two columns, or one with itself.
   *
   * @param beside the column of which only rows with a value count
   */
  private record Factors(int left, int right, int beside) {
    static Factors of(AggregateCall call) {
      List<Integer> columns = call.getArgList();
      int first = columns.getFirst();
      int last = columns.getLast();
      return switch (call.getAggregation().kind) {
        case REGR_SXX -> new Factors(last, last, first);
        case REGR_SYY -> new Factors(first, first, last);
        case COVAR_POP, COVAR_SAMP -> new Factors(first, last, last);
        default -> new Factors(first, first, first);
      };
    }
  }

  /** Where the sums of a call are. */
  private record Sums(int count, int left, int right, int products) {}

  /** One aggregate. */
  private static final class Rewrite {
    private final LogicalAggregate aggregate;
    private final RelBuilder builder;
    private final RexBuilder rex;
    private final List<AggregateCall> calls = new ArrayList<>();

    /** Where the left factor is, and behind it the right one and their product. */
    private final Map<Factors, Integer> products = new HashMap<>();

    Rewrite(LogicalAggregate aggregate) {
      this.aggregate = aggregate;
      this.builder = Simplification.NONE.create(aggregate.getCluster(), null);
      this.rex = aggregate.getCluster().getRexBuilder();
    }

    RelNode run() {
      RelNode input = withProducts();
      List<Sums> places = new ArrayList<>();
      for (AggregateCall call : aggregate.getAggCallList()) {
        places.add(isExact(call, aggregate) ? sums(call, input) : alone(call));
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
        Sums sums = places.get(i);
        RexNode value = isExact(call, aggregate) ? result(call, sums) : builder.field(sums.count());
        columns.add(rex.makeCast(call.getType(), value));
      }
      return builder.project(columns, aggregate.getRowType().getFieldNames(), true).build();
    }

    private Sums alone(AggregateCall call) {
      calls.add(call);
      int place = aggregate.getGroupCount() + calls.size() - 1;
      return new Sums(place, place, place, place);
    }

    private Sums sums(AggregateCall call, RelNode input) {
      int left = requireNonNull(products.get(Factors.of(call)));
      return new Sums(
          add(sum(SqlStdOperatorTable.COUNT, call, left, input)),
          add(sum(SqlStdOperatorTable.SUM, call, left, input)),
          add(sum(SqlStdOperatorTable.SUM, call, left + 1, input)),
          add(sum(SqlStdOperatorTable.SUM, call, left + 2, input)));
    }

    /** Where a sum is: an equal one is there once. */
    private int add(AggregateCall sum) {
      int place = calls.indexOf(sum);
      if (place < 0) {
        place = calls.size();
        calls.add(sum);
      }
      return aggregate.getGroupCount() + place;
    }

    /** The input, and behind its columns the factors and products: one value of each argument. */
    private RelNode withProducts() {
      RelNode input = aggregate.getInput();
      boolean projects = input instanceof LogicalProject;
      builder.push(projects ? input.getInput(0) : input);
      List<RexNode> columns =
          new ArrayList<>(projects ? ((LogicalProject) input).getProjects() : builder.fields());
      int width = columns.size();
      Map<Integer, Integer> arguments = new HashMap<>();
      for (AggregateCall call : aggregate.getAggCallList()) {
        for (int column : isExact(call, aggregate) ? call.getArgList() : List.<Integer>of()) {
          if (arguments.putIfAbsent(column, columns.size()) == null) {
            columns.add(decimal(argument(column, input)));
          }
        }
      }
      RelNode with = Projections.of(builder.build(), columns);
      builder.push(with);
      List<RexNode> made = new ArrayList<>(builder.fields().subList(0, width));
      for (AggregateCall call : aggregate.getAggCallList()) {
        if (isExact(call, aggregate)
            && products.putIfAbsent(Factors.of(call), made.size()) == null) {
          addProducts(Factors.of(call), arguments, made);
        }
      }
      return Projections.of(builder.build(), made);
    }

    private void addProducts(Factors factors, Map<Integer, Integer> arguments, List<RexNode> made) {
      RexNode left = builder.field(requireNonNull(arguments.get(factors.left())));
      RexNode right = builder.field(requireNonNull(arguments.get(factors.right())));
      RexNode beside = builder.field(requireNonNull(arguments.get(factors.beside())));
      RexNode paired = beside(left, beside);
      boolean square = factors.left() == factors.right();
      made.add(paired);
      made.add(square ? paired : beside(right, left));
      made.add(square ? times(paired, paired) : times(left, right));
    }

    /** The value, null where another one is. */
    private RexNode beside(RexNode value, RexNode other) {
      return value.equals(other) || !other.getType().isNullable()
          ? value
          : call(
              SqlStdOperatorTable.CASE,
              call(SqlStdOperatorTable.IS_NULL, other),
              rex.makeNullLiteral(value.getType()),
              value);
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

    private RexNode result(AggregateCall call, Sums sums) {
      Factors factors = Factors.of(call);
      RexNode count = builder.field(sums.count());
      RexNode left = builder.field(sums.left());
      RexNode right = builder.field(sums.right());
      RexNode leftMean = mean(factors.left(), left, count);
      RexNode rightMean = mean(factors.right(), right, count);
      RexNode leftRest = minus(left, times(leftMean, count));
      RexNode rightRest = minus(right, times(rightMean, count));
      RexNode covered =
          call(SqlStdOperatorTable.PLUS, times(leftMean, rightRest), times(rightMean, left));
      RexNode distances =
          minus(
              asDouble(minus(builder.field(sums.products()), covered)),
              over(times(asDouble(leftRest), asDouble(rightRest)), asDouble(count)));
      RexNode total = factors.left() == factors.right() ? positive(distances) : distances;
      return switch (call.getAggregation().kind) {
        case REGR_SXX, REGR_SYY -> total;
        case VAR_POP, COVAR_POP -> over(total, asDouble(count));
        case VAR_SAMP, COVAR_SAMP -> over(total, asDouble(lessOne(count)));
        case STDDEV_POP -> call(SqlStdOperatorTable.SQRT, over(total, asDouble(count)));
        default -> call(SqlStdOperatorTable.SQRT, over(total, asDouble(lessOne(count))));
      };
    }

    /** Of a column, at its scale. */
    private RexNode mean(int column, RexNode sum, RexNode count) {
      RexNode argument = decimal(argument(column, aggregate.getInput()));
      return cast(meanType(argument.getType()), over(sum, count));
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
