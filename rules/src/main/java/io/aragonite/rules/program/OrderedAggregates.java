package io.aragonite.rules.program;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.OrderedFunctions;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexWindowBounds;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.tools.RelBuilder;

/**
 * Aggregates that take rows by their place in an order (quantiles, ARG_MIN, FIRST, MODE) by
 * windows: the rows of each group are numbered, and a plain aggregate takes the value of those with
 * the right numbers. Rows that do not count, for a null or a FILTER, are numbered for themselves.
 */
final class OrderedAggregates extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    return rel instanceof LogicalAggregate aggregate
            && aggregate.getAggCallList().stream().anyMatch(OrderedAggregates::isOrdered)
        ? new Rewrite(aggregate).run()
        : rel;
  }

  private static boolean isOrdered(AggregateCall call) {
    return switch (call.getAggregation().getKind()) {
      case PERCENTILE_CONT, ARG_MAX, ARG_MIN, MODE -> true;
      default -> isFirst(call) || isLast(call) || isMode(call) || isDiscrete(call);
    };
  }

  private static boolean isFirst(AggregateCall call) {
    return call.getAggregation().equals(OrderedFunctions.FIRST);
  }

  private static boolean isDiscrete(AggregateCall call) {
    return call.getAggregation().equals(OrderedFunctions.QUANTILE_DISC);
  }

  private static boolean isMode(AggregateCall call) {
    return call.getAggregation().equals(OrderedFunctions.MODE);
  }

  private static boolean isLast(AggregateCall call) {
    return call.getAggregation().equals(OrderedFunctions.LAST);
  }

  /** One aggregate; the builder has its input with more and more columns. */
  private static final class Rewrite {
    private final LogicalAggregate aggregate;
    private final RelBuilder builder;
    private final RexBuilder rex;
    private final List<AggregateCall> calls = new ArrayList<>();

    Rewrite(LogicalAggregate aggregate) {
      this.aggregate = aggregate;
      this.builder = Simplification.NONE.create(aggregate.getCluster(), null);
      this.rex = aggregate.getCluster().getRexBuilder();
    }

    RelNode run() {
      if (aggregate.getGroupType() != Aggregate.Group.SIMPLE) {
        throw new AragoniteException(
            ErrorCode.EXPRESSION_UNSUPPORTED,
            "Quantiles, MODE, ARG_MIN, ARG_MAX, FIRST and LAST are not supported with GROUPING"
                + " SETS, ROLLUP or CUBE; group in several queries and combine them by UNION ALL.");
      }
      builder.push(aggregate.getInput());
      List<Integer> places = new ArrayList<>();
      for (AggregateCall call : aggregate.getAggCallList()) {
        places.add(calls.size());
        if (isOrdered(call)) {
          order(call);
        } else {
          calls.add(call);
        }
      }
      RelNode grouped =
          LogicalAggregate.create(
              builder.build(),
              aggregate.getHints(),
              aggregate.getGroupSet(),
              aggregate.getGroupSets(),
              calls);
      builder.push(grouped);
      List<RexNode> columns = new ArrayList<>(builder.fields().subList(0, keys()));
      for (int i = 0; i < places.size(); i++) {
        AggregateCall call = aggregate.getAggCallList().get(i);
        RexNode value = result(call, keys() + places.get(i));
        columns.add(
            rex.ensureType(
                aggregate.getRowType().getFieldList().get(keys() + i).getType(), value, true));
      }
      return builder.project(columns, aggregate.getRowType().getFieldNames(), true).build();
    }

    private int keys() {
      return aggregate.getGroupCount();
    }

    private void order(AggregateCall call) {
      switch (call.getAggregation().getKind()) {
        case PERCENTILE_CONT -> quantile(call);
        case ARG_MIN, ARG_MAX -> extreme(call);
        case MODE -> mode(call);
        default -> {
          if (isDiscrete(call)) {
            quantile(call);
            return;
          }
          if (isMode(call)) {
            mode(call);
            return;
          }
          List<RexNode> orders = new ArrayList<>();
          for (RelFieldCollation key : call.getCollation().getFieldCollations()) {
            orders.add(order(key, isLast(call)));
          }
          numbered(call, field(call.getArgList().get(0)), List.of(), orders);
        }
      }
    }

    private RexNode field(int i) {
      return builder.field(i);
    }

    private RexNode order(RelFieldCollation key, boolean reversed) {
      boolean descending = key.direction.isDescending() != reversed;
      boolean nullsFirst =
          switch (key.nullDirection) {
            case FIRST -> true;
            case LAST -> false;
            default -> key.direction.isDescending();
          };
      RexNode by = field(key.getFieldIndex());
      RexNode order = descending ? builder.desc(by) : by;
      return nullsFirst != reversed ? builder.nullsFirst(order) : builder.nullsLast(order);
    }

    /** Whether a row counts: its FILTER holds, and these are not null. */
    private RexNode counts(AggregateCall call, List<RexNode> notNull) {
      List<RexNode> conditions = new ArrayList<>();
      if (call.hasFilter()) {
        conditions.add(builder.call(SqlStdOperatorTable.IS_TRUE, field(call.filterArg)));
      }
      for (RexNode value : notNull) {
        conditions.add(builder.isNotNull(value));
      }
      return builder.and(conditions);
    }

    /** Adds a column to the input; its place. */
    private int add(RexNode column) {
      List<RexNode> columns = new ArrayList<>(builder.fields());
      columns.add(column);
      builder.project(columns, List.of(), true);
      return columns.size() - 1;
    }

    private List<RexNode> partition(int counts) {
      List<RexNode> partition = new ArrayList<>();
      for (int key : aggregate.getGroupSet()) {
        partition.add(field(key));
      }
      partition.add(field(counts));
      return partition;
    }

    /** Calcite's code counts the rows of the frame. */
    private RexNode number(int counts, List<RexNode> orders) {
      return builder
          .aggregateCall(SqlStdOperatorTable.ROW_NUMBER)
          .over()
          .partitionBy(partition(counts))
          .orderBy(orders)
          .rowsTo(RexWindowBounds.CURRENT_ROW)
          .toRex();
    }

    /** The call of an aggregate over the one row for which a condition holds. */
    private void take(RexNode value, RexNode condition) {
      int argument = add(value);
      int filter = add(builder.call(SqlStdOperatorTable.IS_TRUE, condition));
      RelDataType type =
          aggregate
              .getCluster()
              .getTypeFactory()
              .createTypeWithNullability(field(argument).getType(), true);
      calls.add(
          AggregateCall.create(
              SqlStdOperatorTable.ANY_VALUE,
              false,
              false,
              false,
              List.of(),
              List.of(argument),
              filter,
              null,
              RelCollations.EMPTY,
              type,
              null));
    }

    private void numbered(
        AggregateCall call, RexNode value, List<RexNode> notNull, List<RexNode> orders) {
      int counts = add(counts(call, notNull));
      int number = add(number(counts, orders));
      take(value, builder.and(field(counts), builder.equals(field(number), builder.literal(1))));
    }

    private void extreme(AggregateCall call) {
      RexNode value = field(call.getArgList().get(0));
      RexNode by = field(call.getArgList().get(1));
      boolean most = call.getAggregation().getKind() == SqlKind.ARG_MAX;
      numbered(call, value, List.of(value, by), List.of(most ? builder.desc(by) : by));
    }

    /**
     * Of values that are equally frequent the least, or the first in an order. Arguments behind the
     * value are the parts that it is compared by.
     */
    private void mode(AggregateCall call) {
      int argument = call.getArgList().get(0);
      int counts = add(counts(call, List.of(field(argument))));
      int all = call.getArgList().size();
      List<Integer> parts = call.getArgList().subList(all > 1 ? 1 : 0, all);
      List<RexNode> same = new ArrayList<>(partition(counts));
      parts.forEach(part -> same.add(field(part)));
      int frequency =
          add(
              builder
                  .aggregateCall(SqlStdOperatorTable.COUNT)
                  .over()
                  .partitionBy(same)
                  .rowsUnbounded()
                  .toRex());
      List<RexNode> orders = new ArrayList<>(List.of(builder.desc(field(frequency))));
      for (RelFieldCollation key : call.getCollation().getFieldCollations()) {
        orders.add(order(key, false));
      }
      parts.forEach(part -> orders.add(builder.nullsLast(field(part))));
      int number = add(number(counts, orders));
      take(
          field(argument),
          builder.and(field(counts), builder.equals(field(number), builder.literal(1))));
    }

    private void quantile(AggregateCall call) {
      RelFieldCollation key = call.getCollation().getFieldCollations().get(0);
      int argument = key.getFieldIndex();
      boolean continuous = !isDiscrete(call);
      int counts = add(counts(call, List.of(field(argument))));
      int number = add(number(counts, List.of(order(key, false))));
      int rows =
          add(
              builder
                  .aggregateCall(SqlStdOperatorTable.COUNT)
                  .over()
                  .partitionBy(partition(counts))
                  .rowsUnbounded()
                  .toRex());
      RexNode share = field(call.getArgList().get(continuous ? 0 : 1));
      RexNode one = builder.literal(BigDecimal.ONE);
      if (!continuous) {
        int place =
            add(
                builder.call(
                    SqlStdOperatorTable.CEIL,
                    builder.call(SqlStdOperatorTable.MULTIPLY, share, field(rows))));
        RexNode first =
            builder.and(
                builder.equals(field(number), builder.literal(1)),
                builder.call(SqlStdOperatorTable.LESS_THAN, field(place), one));
        take(
            field(argument),
            builder.and(
                field(counts), builder.or(first, builder.equals(field(number), field(place)))));
        return;
      }
      int place =
          add(
              builder.call(
                  SqlStdOperatorTable.MULTIPLY,
                  share,
                  builder.call(SqlStdOperatorTable.MINUS, field(rows), one)));
      int before = add(builder.call(SqlStdOperatorTable.FLOOR, field(place)));
      int behind = add(builder.call(SqlStdOperatorTable.CEIL, field(place)));
      RexNode at = builder.call(SqlStdOperatorTable.MINUS, field(number), one);
      RexNode lower = builder.and(field(counts), builder.equals(at, field(before)));
      RexNode upper = builder.and(field(counts), builder.equals(at, field(behind)));
      take(asDouble(argument), lower);
      take(asDouble(argument), upper);
      take(
          rex.makeCast(
              nullableDouble(),
              builder.call(SqlStdOperatorTable.MINUS, field(place), field(before)),
              true),
          lower);
    }

    private RelDataType nullableDouble() {
      return aggregate
          .getCluster()
          .getTypeFactory()
          .createTypeWithNullability(
              aggregate.getCluster().getTypeFactory().createSqlType(SqlTypeName.DOUBLE), true);
    }

    private RexNode asDouble(int field) {
      RexNode value = field(field);
      if (!SqlTypeName.NUMERIC_TYPES.contains(value.getType().getSqlTypeName())) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "MEDIAN and continuous quantiles are of numbers, not of %s; QUANTILE_DISC and PERCENTILE_DISC take any type."
                .formatted(value.getType().getSqlTypeName()));
      }
      return rex.makeCast(nullableDouble(), value, true);
    }

    /** What a call is in the columns of the plain aggregate, of which its own begin at a place. */
    private RexNode result(AggregateCall call, int place) {
      RexNode value = RexInputRef.of(place, builder.peek().getRowType());
      if (call.getAggregation().getKind() != SqlKind.PERCENTILE_CONT) {
        return value;
      }
      RexNode upper = builder.field(place + 1);
      RexNode part = builder.field(place + 2);
      RexNode between = builder.call(SqlStdOperatorTable.MINUS, upper, value);
      RexNode zero = builder.literal(BigDecimal.ZERO);
      // As RowAggregates: infinity less infinity is no number.
      return builder.call(
          SqlStdOperatorTable.CASE,
          builder.or(builder.equals(part, zero), builder.equals(value, upper)),
          value,
          builder.call(
              SqlStdOperatorTable.GREATER_THAN,
              between,
              rex.makeApproxLiteral(BigDecimal.valueOf(Double.MAX_VALUE))),
          plus(
              times(value, builder.call(SqlStdOperatorTable.MINUS, builder.literal(1), part)),
              times(upper, part)),
          plus(value, times(between, part)));
    }

    private RexNode plus(RexNode left, RexNode right) {
      return builder.call(SqlStdOperatorTable.PLUS, left, right);
    }

    private RexNode times(RexNode left, RexNode right) {
      return builder.call(SqlStdOperatorTable.MULTIPLY, left, right);
    }
  }
}
