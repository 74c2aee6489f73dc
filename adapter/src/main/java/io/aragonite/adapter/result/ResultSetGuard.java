package io.aragonite.adapter.result;

import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.RawMapType;
import io.aragonite.adapter.execution.TrackedResult;
import io.aragonite.adapter.jdbc.DelegatingResultSet;
import io.aragonite.adapter.metadata.ColumnsGuard;
import io.aragonite.adapter.metadata.MemoryResultSet;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Struct;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.UUID;
import org.apache.calcite.avatica.AvaticaResultSet;
import org.apache.calcite.avatica.ColumnMetaData;
import org.jspecify.annotations.Nullable;

/**
 * The result that users hold: polls the run's stop flag, ends the run when it is closed, offers
 * Arrow columns. What is called for each row and value goes through no lambda.
 */
public final class ResultSetGuard extends DelegatingResultSet {
  private static final String CLOSED = "The result is closed.";

  private final @Nullable Statement statement;
  private final Execution execution;
  private final CloseListener whenClosed;
  private final ColumnGetters getters;
  private final MomentGetters moments;
  private final InstantGetters instants;
  private final IntervalGetters intervals;
  private final LargeGetters large;
  private final TimeZone zone;
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
    this.whenClosed = whenClosed;
    zone =
        target instanceof AvaticaResultSet avatica
            ? avatica.getLocalCalendar().getTimeZone()
            : TimeZone.getDefault();
    getters = new ColumnGetters(target, this::nanosOfSecond);
    moments = new MomentGetters(target, getters, zone, this::nanosOfSecond);
    instants = new InstantGetters(target, zone, this::nanosOfSecond);
    intervals = new IntervalGetters(target);
    large = new LargeGetters(target, getters);
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
      return plain == null ? object(column) : plain;
    } catch (Throwable e) {
      throw failed("getObject", e);
    }
  }

  @Override
  public @Nullable String getString(int column) throws SQLException {
    try {
      return plain(column) instanceof String text ? text : string(column);
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
  public @Nullable String getNString(int column) throws SQLException {
    return this.<@Nullable String>call("getNString", () -> string(column));
  }

  @Override
  @Deprecated
  public @Nullable BigDecimal getBigDecimal(int column, int scale) throws SQLException {
    return this.<@Nullable BigDecimal>call("getBigDecimal", () -> decimal(column, scale));
  }

  @Override
  public byte @Nullable [] getBytes(int column) throws SQLException {
    return this.<byte @Nullable []>call("getBytes", () -> large.getBytes(column));
  }

  @Override
  public @Nullable Date getDate(int column) throws SQLException {
    return this.<@Nullable Date>call("getDate", () -> date(column, null));
  }

  @Override
  public @Nullable Date getDate(int column, @Nullable Calendar calendar) throws SQLException {
    return this.<@Nullable Date>call("getDate", () -> date(column, calendar));
  }

  @Override
  public @Nullable Time getTime(int column) throws SQLException {
    return this.<@Nullable Time>call("getTime", () -> time(column, null));
  }

  @Override
  public @Nullable Time getTime(int column, @Nullable Calendar calendar) throws SQLException {
    return this.<@Nullable Time>call("getTime", () -> time(column, calendar));
  }

  @Override
  public @Nullable Timestamp getTimestamp(int column) throws SQLException {
    return this.<@Nullable Timestamp>call("getTimestamp", () -> timestamp(column, null));
  }

  @Override
  public @Nullable Timestamp getTimestamp(int column, @Nullable Calendar calendar)
      throws SQLException {
    return this.<@Nullable Timestamp>call("getTimestamp", () -> timestamp(column, calendar));
  }

  @Override
  public @Nullable InputStream getAsciiStream(int column) throws SQLException {
    return this.<@Nullable InputStream>call("getAsciiStream", () -> large.getAsciiStream(column));
  }

  @Override
  public @Nullable InputStream getBinaryStream(int column) throws SQLException {
    return this.<@Nullable InputStream>call("getBinaryStream", () -> large.getBinaryStream(column));
  }

  @Override
  public @Nullable Reader getCharacterStream(int column) throws SQLException {
    return this.<@Nullable Reader>call(
        "getCharacterStream", () -> large.getCharacterStream(column));
  }

  @Override
  public @Nullable Reader getNCharacterStream(int column) throws SQLException {
    return this.<@Nullable Reader>call(
        "getNCharacterStream", () -> large.getCharacterStream(column));
  }

  @Override
  public @Nullable Blob getBlob(int column) throws SQLException {
    return this.<@Nullable Blob>call("getBlob", () -> large.getBlob(column));
  }

  @Override
  public @Nullable Clob getClob(int column) throws SQLException {
    return this.<@Nullable Clob>call("getClob", () -> large.getClob(column));
  }

  @Override
  public @Nullable NClob getNClob(int column) throws SQLException {
    return this.<@Nullable NClob>call("getNClob", () -> large.getClob(column));
  }

  @Override
  public @Nullable Array getArray(int column) throws SQLException {
    return this.<@Nullable Array>call("getArray", () -> array(column));
  }

  @Override
  public @Nullable Object getObject(int column, @Nullable Map<String, Class<?>> map)
      throws SQLException {
    return this.<@Nullable Object>call(
        "getObject",
        () -> {
          if (map != null && !map.isEmpty()) {
            throw new AragoniteException(
                ErrorCode.INVALID_CALL,
                "There are no types of users that values could be mapped to; leave the map out.");
          }
          return object(column);
        });
  }

  @Override
  public <V> @Nullable V getObject(int column, Class<V> type) throws SQLException {
    return this.<@Nullable V>call("getObject", () -> typed(column, type));
  }

  /** Whether there is a row to come; an empty result is at no end of it. */
  @Override
  public boolean isBeforeFirst() throws SQLException {
    return call(
        "isBeforeFirst",
        () -> target.isBeforeFirst() && !Boolean.TRUE.equals(execution.rowsEnded()));
  }

  @Override
  public boolean isLast() throws SQLException {
    return call("isLast", this::atLastRow);
  }

  @Override
  public int getFetchDirection() throws SQLException {
    return call(
        "getFetchDirection",
        () -> {
          target.getFetchDirection(); // refuses where the result is closed
          return FETCH_FORWARD;
        });
  }

  @Override
  public void setFetchDirection(int direction) throws SQLException {
    run(
        "setFetchDirection",
        () -> {
          target.setFetchDirection(direction);
          if (direction != FETCH_FORWARD) {
            throw new AragoniteException(
                ErrorCode.INVALID_CALL,
                "Results are read forwards only; FETCH_FORWARD is the one direction that they"
                    + " have.");
          }
        });
  }

  @Override
  public ResultSetMetaData getMetaData() throws SQLException {
    return call("getMetaData", () -> new ColumnsGuard(target.getMetaData()));
  }

  @Override
  public @Nullable Statement getStatement() throws SQLException {
    return this.<@Nullable Statement>call(
        "getStatement",
        () -> {
          if (closed || target.isClosed()) {
            throw new AragoniteException(ErrorCode.INVALID_CALL, CLOSED);
          }
          return statement != null ? statement : target.getStatement();
        });
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
      cursor = new ColumnCursor(result, columns, execution.delivered().most());
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
        : type.cast(
            instants.has(column)
                ? instants.getObject(column, type)
                : intervals.has(column)
                    ? intervals.getObject(column, type)
                    : JavaValues.get(this, column, type, zone));
  }

  private @Nullable Object object(int column) throws SQLException {
    if (instants.has(column)) {
      return instants.getObject(column);
    }
    if (intervals.has(column)) {
      return intervals.getObject(column);
    }
    Object value = target.getObject(column);
    return switch (value) {
      case Array _ -> array(column);
      case Struct row -> StructValue.of(row, column, execution, zone);
      case Map<?, ?> map -> {
        RawMapType type = MapValue.type(column, execution);
        yield type == null ? map : MapValue.of(map, type, zone);
      }
      case UUID uuid when ClientRequest.isNarrow() -> uuid.toString();
      case null, default -> moments.whole(column, value);
    };
  }

  private @Nullable Date date(int column, @Nullable Calendar calendar) throws SQLException {
    return instants.has(column)
        ? instants.getDate(column, calendar)
        : moments.getDate(column, calendar);
  }

  private @Nullable Time time(int column, @Nullable Calendar calendar) throws SQLException {
    return instants.has(column)
        ? instants.getTime(column, calendar)
        : moments.getTime(column, calendar);
  }

  private @Nullable Timestamp timestamp(int column, @Nullable Calendar calendar)
      throws SQLException {
    return instants.has(column)
        ? instants.getTimestamp(column)
        : moments.getTimestamp(column, calendar);
  }

  private int nanosOfSecond(int column) {
    if (target instanceof MemoryResultSet memory) {
      return memory.nanosOfSecond(column);
    }
    return cursor == null ? -1 : cursor.nanosOfSecond(column);
  }

  private @Nullable Array array(int column) throws SQLException {
    return ArrayValue.of(target, column, execution, zone);
  }

  private @Nullable String string(int column) throws SQLException {
    if (instants.has(column)) {
      return instants.getString(column);
    }
    if (intervals.has(column)) {
      return intervals.getString(column);
    }
    if (getters.isArray(column)) {
      Array array = array(column);
      return array instanceof ArrayValue value ? value.text() : getters.getString(column);
    }
    if (getters.isStruct(column)
        && StructValue.of(target.getObject(column), column, execution, zone)
            instanceof StructValue row) {
      return row.text();
    }
    RawMapType map = MapValue.type(column, execution);
    if (map != null && target.getObject(column) instanceof Map<?, ?> entries) {
      return MapValue.text(entries, map, zone);
    }
    return getters.getString(column);
  }

  private boolean atLastRow() throws SQLException {
    if (target.isBeforeFirst() || target.isAfterLast()) {
      return false;
    }
    Boolean ended = cursor != null ? Boolean.valueOf(cursor.atLastRow()) : execution.rowsEnded();
    return ended == null ? target.isLast() : ended;
  }

  /** The run whose result it is. */
  public Execution execution() {
    return execution;
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
      return SqlErrors.ofClosed(error, CLOSED);
    }
    return SqlErrors.of(ended != null ? ended : error);
  }
}
