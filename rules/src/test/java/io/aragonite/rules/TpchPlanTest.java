package io.aragonite.rules;

import io.aragonite.rules.testing.TpchPlanner;
import io.aragonite.tpch.TpchQuery;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.sql.SqlExplainLevel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TpchPlanTest {
  private static final TpchPlanner PLANNER = new TpchPlanner();

  @ParameterizedTest
  @MethodSource("io.aragonite.tpch.TpchQuery#all")
  void plans(TpchQuery query) {
    StringBuilder times = new StringBuilder();
    TpchPlanner.Plan plan = null;
    for (int i = 0; i < 10; i++) {
      long start = System.nanoTime();
      plan = PLANNER.plan(query.sql());
      long millis = (System.nanoTime() - start) / 1_000_000;
      times.append(' ').append(millis);
    }
    System.out.println(query + times.toString() + " ms " + plan.reasons());
    System.out.println(RelOptUtil.toString(plan.physical(), SqlExplainLevel.ALL_ATTRIBUTES));
  }
}
