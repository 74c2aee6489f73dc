package io.aragonite.adapter.statement;

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
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import org.jspecify.annotations.Nullable;

/** JDBC's setters of parameters, each of which is one call of {@link #set}. */
abstract class ParameterSetters extends StatementGuard implements PreparedStatement {
  /** Calcite's statement. */
  final PreparedStatement prepared;

  ParameterSetters(PreparedStatement target, Session session, Connection connection, String sql) {
    super(PreparedStatement.class, target, session, connection, sql);
    this.prepared = target;
  }

  /**
   * Keeps the value of a parameter.
   *
   * @param ofTarget the same call of Calcite's statement, for those that Calcite plans
   * @param arguments the call's, the first of which is the parameter's number
   */
  abstract void set(String setter, JdbcAction ofTarget, @Nullable Object... arguments)
      throws SQLException;

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
