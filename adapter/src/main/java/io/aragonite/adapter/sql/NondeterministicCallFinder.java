package io.aragonite.adapter.sql;

import io.aragonite.rules.rel.CteTable;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;

/** Finds calls such as CURRENT_DATE or RAND, whose value is another one each time. */
public final class NondeterministicCallFinder extends RelHomogeneousShuttle {
  private final boolean moments;
  private boolean found;

  private final RexShuttle expressions =
      new RexShuttle() {
        @Override
        public RexNode visitCall(RexCall call) {
          if (moments && call.getOperator().isDynamicFunction()
              || !call.getOperator().isDeterministic()) {
            found = true;
          }
          return super.visitCall(call);
        }

        @Override
        public RexNode visitSubQuery(RexSubQuery subQuery) {
          subQuery.rel.accept(NondeterministicCallFinder.this);
          return super.visitSubQuery(subQuery);
        }
      };

  private NondeterministicCallFinder(boolean moments) {
    this.moments = moments;
  }

  public static boolean dependsOnMoment(RelNode rel) {
    return has(rel, true);
  }

  /** Whether a call in it has another value each time within a statement, too. */
  public static boolean isRandom(RelNode rel) {
    return has(rel, false);
  }

  private static boolean has(RelNode rel, boolean moments) {
    NondeterministicCallFinder finder = new NondeterministicCallFinder(moments);
    RelNode _ = rel.accept(finder);
    return finder.found;
  }

  @Override
  public RelNode visit(RelNode other) {
    CteTable cte = CteTable.of(other);
    if (cte != null) {
      cte.rows().accept(this);
    }
    other.accept(expressions);
    return super.visit(other);
  }
}
