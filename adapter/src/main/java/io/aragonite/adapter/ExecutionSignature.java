package io.aragonite.adapter;

import org.apache.calcite.DataContext;
import org.apache.calcite.jdbc.CalcitePrepare.CalciteSignature;
import org.apache.calcite.linq4j.Enumerable;
import org.jspecify.annotations.Nullable;

/**
 * A prepared statement whose rows belong to the {@link Execution} under which they are asked for.
 * It can be run any number of times, by several statements at once.
 */
class ExecutionSignature<T> extends CalciteSignature<T> {
  private final CalciteSignature<T> signature;
  private final @Nullable PreparedPlan plan;
  private final boolean limited;

  /**
   * @param plan null for statements that have none (DDL, EXPLAIN, Calcite's shortcuts)
   * @param limited whether the rows end before the plan's, for the statement wants no more
   */
  ExecutionSignature(CalciteSignature<T> signature, @Nullable PreparedPlan plan, boolean limited) {
    super(
        signature.sql,
        signature.parameters,
        signature.internalParameters,
        signature.rowType,
        signature.columns,
        signature.cursorFactory,
        signature.rootSchema,
        signature.getCollationList(),
        -1,
        null,
        signature.statementType);
    this.signature = signature;
    this.plan = plan;
    this.limited = limited;
  }

  @Nullable PreparedPlan plan() {
    return plan;
  }

  @Override
  public Enumerable<T> enumerable(DataContext dataContext) {
    Execution current = Execution.current();
    Execution execution = current != null ? current : new Execution(null);
    if (plan != null && plan.query() != null) {
      execution.wholeQuery(plan.query(), limited ? null : columns);
    }
    return enumerable(dataContext, execution);
  }

  /** The rows, where they are not what the statement answers. */
  Enumerable<T> enumerable(DataContext dataContext, Execution execution) {
    return signature.enumerable(new ExecutionContext(dataContext, execution));
  }
}
