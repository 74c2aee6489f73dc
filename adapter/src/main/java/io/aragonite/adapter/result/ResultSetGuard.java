package io.aragonite.adapter.result;

import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.TrackedResult;
import io.aragonite.adapter.jdbc.DelegatingResultSet;
import io.aragonite.adapter.metadata.ColumnsGuard;
import io.aragonite.exec.limit.StopCheck;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.apache.calcite.avatica.AvaticaResultSet;
import org.apache.calcite.avatica.ColumnMetaData;
import org.jspecify.annotations.Nullable;

/**
 * The result that users hold: polls the run's stop flag, ends the run when it is closed, offers
 * Arrow columns. What is called for each row and value goes through no lambda.
 */
public final class ResultSetGuard extends DelegatingResultSet {
  private final @Nullable Statement statement;
  private final Execution execution;
  private final CloseListener whenClosed;
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
      ResultSet target,
      @Nullable Statement statement,
      Execution execution,
      CloseListener whenClosed) {
    super(target);
    this.statement = statement;
    this.execution = execution;
    getters = new ColumnGetters(target);
    this.whenClosed = whenClosed;
  }

  /** Whether this is the guard of {@code rows}. */
  @SuppressWarnings("ReferenceEquality") // each result has a guard of its own
  public boolean guards(ResultSet rows) {
    return target == rows;
  }

  @Override
  public boolean next() throws SQLException {
    try {
      return moveToNext();
    } catch (Throwable e) {
      throw failed("next", e);
    }
  }

  @Override
  public boolean wasNull() throws SQLException {
    try {
      return target.wasNull();
    } catch (Throwable e) {
      throw failed("wasNull", e);
    }
  }

  @Override
  public @Nullable Object getObject(int column) throws SQLException {
    try {
      Object plain = plain(column);
      return plain == null ? target.getObject(column) : plain;
    } catch (Throwable e) {
      throw failed("getObject", e);
    }
  }

  @Override
  public @Nullable String getString(int column) throws SQLException {
    try {
      return plain(column) instanceof String text ? text : getters.getString(column);
    } catch (Throwable e) {
      throw failed("getString", e);
    }
  }

  @Override
  public int getInt(int column) throws SQLException {
    try {
      // most columns are read as what they are, which takes none of Avatica's detours
      return plain(column) instanceof Integer value ? value : getters.getInt(column);
    } catch (Throwable e) {
      throw failed("getInt", e);
    }
  }

  @Override
  public long getLong(int column) throws SQLException {
    try {
      return plain(column) instanceof Long value ? value : getters.getLong(column);
    } catch (Throwable e) {
      throw failed("getLong", e);
    }
  }

  @Override
  public double getDouble(int column) throws SQLException {
    try {
      return plain(column) instanceof Double value ? value : getters.getDouble(column);
    } catch (Throwable e) {
      throw failed("getDouble", e);
    }
  }

  @Override
  public @Nullable BigDecimal getBigDecimal(int column) throws SQLException {
    try {
      return getters.getBigDecimal(column);
    } catch (Throwable e) {
      throw failed("getBigDecimal", e);
    }
  }

  @Override
  public byte getByte(int column) throws SQLException {
    return call("getByte", () -> getters.getByte(column));
  }

  @Override
  public short getShort(int column) throws SQLException {
    return call("getShort", () -> getters.getShort(column));
  }

  @Override
  public float getFloat(int column) throws SQLException {
    return call("getFloat", () -> getters.getFloat(column));
  }

  @Override
  public boolean getBoolean(int column) throws SQLException {
    return call("getBoolean", () -> getters.getBoolean(column));
  }

  @Override
  public byte getByte(String label) throws SQLException {
    return call("getByte", () -> getters.getByte(column(label)));
  }

  @Override
  public short getShort(String label) throws SQLException {
    return call("getShort", () -> getters.getShort(column(label)));
  }

  @Override
  public int getInt(String label) throws SQLException {
    return call("getInt", () -> getters.getInt(column(label)));
  }

  @Override
  public long getLong(String label) throws SQLException {
    return call("getLong", () -> getters.getLong(column(label)));
  }

  @Override
  public float getFloat(String label) throws SQLException {
    return call("getFloat", () -> getters.getFloat(column(label)));
  }

  @Override
  public double getDouble(String label) throws SQLException {
    return call("getDouble", () -> getters.getDouble(column(label)));
  }

  @Override
  public boolean getBoolean(String label) throws SQLException {
    return call("getBoolean", () -> getters.getBoolean(column(label)));
  }

  @Override
  public @Nullable String getString(String label) throws SQLException {
    return this.<@Nullable String>call("getString", () -> getters.getString(column(label)));
  }

  @Override
  public @Nullable String getNString(int column) throws SQLException {
    return this.<@Nullable String>call("getNString", () -> getters.getString(column));
  }

  @Override
  public @Nullable String getNString(String label) throws SQLException {
    return this.<@Nullable String>call("getNString", () -> getters.getString(column(label)));
  }

  @Override
  public @Nullable BigDecimal getBigDecimal(String label) throws SQLException {
    return this.<@Nullable BigDecimal>call(
        "getBigDecimal", () -> getters.getBigDecimal(column(label)));
  }

  @Override
  @Deprecated
  public @Nullable BigDecimal getBigDecimal(int column, int scale) throws SQLException {
    return this.<@Nullable BigDecimal>call("getBigDecimal", () -> decimal(column, scale));
  }

  @Override
  @Deprecated
  public @Nullable BigDecimal getBigDecimal(String label, int scale) throws SQLException {
    return this.<@Nullable BigDecimal>call("getBigDecimal", () -> decimal(column(label), scale));
  }

  @Override
  public <V> @Nullable V getObject(int column, Class<V> type) throws SQLException {
    return this.<@Nullable V>call("getObject", () -> typed(column, type));
  }

  @Override
  public <V> @Nullable V getObject(String label, Class<V> type) throws SQLException {
    return this.<@Nullable V>call("getObject", () -> typed(column(label), type));
  }

  @Override
  public ResultSetMetaData getMetaData() throws SQLException {
    return call("getMetaData", () -> new ColumnsGuard(target.getMetaData()));
  }

  @Override
  public @Nullable Statement getStatement() throws SQLException {
    return this.<@Nullable Statement>call(
        "getStatement", () -> statement != null ? statement : target.getStatement());
  }

  @Override
  public void close() throws SQLException {
    run("close", this::end);
  }

  @Override
  protected <V> V inner(Class<V> wanted) throws SQLException {
    return wanted == ArrowResult.class ? wanted.cast(arrow()) : super.inner(wanted);
  }

  @Override
  protected boolean hasInner(Class<?> wanted) throws SQLException {
    return wanted == ArrowResult.class || super.hasInner(wanted);
  }

  /** What else is done when a result has been closed. */
  public interface CloseListener {
    void closed() throws SQLException;
  }

  /** Another thread that reads leaves before the memory of the rows goes. */
  private void end() throws SQLException {
    closed = true;
    try {
      target.close();
    } finally {
      execution.close();
      whenClosed.closed();
    }
  }

  private boolean moveToNext() throws SQLException {
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
  private @Nullable Object plain(int column) {
    return cursor == null ? null : cursor.plain(column);
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

  private @Nullable BigDecimal decimal(int column, int scale) throws SQLException {
    BigDecimal value = getters.getBigDecimal(column);
    return value == null ? null : value.setScale(scale, RoundingMode.HALF_UP);
  }

  private <V> @Nullable V typed(int column, @Nullable Class<V> type) throws SQLException {
    return type == null
        ? target.getObject(column, type)
        : type.cast(JavaValues.get(this, column, type));
  }

  private int column(@Nullable String label) throws SQLException {
    return target.findColumn(String.valueOf(label));
  }

  /** The result as columns; it can be taken once, before the first row is read. */
  public ArrowResult arrow() throws SQLException {
    if (arrow == null) {
      arrow = ArrowResults.of(execution, target, moved || !target.isBeforeFirst());
    }
    return arrow;
  }

  @Override
  protected SQLException mapped(Throwable error) {
    var ended = execution.ended();
    if (ended == null && (closed || execution.closed())) {
      return SqlErrors.ofClosed(error, "The result is closed.");
    }
    return SqlErrors.of(ended != null ? ended : error);
  }
}
