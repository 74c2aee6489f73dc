package io.aragonite.adapter;

import java.lang.reflect.Method;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
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
      // What is called for every row does without reflection.
      case "next":
        moved = true;
        execution.check();
        return target.next();
      case "close":
        try {
          return forward(method, args);
        } finally {
          execution.close();
        }
      case "getMetaData":
        return new ColumnsGuard(Objects.requireNonNull((ResultSetMetaData) forward(method, args)))
            .proxy();
      case "getObject":
        if (args != null && args.length == 1 && args[0] instanceof Integer column) {
          return target.getObject(column);
        }
        return args != null && args.length == 2 && args[1] instanceof Class<?> type
            ? JavaValues.get(target, column(args[0]), type)
            : forward(method, args);
      case "getNString":
        return target.getString(column(args == null ? null : args[0]));
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

  private int column(@Nullable Object name) throws SQLException {
    return name instanceof Integer number ? number : target.findColumn(String.valueOf(name));
  }

  private Object forwardNonNull(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    return Objects.requireNonNull(forward(method, args));
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
