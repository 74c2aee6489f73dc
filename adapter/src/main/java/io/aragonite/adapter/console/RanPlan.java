package io.aragonite.adapter.console;

import io.aragonite.adapter.catalog.GrantedTable;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.adapter.explain.ExplainText;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.rules.runtime.GpuQuery;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The plan of a run, with what the engine has counted. */
record RanPlan(PreparedPlan plan, Map<GpuQuery, QueryMetrics> metrics) {
  private static final Logger LOG = LoggerFactory.getLogger(RanPlan.class);

  /** That of a run; null if it has none yet. */
  static @Nullable RanPlan of(Execution run) {
    PreparedPlan plan = run.plan();
    return plan == null ? null : new RanPlan(plan, run.metrics());
  }

  /** Whether it reads a table of which its user does not see all rows, which it would tell of. */
  boolean hidesRows() {
    return GrantedTable.isPartlyHidden(plan.root().rel);
  }

  /** The plan as JSON; null if it cannot be told, since its connection is closed for one. */
  @Nullable String json(long nanos, long rows) {
    try {
      return ExplainText.ofRun(plan, nanos, rows, metrics);
    } catch (RuntimeException | StackOverflowError e) {
      LOG.debug("a plan was not told", e);
      return null;
    }
  }
}
