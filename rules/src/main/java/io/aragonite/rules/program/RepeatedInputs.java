package io.aragonite.rules.program;

import io.aragonite.rules.rel.CteTable;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalAggregate;

/**
 * Has the input of {@link ShiftedVariances}, which read it more than once, be made once where it
 * would have other values each time ({@code random()}, {@code nextval}), or where it is read for
 * each of several sets of keys and is more than the rows of a table.
 */
final class RepeatedInputs extends SubqueryShuttle {
  @Override
  RelNode rewritten(RelNode rel) {
    return rel instanceof LogicalAggregate aggregate
            && ShiftedVariances.readsTwice(aggregate)
            && isMadeOnce(aggregate)
        ? aggregate.copy(
            aggregate.getTraitSet(),
            List.of(CteTable.repeated("aggregated rows", aggregate.getInput())))
        : rel;
  }

  private static boolean isMadeOnce(LogicalAggregate aggregate) {
    return switch (MaterializedCtes.reading(aggregate.getInput())) {
      case MADE_ONCE -> true;
      case ONE_PLACE -> false;
      case ANEW ->
          !Aggregate.isSimple(aggregate)
              && !isCheap(aggregate.getInput())
              && MaterializedCtes.isIndependent(aggregate.getInput());
    };
  }

  private static boolean isCheap(RelNode rel) {
    return rel.getInputs().isEmpty()
        || (rel instanceof Project || rel instanceof Filter) && isCheap(rel.getInput(0));
  }
}
