package io.aragonite.rules.translate;

import io.aragonite.exec.plan.AggregateCall;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.adapter.enumerable.RexImpTable;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.type.RelDataType;

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
    if (RexImpTable.INSTANCE.get(call.getAggregation(), false) == null) {
      throw new Untranslatable(
          "aggregate function %s has no implementation, in Calcite neither".formatted(name));
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
    List<RelDataType> types =
        columns.stream()
            .map(column -> aggregate.getInput().getRowType().getFieldList().get(column).getType())
            .toList();
    RelCollation collation = RelCollations.of(order);
    CalciteHostAggregate host =
        new CalciteHostAggregate(aggregate.getCluster(), call, types, collation);
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
}
