package io.aragonite.rules.program;

import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rex.RexLiteral;

/** Filters that no row passes become empty relations. */
final class FalseFilters extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    return other instanceof Filter filter
            && (filter.getCondition().isAlwaysFalse()
                || RexLiteral.isNullLiteral(filter.getCondition()))
        ? LogicalValues.createEmpty(filter.getCluster(), filter.getRowType())
        : super.visit(other);
  }
}
