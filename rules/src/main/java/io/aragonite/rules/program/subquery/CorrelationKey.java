package io.aragonite.rules.program.subquery;

import org.apache.calcite.rex.RexNode;

/**
 * What a right side of a dependent join depends on: an expression over the outer row. Compared by
 * identity.
 */
final class CorrelationKey {
  private final RexNode outer;

  /**
   * @param outer over the columns of the outer side, as input references
   */
  CorrelationKey(RexNode outer) {
    this.outer = outer;
  }

  RexNode outer() {
    return outer;
  }
}
