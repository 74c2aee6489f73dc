package io.aragonite.rules.program;

import static java.util.Objects.requireNonNull;

import io.aragonite.rules.function.PowerSum;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Variances, deviations, covariances and sums of powers of DOUBLE, of distances from the mean of
 * the group, which is found first: where a mean is far greater than the distances from it, squares
 * of the values would have lost the distances before they are added up (the two-pass algorithm of
 * Chan, Golub and LeVeque, "Algorithms for Computing the Sample Variance", 1983). None of these
 * functions changes where a constant is taken from an argument, so that the mean need not be exact;
 * but where all values are the same it is that value, since {@code corr} of a constant is null.
 * Rows of ROLLUP and CUBE are in several groups, each with a mean of its own: each set of keys
 * becomes an aggregate, whose input is the same ({@link RepeatedInputs}).
 */
final class ShiftedVariances extends RelHomogeneousShuttle {
  private static final List<SqlAggFunction> MEANS =
      List.of(SqlStdOperatorTable.AVG, SqlStdOperatorTable.MIN, SqlStdOperatorTable.MAX);

  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    if (!(rel instanceof LogicalAggregate aggregate) || !isShifted(aggregate)) {
      return rel;
    }
    return Aggregate.isSimple(aggregate)
        ? new Shift(aggregate).run()
        : new GroupingSets(aggregate, of -> isShifted(of) ? new Shift(of).run() : of).run();
  }

  private static boolean isShifted(LogicalAggregate aggregate) {
    return aggregate.getAggCallList().stream().anyMatch(call -> isShifted(call, aggregate));
  }

  /** Whether an aggregate will read its input for the means too, once arguments are DOUBLE. */
  static boolean readsTwice(LogicalAggregate aggregate) {
    return aggregate.getAggCallList().stream()
        .anyMatch(call ->
            call.getAggregation() instanceof PowerSum
                || ExactVariances.isOfDistances(call) && !ExactVariances.isExact(call, aggregate));
  }

  private static boolean isShifted(AggregateCall call, LogicalAggregate aggregate) {
    return call.getAggregation() instanceof PowerSum
        || ExactVariances.isOfDistances(call)
            && call.getArgList().stream()
                .allMatch(argument -> isDouble(type(argument, aggregate.getInput())));
  }

  private static boolean isDouble(RelDataType type) {
    return type.getSqlTypeName() == SqlTypeName.DOUBLE
        || type.getSqlTypeName() == SqlTypeName.FLOAT;
  }

  private static RelDataType type(int column, RelNode of) {
    return of.getRowType().getFieldList().get(column).getType();
  }

  /**
   * An argument whose mean is wanted.
   *
   * @param filter the column that says which rows count; -1 if all do
   * @param partner the other argument, without which a row does not count; -1 if there is none
   */
  private record Argument(int column, int filter, int partner) {}

  /** What a sum of powers adds up. */
  private record Power(Argument of, int power) {}

  /** One aggregate. */
  private static final class Shift {
    private final LogicalAggregate aggregate;
    private final RelNode input;
    private final RelBuilder builder;
    private final RexBuilder rex;
    private final ImmutableBitSet keys;

    /** Arguments, and where what is left of them is. */
    private final Map<Argument, Integer> shifted = new LinkedHashMap<>();

    /** Powers of what is left of an argument, behind all that is left. */
    private final List<Power> powers = new ArrayList<>();

    Shift(LogicalAggregate aggregate) {
      this.aggregate = aggregate;
      this.input = aggregate.getInput();
      this.builder = Simplification.NONE.create(aggregate.getCluster(), null);
      this.rex = aggregate.getCluster().getRexBuilder();
      this.keys = aggregate.getGroupSet();
    }

    RelNode run() {
      int width = input.getRowType().getFieldCount();
      List<AggregateCall> calls = new ArrayList<>();
      for (AggregateCall call : aggregate.getAggCallList()) {
        calls.add(isShifted(call, aggregate) ? ofShifted(call, width) : call);
      }
      calls.replaceAll(call -> call.getAggregation() instanceof PowerSum ? sum(call, width) : call);
      builder.push(input).push(means());
      builder.join(JoinRelType.LEFT, sameKeys());
      List<RexNode> columns = new ArrayList<>(builder.fields().subList(0, width));
      int mean = width + keys.cardinality();
      for (Argument argument : shifted.keySet()) {
        columns.add(
            distance(
                rex,
                builder.field(argument.column()),
                builder.field(mean),
                builder.field(mean + 1),
                builder.field(mean + 2)));
        mean += MEANS.size();
      }
      for (Power power : powers) {
        int distance = requireNonNull(shifted.get(power.of()));
        columns.add(power(rex, columns.get(distance), power.power()));
      }
      return aggregate.copy(
          aggregate.getTraitSet(),
          Projections.of(builder.build(), columns),
          aggregate.getGroupSet(),
          aggregate.getGroupSets(),
          calls);
    }

    private AggregateCall ofShifted(AggregateCall call, int width) {
      List<Integer> arguments = new ArrayList<>();
      for (int column : call.getArgList()) {
        int partner =
            call.getArgList().stream().filter(other -> other != column).findFirst().orElse(-1);
        Argument argument = new Argument(column, call.filterArg, partner);
        shifted.putIfAbsent(argument, width + shifted.size());
        arguments.add(shifted.get(argument));
      }
      return call.withArgList(arguments);
    }

    /** A sum of powers, once it is known where these are: behind all arguments. */
    private AggregateCall sum(AggregateCall call, int width) {
      int column = call.getArgList().getFirst();
      Argument of =
          shifted.entrySet().stream()
              .filter(argument -> argument.getValue() == column)
              .map(Map.Entry::getKey)
              .findFirst()
              .orElseThrow();
      Power power = new Power(of, ((PowerSum) call.getAggregation()).power());
      if (!powers.contains(power)) {
        powers.add(power);
      }
      return AggregateCall.create(
          SqlStdOperatorTable.SUM,
          call.isDistinct(),
          false,
          false,
          List.of(),
          List.of(width + shifted.size() + powers.indexOf(power)),
          call.filterArg,
          null,
          RelCollations.EMPTY,
          call.getType(),
          call.getName());
    }

    /** The keys, and for each argument the {@link #MEANS}. */
    private RelNode means() {
      List<RexNode> columns = new ArrayList<>(rex.identityProjects(input.getRowType()));
      List<Integer> filters = new ArrayList<>();
      for (Argument argument : shifted.keySet()) {
        filters.add(argument.partner() < 0 ? argument.filter() : columns.size());
        if (argument.partner() >= 0) {
          columns.add(counted(argument));
        }
      }
      RelNode counting =
          columns.size() == input.getRowType().getFieldCount()
              ? input
              : Projections.of(input, columns);
      List<AggregateCall> means = new ArrayList<>();
      int next = 0;
      for (Argument argument : shifted.keySet()) {
        int filter = filters.get(next++);
        MEANS.forEach(function -> means.add(call(function, argument.column(), filter, counting)));
      }
      return LogicalAggregate.create(counting, List.of(), keys, null, means);
    }

    /** Whether a row counts for an argument of two. */
    private RexNode counted(Argument argument) {
      RexNode present =
          rex.makeCall(
              SqlStdOperatorTable.IS_NOT_NULL, rex.makeInputRef(input, argument.partner()));
      return argument.filter() < 0
          ? present
          : rex.makeCall(
              SqlStdOperatorTable.AND,
              rex.makeCall(SqlStdOperatorTable.IS_TRUE, rex.makeInputRef(input, argument.filter())),
              present);
    }

    private AggregateCall call(SqlAggFunction function, int column, int filter, RelNode of) {
      return AggregateCall.create(
          function,
          false,
          false,
          false,
          List.of(),
          List.of(column),
          filter,
          null,
          RelCollations.EMPTY,
          keys.isEmpty(),
          of,
          null,
          null);
    }

    /** Rows of the input, which are beside the means now, with the keys of theirs. */
    private List<RexNode> sameKeys() {
      List<RexNode> same = new ArrayList<>();
      int place = 0;
      for (int key : keys) {
        RexNode left = builder.field(2, 0, key);
        RexNode right = builder.field(2, 1, place++);
        SqlOperator equal =
            left.getType().isNullable()
                ? SqlStdOperatorTable.IS_NOT_DISTINCT_FROM
                : SqlStdOperatorTable.EQUALS;
        same.add(rex.makeCall(equal, left, right));
      }
      return same;
    }
  }

  /** From the mean, or from 0 if there is none: what makes keys may give others in each run. */
  static RexNode distance(
      RexBuilder rex, RexNode value, RexNode mean, RexNode least, RexNode greatest) {
    RexNode shift =
        rex.makeCall(
            SqlStdOperatorTable.CASE,
            rex.makeCall(SqlStdOperatorTable.EQUALS, least, greatest),
            rex.makeNotNull(least),
            rex.makeCall(SqlStdOperatorTable.IS_NULL, mean),
            rex.makeApproxLiteral(BigDecimal.ZERO),
            rex.makeNotNull(mean));
    return rex.makeCall(SqlStdOperatorTable.MINUS, value, shift);
  }

  /** A value times itself. */
  static RexNode power(RexBuilder rex, RexNode value, int power) {
    RexNode all = value;
    for (int i = 1; i < power; i++) {
      all = rex.makeCall(SqlStdOperatorTable.MULTIPLY, all, value);
    }
    return all;
  }
}
