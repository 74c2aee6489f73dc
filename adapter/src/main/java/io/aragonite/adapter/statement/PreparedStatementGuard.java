package io.aragonite.adapter.statement;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.metadata.ColumnsGuard;
import io.aragonite.adapter.parameter.ParameterValue;
import io.aragonite.adapter.parameter.Parameters;
import io.aragonite.adapter.result.JavaValues;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.Date;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.Calendar;
import java.util.List;
import java.util.Objects;
import java.util.TimeZone;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.calcite.avatica.AvaticaPreparedStatement;
import org.apache.calcite.jdbc.CalciteConnection;
import org.jspecify.annotations.Nullable;

/**
 * A prepared statement. Its parameters' values are kept here, and each run has a plan for their
 * types; Calcite's statement only learns which parameters have one.
 */
public final class PreparedStatementGuard extends StatementGuard implements PreparedStatement {
  private final PreparedStatement prepared;
  private final String sql;

  /**
   * Null if the statement has no parameters, or if Calcite plans for them before they are known.
   */
  private final @Nullable Parameters parameters;

  /** The parameters of the runs of a batch. */
  private final List<List<ParameterValue>> sets = new CopyOnWriteArrayList<>();

  private @Nullable ResultSetMetaData columns;

  /**
   * @param sql the statement's text
   */
  public PreparedStatementGuard(
      PreparedStatement target, Session session, Connection connection, String sql)
      throws SQLException {
    super(PreparedStatement.class, target, session, connection, sql);
    this.prepared = target;
    this.sql = sql;
    this.parameters = parameters(target);
  }

  private static @Nullable Parameters parameters(PreparedStatement target) throws SQLException {
    if (!(target instanceof AvaticaPreparedStatement avatica) || avatica.getParameterCount() == 0) {
      return null;
    }
    CalciteConnection connection = target.getConnection().unwrap(CalciteConnection.class);
    String zone = connection.config().timeZone();
    return new Parameters(
        avatica.getParameterCount(),
        zone == null ? TimeZone.getDefault() : TimeZone.getTimeZone(zone));
  }

  @Override
  public boolean execute() throws SQLException {
    return execute("execute", null, prepared::execute);
  }

  @Override
  public ResultSet executeQuery() throws SQLException {
    return execute("executeQuery", null, prepared::executeQuery);
  }

  @Override
  public int executeUpdate() throws SQLException {
    return execute("executeUpdate", null, prepared::executeUpdate);
  }

  @Override
  public long executeLargeUpdate() throws SQLException {
    return execute("executeLargeUpdate", null, prepared::executeLargeUpdate);
  }

  @Override
  public void clearBatch() throws SQLException {
    sets.clear();
    super.clearBatch();
  }

  @Override
  long[] batchCounts(String method) throws SQLException {
    List<List<ParameterValue>> all = List.copyOf(sets);
    sets.clear();
    if (!((AvaticaPreparedStatement) prepared).getStatementType().canUpdate()) {
      throw ofAQuery(method);
    }
    Execution run = Objects.requireNonNull(Execution.current());
    long[] counts = new long[all.size()];
    for (int i = 0; i < counts.length; i++) {
      if (parameters != null) {
        run.parameters(all.get(i));
      }
      counts[i] = prepared.executeLargeUpdate();
    }
    return counts;
  }

  @Override
  void plan(Execution run) throws SQLException {
    if (parameters != null) {
      run.parameters(parameters.values());
      plan(run, sql);
    } else if (tablesMayChange()) {
      plan(run, sql);
    }
  }

  @Override
  void ran() throws SQLException {
    if (parameters != null) {
      ResultSet rows = prepared.getResultSet();
      if (rows != null) {
        columns = new ColumnsGuard(rows.getMetaData());
      }
    }
  }

  /**
   * The columns of the last run, before the first one those that are described; null if unknown.
   */
  @Override
  public @Nullable ResultSetMetaData getMetaData() throws SQLException {
    return this.<@Nullable ResultSetMetaData>call(
        "getMetaData", () -> metaData(prepared.getMetaData()));
  }

  private @Nullable ResultSetMetaData metaData(@Nullable ResultSetMetaData described)
      throws SQLException {
    if (described == null) {
      return null;
    }
    if (columns != null) {
      return columns;
    }
    return parameters != null && described.getColumnCount() == 0
        ? null
        : new ColumnsGuard(described);
  }

  @Override
  public ParameterMetaData getParameterMetaData() throws SQLException {
    return call("getParameterMetaData", prepared::getParameterMetaData);
  }

  @Override
  public void addBatch() throws SQLException {
    run(
        "addBatch",
        () -> {
          checkTargetOpen();
          sets.add(parameters == null ? List.of() : parameters.values());
        });
  }

  @Override
  public void clearParameters() throws SQLException {
    run(
        "clearParameters",
        () -> {
          if (parameters != null) {
            parameters.clear();
          }
          prepared.clearParameters();
        });
  }

  /** A server takes the columns from what was prepared if it is one of Avatica's. */
  @Override
  protected boolean hasInner(Class<?> wanted) throws SQLException {
    return !(wanted == AvaticaPreparedStatement.class && columns != null) && super.hasInner(wanted);
  }

  /**
   * Keeps the value of a parameter.
   *
   * @param ofTarget the same call of Calcite's statement, for those that Calcite plans
   * @param arguments the call's, the first of which is the parameter's number
   */
  private void set(String setter, JdbcAction ofTarget, @Nullable Object... arguments)
      throws SQLException {
    run(
        setter,
        () -> {
          if (parameters == null) {
            ofTarget.run();
            return;
          }
          checkTargetOpen();
          parameters.set(setter, arguments);
          prepared.setNull((Integer) Objects.requireNonNull(arguments[0]), Types.NULL);
        });
  }

  @Override
  public void setObject(int parameterIndex, @Nullable Object x) throws SQLException {
    set(
        "setObject",
        () -> prepared.setObject(parameterIndex, JavaValues.parameter(x)),
        parameterIndex,
        x);
  }

  @Override
  public void setNull(int parameterIndex, int sqlType) throws SQLException {
    set("setNull", () -> prepared.setNull(parameterIndex, sqlType), parameterIndex, sqlType);
  }

  @Override
  public void setBoolean(int parameterIndex, boolean x) throws SQLException {
    set("setBoolean", () -> prepared.setBoolean(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setByte(int parameterIndex, byte x) throws SQLException {
    set("setByte", () -> prepared.setByte(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setShort(int parameterIndex, short x) throws SQLException {
    set("setShort", () -> prepared.setShort(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setInt(int parameterIndex, int x) throws SQLException {
    set("setInt", () -> prepared.setInt(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setLong(int parameterIndex, long x) throws SQLException {
    set("setLong", () -> prepared.setLong(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setFloat(int parameterIndex, float x) throws SQLException {
    set("setFloat", () -> prepared.setFloat(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setDouble(int parameterIndex, double x) throws SQLException {
    set("setDouble", () -> prepared.setDouble(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setBigDecimal(int parameterIndex, @Nullable BigDecimal x) throws SQLException {
    set("setBigDecimal", () -> prepared.setBigDecimal(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setString(int parameterIndex, @Nullable String x) throws SQLException {
    set("setString", () -> prepared.setString(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setBytes(int parameterIndex, byte @Nullable [] x) throws SQLException {
    set("setBytes", () -> prepared.setBytes(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setDate(int parameterIndex, @Nullable Date x) throws SQLException {
    set("setDate", () -> prepared.setDate(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setTime(int parameterIndex, @Nullable Time x) throws SQLException {
    set("setTime", () -> prepared.setTime(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setTimestamp(int parameterIndex, @Nullable Timestamp x) throws SQLException {
    set("setTimestamp", () -> prepared.setTimestamp(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setAsciiStream(int parameterIndex, @Nullable InputStream x, int length)
      throws SQLException {
    set(
        "setAsciiStream",
        () -> prepared.setAsciiStream(parameterIndex, x, length),
        parameterIndex,
        x,
        length);
  }

  @Override
  @Deprecated
  public void setUnicodeStream(int parameterIndex, @Nullable InputStream x, int length)
      throws SQLException {
    set(
        "setUnicodeStream",
        () -> prepared.setUnicodeStream(parameterIndex, x, length),
        parameterIndex,
        x,
        length);
  }

  @Override
  public void setBinaryStream(int parameterIndex, @Nullable InputStream x, int length)
      throws SQLException {
    set(
        "setBinaryStream",
        () -> prepared.setBinaryStream(parameterIndex, x, length),
        parameterIndex,
        x,
        length);
  }

  @Override
  public void setObject(int parameterIndex, @Nullable Object x, int targetSqlType)
      throws SQLException {
    set(
        "setObject",
        () -> prepared.setObject(parameterIndex, JavaValues.parameter(x), targetSqlType),
        parameterIndex,
        x,
        targetSqlType);
  }

  @Override
  public void setCharacterStream(int parameterIndex, @Nullable Reader reader, int length)
      throws SQLException {
    set(
        "setCharacterStream",
        () -> prepared.setCharacterStream(parameterIndex, reader, length),
        parameterIndex,
        reader,
        length);
  }

  @Override
  public void setRef(int parameterIndex, @Nullable Ref x) throws SQLException {
    set("setRef", () -> prepared.setRef(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setBlob(int parameterIndex, @Nullable Blob x) throws SQLException {
    set("setBlob", () -> prepared.setBlob(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setClob(int parameterIndex, @Nullable Clob x) throws SQLException {
    set("setClob", () -> prepared.setClob(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setArray(int parameterIndex, @Nullable Array x) throws SQLException {
    set("setArray", () -> prepared.setArray(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setDate(int parameterIndex, @Nullable Date x, @Nullable Calendar cal)
      throws SQLException {
    set("setDate", () -> prepared.setDate(parameterIndex, x, cal), parameterIndex, x, cal);
  }

  @Override
  public void setTime(int parameterIndex, @Nullable Time x, @Nullable Calendar cal)
      throws SQLException {
    set("setTime", () -> prepared.setTime(parameterIndex, x, cal), parameterIndex, x, cal);
  }

  @Override
  public void setTimestamp(int parameterIndex, @Nullable Timestamp x, @Nullable Calendar cal)
      throws SQLException {
    set(
        "setTimestamp",
        () -> prepared.setTimestamp(parameterIndex, x, cal),
        parameterIndex,
        x,
        cal);
  }

  @Override
  public void setNull(int parameterIndex, int sqlType, @Nullable String typeName)
      throws SQLException {
    set(
        "setNull",
        () -> prepared.setNull(parameterIndex, sqlType, typeName),
        parameterIndex,
        sqlType,
        typeName);
  }

  @Override
  public void setURL(int parameterIndex, @Nullable URL x) throws SQLException {
    set("setURL", () -> prepared.setURL(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setRowId(int parameterIndex, @Nullable RowId x) throws SQLException {
    set("setRowId", () -> prepared.setRowId(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setNString(int parameterIndex, @Nullable String value) throws SQLException {
    set("setNString", () -> prepared.setNString(parameterIndex, value), parameterIndex, value);
  }

  @Override
  public void setNCharacterStream(int parameterIndex, @Nullable Reader value, long length)
      throws SQLException {
    set(
        "setNCharacterStream",
        () -> prepared.setNCharacterStream(parameterIndex, value, length),
        parameterIndex,
        value,
        length);
  }

  @Override
  public void setNClob(int parameterIndex, @Nullable NClob value) throws SQLException {
    set("setNClob", () -> prepared.setNClob(parameterIndex, value), parameterIndex, value);
  }

  @Override
  public void setClob(int parameterIndex, @Nullable Reader reader, long length)
      throws SQLException {
    set(
        "setClob",
        () -> prepared.setClob(parameterIndex, reader, length),
        parameterIndex,
        reader,
        length);
  }

  @Override
  public void setBlob(int parameterIndex, @Nullable InputStream inputStream, long length)
      throws SQLException {
    set(
        "setBlob",
        () -> prepared.setBlob(parameterIndex, inputStream, length),
        parameterIndex,
        inputStream,
        length);
  }

  @Override
  public void setNClob(int parameterIndex, @Nullable Reader reader, long length)
      throws SQLException {
    set(
        "setNClob",
        () -> prepared.setNClob(parameterIndex, reader, length),
        parameterIndex,
        reader,
        length);
  }

  @Override
  public void setSQLXML(int parameterIndex, @Nullable SQLXML xmlObject) throws SQLException {
    set(
        "setSQLXML",
        () -> prepared.setSQLXML(parameterIndex, xmlObject),
        parameterIndex,
        xmlObject);
  }

  @Override
  public void setObject(
      int parameterIndex, @Nullable Object x, int targetSqlType, int scaleOrLength)
      throws SQLException {
    set(
        "setObject",
        () ->
            prepared.setObject(
                parameterIndex, JavaValues.parameter(x), targetSqlType, scaleOrLength),
        parameterIndex,
        x,
        targetSqlType,
        scaleOrLength);
  }

  @Override
  public void setAsciiStream(int parameterIndex, @Nullable InputStream x, long length)
      throws SQLException {
    set(
        "setAsciiStream",
        () -> prepared.setAsciiStream(parameterIndex, x, length),
        parameterIndex,
        x,
        length);
  }

  @Override
  public void setBinaryStream(int parameterIndex, @Nullable InputStream x, long length)
      throws SQLException {
    set(
        "setBinaryStream",
        () -> prepared.setBinaryStream(parameterIndex, x, length),
        parameterIndex,
        x,
        length);
  }

  @Override
  public void setCharacterStream(int parameterIndex, @Nullable Reader reader, long length)
      throws SQLException {
    set(
        "setCharacterStream",
        () -> prepared.setCharacterStream(parameterIndex, reader, length),
        parameterIndex,
        reader,
        length);
  }

  @Override
  public void setAsciiStream(int parameterIndex, @Nullable InputStream x) throws SQLException {
    set("setAsciiStream", () -> prepared.setAsciiStream(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setBinaryStream(int parameterIndex, @Nullable InputStream x) throws SQLException {
    set("setBinaryStream", () -> prepared.setBinaryStream(parameterIndex, x), parameterIndex, x);
  }

  @Override
  public void setCharacterStream(int parameterIndex, @Nullable Reader reader) throws SQLException {
    set(
        "setCharacterStream",
        () -> prepared.setCharacterStream(parameterIndex, reader),
        parameterIndex,
        reader);
  }

  @Override
  public void setNCharacterStream(int parameterIndex, @Nullable Reader value) throws SQLException {
    set(
        "setNCharacterStream",
        () -> prepared.setNCharacterStream(parameterIndex, value),
        parameterIndex,
        value);
  }

  @Override
  public void setClob(int parameterIndex, @Nullable Reader reader) throws SQLException {
    set("setClob", () -> prepared.setClob(parameterIndex, reader), parameterIndex, reader);
  }

  @Override
  public void setBlob(int parameterIndex, @Nullable InputStream inputStream) throws SQLException {
    set(
        "setBlob",
        () -> prepared.setBlob(parameterIndex, inputStream),
        parameterIndex,
        inputStream);
  }

  @Override
  public void setNClob(int parameterIndex, @Nullable Reader reader) throws SQLException {
    set("setNClob", () -> prepared.setNClob(parameterIndex, reader), parameterIndex, reader);
  }

  @Override
  public void setObject(
      int parameterIndex, @Nullable Object x, @Nullable SQLType targetSqlType, int scaleOrLength)
      throws SQLException {
    set(
        "setObject",
        () ->
            prepared.setObject(
                parameterIndex, JavaValues.parameter(x), targetSqlType, scaleOrLength),
        parameterIndex,
        x,
        targetSqlType,
        scaleOrLength);
  }

  @Override
  public void setObject(int parameterIndex, @Nullable Object x, @Nullable SQLType targetSqlType)
      throws SQLException {
    set(
        "setObject",
        () -> prepared.setObject(parameterIndex, JavaValues.parameter(x), targetSqlType),
        parameterIndex,
        x,
        targetSqlType);
  }
}
