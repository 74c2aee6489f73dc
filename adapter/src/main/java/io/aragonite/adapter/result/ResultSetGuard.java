package io.aragonite.adapter.result;

import io.aragonite.adapter.error.JdbcGuard;
import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.TrackedResult;
import io.aragonite.adapter.metadata.ColumnsGuard;
import io.aragonite.exec.limit.StopCheck;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.RoundingMode;
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
public final class ResultSetGuard extends JdbcGuard<ResultSet> {
  private final @Nullable Statement statement;
  private final Execution execution;
  private final Closing whenClosed;
  private final ResultSet rows;
  private final ColumnGetters getters;
  private boolean moved;
  private volatile boolean closed;
  private @Nullable ColumnCursor cursor;
  private @Nullable ArrowResult arrow;

  /**
   * @param statement what {@link ResultSet#getStatement} returns, null to leave it to the target
   * @param whenClosed told when the result has been closed
   */
  public ResultSetGuard(
      ResultSet target, @Nullable Statement statement, Execution execution, Closing whenClosed) {
    super(ResultSet.class, target);
    this.statement = statement;
    this.execution = execution;
    getters = new ColumnGetters(target);
    this.whenClosed = whenClosed;
    rows = GuardedResultSet.of(this, super.proxy());
  }

  /** How numbers are read. */
  ColumnGetters getters() {
    return getters;
  }

  @Override
  public ResultSet proxy() {
    return rows;
  }

  @Override
  @Nullable
  public Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    switch (method.getName()) {
      case "close":
        close();
        return null;
      case "getMetaData":
        return new ColumnsGuard(Objects.requireNonNull((ResultSetMetaData) forward(method, args)))
            .proxy();
      case "getObject":
        return args != null && args.length == 2 && args[1] instanceof Class<?> type
            ? JavaValues.get(rows, column(args[0]), type)
            : forward(method, args);
      case "getByte", "getShort", "getInt", "getLong", "getFloat", "getDouble", "getBoolean":
        return number(method.getName(), column(args == null ? null : args[0]));
      case "getString", "getNString":
        return getters.getString(column(args == null ? null : args[0]));
      case "getBigDecimal":
        return decimal(Objects.requireNonNull(args));
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
  public interface Closing {
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
    if (cursor != null) {
      return target.next();
    }
    // Calcite's code computes rows here and now.
    try (StopCheck.Scope _ = execution.stopCheck().enter()) {
      return target.next();
    }
  }

  /** The present row's value in a column, from 1, if it needs no conversion; null otherwise. */
  @Nullable Object plain(int column) {
    return cursor == null ? null : cursor.plain(column);
  }

  /** The present row's value in a column, from 1. */
  @Nullable Object value(int column) throws SQLException {
    Object plain = plain(column);
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

  private Object number(String getter, int column) throws SQLException {
    return switch (getter) {
      case "getByte" -> getters.getByte(column);
      case "getShort" -> getters.getShort(column);
      case "getInt" -> getters.getInt(column);
      case "getLong" -> getters.getLong(column);
      case "getFloat" -> getters.getFloat(column);
      case "getDouble" -> getters.getDouble(column);
      default -> getters.getBoolean(column);
    };
  }

  private @Nullable BigDecimal decimal(@Nullable Object[] args) throws SQLException {
    BigDecimal value = getters.getBigDecimal(column(args[0]));
    return value != null && args.length == 2 && args[1] instanceof Integer scale
        ? value.setScale(scale, RoundingMode.HALF_UP)
        : value;
  }

  private int column(@Nullable Object name) throws SQLException {
    return name instanceof Integer number ? number : target.findColumn(String.valueOf(name));
  }

  private Object forwardNonNull(Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    return Objects.requireNonNull(forward(method, args));
  }

  /** The result as columns; it can be taken once, before the first row is read. */
  public ArrowResult arrow() throws SQLException {
    if (arrow == null) {
      arrow = ArrowResults.of(execution, target, moved || !target.isBeforeFirst());
    }
    return arrow;
  }

  @Override
  public SQLException mapped(Throwable error) {
    var ended = execution.ended();
    if (ended == null && (closed || execution.closed())) {
      return SqlErrors.ofClosed(error, "The result is closed.");
    }
    return SqlErrors.of(ended != null ? ended : error);
  }
}
