package io.aragonite.adapter;

import java.lang.reflect.Method;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.avatica.AvaticaResultSet;
import org.apache.calcite.avatica.ColumnMetaData;
import org.jspecify.annotations.Nullable;

/** A result: polls the run's stop flag, ends the run when it is closed, offers Arrow columns. */
final class ResultSetGuard extends JdbcGuard<ResultSet> {
  private final @Nullable Statement statement;
  private final Execution execution;
  private final Closing whenClosed;
  private final ResultSet rows;
  private boolean moved;
  private volatile boolean closed;
  private @Nullable ColumnCursor cursor;
  private @Nullable ArrowResult arrow;

  /**
   * @param statement what {@link ResultSet#getStatement} returns, null to leave it to the target
   * @param whenClosed told when the result has been closed
   */
  ResultSetGuard(
      ResultSet target, @Nullable Statement statement, Execution execution, Closing whenClosed) {
    super(ResultSet.class, target);
    this.statement = statement;
    this.execution = execution;
    this.whenClosed = whenClosed;
    rows = GuardedResultSet.of(this, super.proxy());
  }

  @Override
  ResultSet proxy() {
    return rows;
  }

  @Override
  @Nullable Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    switch (method.getName()) {
      case "close":
        close();
        return null;
      case "getMetaData":
        return new ColumnsGuard(Objects.requireNonNull((ResultSetMetaData) forward(method, args)))
            .proxy();
      case "getObject":
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

  /** What else is done when a result has been closed. */
  interface Closing {
    void closed() throws SQLException;
  }

  /** Another thread that reads leaves before the memory of the rows goes. */
  private void close() throws SQLException {
    closed = true;
    try {
      target.close();
    } finally {
      execution.close();
      whenClosed.closed();
    }
  }

  /** Moves to the next row. */
  boolean next() throws SQLException {
    execution.check();
    if (!moved) {
      readColumns();
      moved = true; // not before: a failure is that of every later call too
    }
    return target.next();
  }

  /** The present row's value in a column, from 1. */
  @Nullable Object value(int column) throws SQLException {
    Object plain = cursor == null ? null : cursor.plain(column);
    return plain == null ? target.getObject(column) : plain;
  }

  /** Has the target read the engine's columns, if they are the whole result. */
  private void readColumns() throws SQLException {
    TrackedResult result = execution.deviceResult();
    // Somebody who unwrapped the target may have moved it: it reads on where it is.
    if (result != null
        && target instanceof AvaticaResultSet avatica
        && avatica.isBeforeFirst()
        && !avatica.isAfterLast()) {
      List<ColumnMetaData> columns = execution.columns();
      cursor = new ColumnCursor(result, columns, execution.maxRows());
      avatica.execute2(cursor, columns);
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
  ArrowResult arrow() throws SQLException {
    if (arrow == null) {
      arrow = ArrowResults.of(execution, target, moved || !target.isBeforeFirst());
    }
    return arrow;
  }

  @Override
  SQLException mapped(Throwable error) {
    var ended = execution.ended();
    if (ended == null && (closed || execution.closed())) {
      return SqlErrors.ofClosed(error, "The result is closed.");
    }
    return SqlErrors.of(ended != null ? ended : error);
  }
}
