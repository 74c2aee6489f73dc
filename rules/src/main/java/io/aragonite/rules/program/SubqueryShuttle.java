package io.aragonite.rules.program;

import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;

/** A rewriting of a tree that comes to the subqueries in its expressions, too. */
abstract class SubqueryShuttle extends RelHomogeneousShuttle {
  private final RexShuttle subqueries =
      new RexShuttle() {
        @Override
        public RexNode visitSubQuery(RexSubQuery query) {
          RexSubQuery call = (RexSubQuery) super.visitSubQuery(query); // its operands' subqueries
          return call.clone(call.rel.accept(SubqueryShuttle.this));
        }
      };

  @Override
  public final RelNode visit(RelNode other) {
    return rewritten(super.visit(other).accept(subqueries));
  }

  /** A node whose inputs and subqueries have been rewritten. */
  abstract RelNode rewritten(RelNode rel);
}
