package io.aragonite.adapter.execution;

import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.avatica.AvaticaParameter;
import org.apache.calcite.jdbc.CalcitePrepare.CalciteSignature;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.EnumerableDefaults;
import org.jspecify.annotations.Nullable;

/**
 * A prepared statement whose rows belong to the {@link Execution} under which they are asked for.
 * It can be run any number of times, by several statements at once.
 */
public class ExecutionSignature<T> extends CalciteSignature<T> {
  private final CalciteSignature<T> signature;
  private final @Nullable PreparedPlan plan;

  /**
   * @param plan null for statements that have none (DDL, EXPLAIN, Calcite's shortcuts)
   */
  public ExecutionSignature(CalciteSignature<T> signature, @Nullable PreparedPlan plan) {
    this(signature.sql, signature.parameters, signature, plan);
  }

  /**
   * @param sql the text
   * @param parameters that whoever runs it gives values
   */
  ExecutionSignature(
      String sql,
      List<AvaticaParameter> parameters,
      CalciteSignature<T> signature,
      @Nullable PreparedPlan plan) {
    super(
        sql,
        parameters,
        signature.internalParameters,
        signature.rowType,
        RawArrayType.raw(signature.columns, signature.rowType),
        signature.cursorFactory,
        signature.rootSchema,
        signature.getCollationList(),
        -1,
        null,
        signature.statementType);
    this.signature = signature;
    this.plan = plan;
  }

  @Nullable
  public PreparedPlan plan() {
    return plan;
  }

  @Override
  public Enumerable<T> enumerable(DataContext dataContext) {
    Execution current = Execution.current();
    Execution execution = current != null ? current : new Execution(null);
    Enumerable<T> rows = enumerable(dataContext, execution);
    // Calcite itself forgets the limit of prepared statements.
    RowWatch<T> watched =
        new RowWatch<>(
            execution.delivered().most() == Long.MAX_VALUE
                ? rows
                : EnumerableDefaults.take(rows, execution.delivered().most()),
            execution);
    execution.result(plan == null ? null : plan.query(), columns, rowType, watched);
    return watched;
  }

  /** The rows, where they are not what the statement answers. */
  public Enumerable<T> enumerable(DataContext dataContext, Execution execution) {
    if (plan != null) {
      execution.reads(plan);
    }
    return signature.enumerable(new ExecutionContext(dataContext, execution));
  }
}
