package io.aragonite.adapter.execution;

import io.aragonite.adapter.parameter.ParameterValue;
import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.linq4j.Enumerable;

/**
 * A statement that runs by the plan of another one, which differs in literals alone: to whoever
 * looks at it it has no parameters.
 */
public final class LiteralSignature<T> extends ExecutionSignature<T> {
  private final List<ParameterValue> values;

  /**
   * @param sql the statement
   * @param shared with parameters in the place of literals
   * @param values of the parameters
   */
  public LiteralSignature(String sql, ExecutionSignature<T> shared, List<ParameterValue> values) {
    super(sql, List.of(), shared, shared.plan());
    this.values = values;
  }

  @Override
  public Enumerable<T> enumerable(DataContext dataContext, Execution execution) {
    execution.parameters().set(values);
    return super.enumerable(dataContext, execution);
  }
}
