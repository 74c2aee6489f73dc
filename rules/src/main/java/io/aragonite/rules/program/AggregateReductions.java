package io.aragonite.rules.program;

import java.util.EnumSet;
import java.util.Set;
import org.apache.calcite.plan.RelOptRule;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.rules.AggregateReduceFunctionsRule;
import org.apache.calcite.sql.SqlKind;

/** Composes averages, variances and regressions of counts and sums; sums stay what they are. */
final class AggregateReductions {
  static final RelOptRule RULE =
      AggregateReduceFunctionsRule.Config.DEFAULT
          .withOperandFor(LogicalAggregate.class)
          .withFunctionsToReduce(functions())
          .toRule();

  private AggregateReductions() {}

  private static Set<SqlKind> functions() {
    Set<SqlKind> kinds = EnumSet.copyOf(SqlKind.AVG_AGG_FUNCTIONS);
    kinds.addAll(SqlKind.COVAR_AVG_AGG_FUNCTIONS);
    return kinds;
  }
}
