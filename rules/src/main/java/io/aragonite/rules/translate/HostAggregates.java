package io.aragonite.rules.translate;

import io.aragonite.exec.plan.AggregateCall;
import org.apache.calcite.rel.type.RelDataType;

/** Aggregates that only the host can compute, through Calcite's own implementations. */
final class HostAggregates {
  private HostAggregates() {}

  static AggregateCall translate(
      org.apache.calcite.rel.core.AggregateCall call, RelDataType inputRow) {
    throw new Untranslatable("aggregate function " + call.getAggregation().getName());
  }
}
