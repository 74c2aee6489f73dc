package io.aragonite.rules.rel;

import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.translate.GpuRelImplementor;
import java.util.Collections;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/** COUNT(*) over a multi-predicate join, whose rows are counted without being made. */
final class RowCounting {
  private RowCounting() {}

  /** The plan, null if the aggregate is another one. */
  static @Nullable PhysicalPlan of(GpuAggregate aggregate, GpuRelImplementor implementor) {
    boolean counts =
        aggregate.getGroupSet().isEmpty()
            && aggregate.getGroupSets().size() == 1
            && !aggregate.getAggCallList().isEmpty()
            && aggregate.getAggCallList().stream()
                .allMatch(call ->
                    call.getAggregation().kind == SqlKind.COUNT
                        && call.getArgList().isEmpty()
                        && call.filterArg < 0
                        && !call.isDistinct());
    GpuMultiwayJoin join = counts ? join(aggregate.getInput()) : null;
    if (join == null) {
      return null;
    }
    int calls = aggregate.getAggCallList().size();
    AggregateCall sum = AggregateCall.of(AggregateFunction.SUM0, DataType.INT64, 0);
    return new PhysicalPlan.Aggregate(
        join.implementCounting(implementor),
        List.of(),
        List.of(List.of()),
        Collections.nCopies(calls, sum),
        false,
        Collections.nCopies(calls, DataType.INT64));
  }

  /** The join whose rows, one for one, a node's are; null if there is none. */
  private static @Nullable GpuMultiwayJoin join(RelNode rel) {
    return switch (rel) {
      case GpuMultiwayJoin join -> join;
      case GpuProject project -> join(project.getInput());
      default -> null;
    };
  }
}
