package io.aragonite.rules.translate;

import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.HostAggregate;
import io.aragonite.rules.function.ArrayAggFunction;
import io.aragonite.rules.function.RowAggregates;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.adapter.enumerable.RexImpTable;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Window;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlAggFunction;

/** Aggregates that only the host can compute, through Calcite's own implementations. */
final class HostAggregateTranslation {
  private HostAggregateTranslation() {}

  /**
   * The call as a host aggregate over its arguments, then the columns of its WITHIN GROUP.
   *
   * @throws Untranslatable if Calcite has no implementation either
   */
  static AggregateCall translate(
      org.apache.calcite.rel.core.AggregateCall call, Aggregate aggregate) {
    String name = call.getAggregation().getName();
    if (call.getAggregation().equals(ArrayAggFunction.ARRAY_AGG)) {
      RelDataType type = types(aggregate, call.getArgList()).getFirst();
      return inOrder(call, new ListAggregate(type, call.ignoreNulls(), call.isDistinct()));
    }
    HostAggregate joined =
        JoinedTexts.of(
            call.getAggregation(), types(aggregate, call.getArgList()), call.isDistinct());
    if (joined != null) {
      return inOrder(call, joined);
    }
    List<Integer> columns = new ArrayList<>(call.getArgList());
    List<RelFieldCollation> order = new ArrayList<>();
    for (RelFieldCollation field : call.getCollation().getFieldCollations()) {
      int place = columns.indexOf(field.getFieldIndex());
      if (place < 0) {
        place = columns.size();
        columns.add(field.getFieldIndex());
      }
      order.add(field.withFieldIndex(place));
    }
    List<RelDataType> types = types(aggregate, columns);
    HostAggregate own = call.isDistinct() ? null : RowAggregates.of(call.getAggregation(), types);
    if (own == null) {
      requireImplementation(call.getAggregation());
    }
    RelCollation collation = RelCollations.of(order);
    HostAggregate host =
        own != null
            ? own
            : new CalciteHostAggregate(aggregate.getCluster(), call, types, collation);
    return new AggregateCall(
        null,
        host,
        name,
        columns,
        false,
        call.filterArg,
        List.of(),
        TypeMapping.of(call.getType()));
  }

  private static List<RelDataType> types(Aggregate aggregate, List<Integer> columns) {
    return columns.stream()
        .map(column -> aggregate.getInput().getRowType().getFieldList().get(column).getType())
        .toList();
  }

  /** The engine orders the rows. */
  private static AggregateCall inOrder(
      org.apache.calcite.rel.core.AggregateCall call, HostAggregate host) {
    return new AggregateCall(
        null,
        host,
        call.getAggregation().getName(),
        call.getArgList(),
        false,
        call.filterArg,
        Collations.keys(call.getCollation()),
        TypeMapping.of(call.getType()));
  }

  /** The call over a window's frames as a host aggregate over its arguments. */
  static AggregateCall translate(
      Window window, Window.RexWinAggCall call, List<Integer> args, List<RelDataType> types) {
    SqlAggFunction function = (SqlAggFunction) call.getOperator();
    HostAggregate host = call.distinct ? null : RowAggregates.of(function, types);
    HostAggregate joined = JoinedTexts.of(function, types, call.distinct);
    if (joined != null) {
      host = joined;
    } else if (function.equals(ArrayAggFunction.ARRAY_AGG)
        || function.equals(ArrayAggFunction.ARRAY_AGG_IF)) {
      host = new ListAggregate(types.get(0), call.ignoreNulls, call.distinct);
    } else if (host == null) {
      requireImplementation(function);
      host =
          new CalciteHostAggregate(
              window.getCluster(), plain(function, call, args), types, RelCollations.EMPTY);
    }
    return new AggregateCall(
        null, host, function.getName(), args, false, -1, List.of(), TypeMapping.of(call.getType()));
  }

  private static org.apache.calcite.rel.core.AggregateCall plain(
      SqlAggFunction function, Window.RexWinAggCall call, List<Integer> args) {
    return org.apache.calcite.rel.core.AggregateCall.create(
        function,
        call.distinct,
        false,
        call.ignoreNulls,
        List.of(),
        IntStream.range(0, args.size()).boxed().toList(),
        -1,
        null,
        RelCollations.EMPTY,
        call.getType(),
        function.getName());
  }

  private static void requireImplementation(SqlAggFunction function) {
    if (RexImpTable.INSTANCE.get(function, false) == null) {
      throw new Untranslatable(
          "aggregate function %s has no implementation, in Calcite neither"
              .formatted(function.getName()));
    }
  }
}
