package io.aragonite.adapter.execution;

import io.aragonite.rules.translate.DelegatingDataContext;
import java.time.Duration;
import org.apache.calcite.DataContext;
import org.jspecify.annotations.Nullable;

/** A data context that knows its run: its stop flag and its time left take Avatica's place. */
public record ExecutionContext(DataContext context, Execution execution)
    implements DelegatingDataContext {
  @Override
  public @Nullable Object get(String name) {
    if (name.equals(Execution.KEY)) {
      return execution;
    }
    if (name.equals(Variable.CANCEL_FLAG.camelName)) {
      return execution.stopFlag();
    }
    if (name.equals(Variable.TIMEOUT.camelName)) {
      Duration left = execution.remaining();
      // Rounded up: the engine's time is not over before the statement's, whose limit errors name.
      return left == null ? null : left.toMillis() + 1;
    }
    if (execution.user() != null
        && (name.equals(Variable.USER.camelName) || name.equals(Variable.SYSTEM_USER.camelName))) {
      return execution.user();
    }
    return execution.parameters().has(name)
        ? execution.parameters().value(name)
        : context.get(name);
  }
}
