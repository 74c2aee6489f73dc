package io.aragonite.adapter;

import java.lang.reflect.Method;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A result: polls the run's stop flag, ends the run when it is closed, offers Arrow columns. */
final class ResultSetGuard extends JdbcGuard<ResultSet> {
  private final @Nullable Statement statement;
  private final Execution execution;
  private boolean moved;
  private @Nullable ArrowResult arrow;

  /**
   * @param statement what {@link ResultSet#getStatement} returns, null to leave it to the target
   */
  ResultSetGuard(ResultSet target, @Nullable Statement statement, Execution execution) {
    super(ResultSet.class, target);
    this.statement = statement;
    this.execution = execution;
  }

  @Override
  @Nullable Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    switch (method.getName()) {
      case "next":
        moved = true;
        execution.check();
        return forward(method, args);
      case "close":
        try {
          return forward(method, args);
        } finally {
          execution.close();
        }
      case "getStatement":
        return statement != null ? statement : forward(method, args);
      case "unwrap":
        if (args != null && args[0] == ArrowResult.class) {
          return arrow();
        }
        return forward(method, args);
      case "isWrapperFor":
        return args != null && args[0] == ArrowResult.class
            || (boolean) forwardNonNull(method, args);
      default:
        return forward(method, args);
    }
  }

  private Object forwardNonNull(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    return java.util.Objects.requireNonNull(forward(method, args));
  }

  /** The result as columns; it can be taken once, before the first row is read. */
  ArrowResult arrow() {
    if (arrow == null) {
      arrow = ArrowResults.of(execution, target, moved);
    }
    return arrow;
  }

  @Override
  SQLException mapped(Throwable error) {
    var ended = execution.ended();
    return SqlErrors.of(ended != null ? ended : error);
  }
}
