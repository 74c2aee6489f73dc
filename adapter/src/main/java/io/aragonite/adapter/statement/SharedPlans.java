package io.aragonite.adapter.statement;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.LiteralSignature;
import io.aragonite.adapter.parameter.ParameterValue;
import io.aragonite.adapter.sql.LiteralMarkers.Marked;
import io.aragonite.adapter.sql.StatementShape;
import io.aragonite.adapter.statement.PlanCache.CachedPlan;
import io.aragonite.adapter.statement.PlanCache.PlanKey;
import io.aragonite.adapter.statement.QueryShapes.KnownShape;
import java.util.List;
import org.apache.calcite.jdbc.CalciteSchema;
import org.jspecify.annotations.Nullable;

/**
 * Plans that queries use which differ in literals alone (auto-parameterization). The first query of
 * a shape is planned as it is written; the second makes a plan with parameters, by which all others
 * run. Whatever is not sure to mean the same so is planned as it is written.
 */
final class SharedPlans {
  private final Session session;
  private final CalciteSchema root;

  /** Makes a plan with parameters. */
  interface SharedPlanner {
    /**
     * @return null if the plan cannot be used again
     */
    @Nullable CachedPlan plan(LiteralSharing sharing);
  }

  /**
   * @param root the schemas as the statement sees them
   */
  SharedPlans(Session session, CalciteSchema root) {
    this.session = session;
    this.root = root;
  }

  /**
   * A query by the plan of its shape.
   *
   * @param key of the query as it is written
   * @return null if it is to be planned as it is written
   */
  @Nullable LiteralSignature<?> find(PlanKey key, SharedPlanner planner) {
    StatementShape shape = StatementShape.of(key.sql());
    if (shape == null) {
      return null;
    }
    String text = shape.text(StatementShape.ALL);
    KnownShape met = session.shapes().meet(text);
    if (met == null || met.marked().literals() == 0) {
      return null;
    }
    Marked marked = met.marked();
    if (!met.equals(QueryShapes.UNTRIED)) {
      List<ParameterValue> values = marked.values(shape);
      if (!ParameterRange.hold(met.ranges(), values)) {
        return null;
      }
      CachedPlan known =
          session.plans().get(key.shared(shape.text(marked.literals()), values), root);
      if (known != null) {
        return known(known, key.sql(), text, values);
      }
    }
    return made(key, text, new LiteralSharing(shape, marked.literals()), planner);
  }

  private @Nullable LiteralSignature<?> known(
      CachedPlan plan, String sql, String shape, List<ParameterValue> values) {
    if (plan.isSlow()) {
      session.shapes().put(shape, QueryShapes.UNSHARED);
      return null;
    }
    if (!ParameterRange.hold(plan.ranges(), values)) {
      return null;
    }
    session.counts().shared();
    return new LiteralSignature<>(sql, plan.signature(), values);
  }

  private @Nullable LiteralSignature<?> made(
      PlanKey key, String shape, LiteralSharing sharing, SharedPlanner planner) {
    CachedPlan plan = null;
    KnownShape met = QueryShapes.UNSHARED;
    try {
      plan = planner.plan(sharing);
      met = plan == null ? met : new KnownShape(sharing.marked(), sharing.ranges());
    } catch (RuntimeException | AssertionError e) {
      Execution execution = Execution.current();
      if (execution != null) {
        execution.check();
      }
      // Any other error is that of the query as it is written, or is none.
      met = sharing.isGivenUp() ? sharing.known() : met;
    }
    session.shapes().put(shape, met);
    if (plan == null) {
      return null;
    }
    session.plans().put(key.shared(sharing.text(), sharing.values()), plan);
    return new LiteralSignature<>(key.sql(), plan.signature(), sharing.values());
  }
}
