package io.aragonite.adapter.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;

/**
 * A result whose every call is another result's, behind the guard. A column's name is looked up
 * first, so that the getters by number are all that subclasses override.
 */
@NullUnmarked // as java.sql is
@SuppressWarnings("deprecation") // JDBC keeps some of its first methods
public abstract class DelegatingResultSet extends ForwardReadOnlyRows {
  protected DelegatingResultSet(ResultSet target) {
    super(target);
  }

  private int column(String method, String label) throws SQLException {
    return call(method, () -> target.findColumn(String.valueOf(label)));
  }

  @Override
  public boolean next() throws SQLException {
    return call("next", () -> target.next());
  }

  @Override
  public void close() throws SQLException {
    run("close", () -> target.close());
  }

  @Override
  public boolean wasNull() throws SQLException {
    return call("wasNull", () -> target.wasNull());
  }

  @Override
  public String getString(int columnIndex) throws SQLException {
    return call("getString", () -> target.getString(columnIndex));
  }

  @Override
  public boolean getBoolean(int columnIndex) throws SQLException {
    return call("getBoolean", () -> target.getBoolean(columnIndex));
  }

  @Override
  public byte getByte(int columnIndex) throws SQLException {
    return call("getByte", () -> target.getByte(columnIndex));
  }

  @Override
  public short getShort(int columnIndex) throws SQLException {
    return call("getShort", () -> target.getShort(columnIndex));
  }

  @Override
  public int getInt(int columnIndex) throws SQLException {
    return call("getInt", () -> target.getInt(columnIndex));
  }

  @Override
  public long getLong(int columnIndex) throws SQLException {
    return call("getLong", () -> target.getLong(columnIndex));
  }

  @Override
  public float getFloat(int columnIndex) throws SQLException {
    return call("getFloat", () -> target.getFloat(columnIndex));
  }

  @Override
  public double getDouble(int columnIndex) throws SQLException {
    return call("getDouble", () -> target.getDouble(columnIndex));
  }

  @Override
  public BigDecimal getBigDecimal(int columnIndex, int scale) throws SQLException {
    return call("getBigDecimal", () -> target.getBigDecimal(columnIndex, scale));
  }

  @Override
  public byte[] getBytes(int columnIndex) throws SQLException {
    return call("getBytes", () -> target.getBytes(columnIndex));
  }

  @Override
  public Date getDate(int columnIndex) throws SQLException {
    return call("getDate", () -> target.getDate(columnIndex));
  }

  @Override
  public Time getTime(int columnIndex) throws SQLException {
    return call("getTime", () -> target.getTime(columnIndex));
  }

  @Override
  public Timestamp getTimestamp(int columnIndex) throws SQLException {
    return call("getTimestamp", () -> target.getTimestamp(columnIndex));
  }

  @Override
  public InputStream getAsciiStream(int columnIndex) throws SQLException {
    return call("getAsciiStream", () -> target.getAsciiStream(columnIndex));
  }

  @Override
  public InputStream getBinaryStream(int columnIndex) throws SQLException {
    return call("getBinaryStream", () -> target.getBinaryStream(columnIndex));
  }

  @Override
  public String getString(String columnLabel) throws SQLException {
    return getString(column("getString", columnLabel));
  }

  @Override
  public boolean getBoolean(String columnLabel) throws SQLException {
    return getBoolean(column("getBoolean", columnLabel));
  }

  @Override
  public byte getByte(String columnLabel) throws SQLException {
    return getByte(column("getByte", columnLabel));
  }

  @Override
  public short getShort(String columnLabel) throws SQLException {
    return getShort(column("getShort", columnLabel));
  }

  @Override
  public int getInt(String columnLabel) throws SQLException {
    return getInt(column("getInt", columnLabel));
  }

  @Override
  public long getLong(String columnLabel) throws SQLException {
    return getLong(column("getLong", columnLabel));
  }

  @Override
  public float getFloat(String columnLabel) throws SQLException {
    return getFloat(column("getFloat", columnLabel));
  }

  @Override
  public double getDouble(String columnLabel) throws SQLException {
    return getDouble(column("getDouble", columnLabel));
  }

  @Override
  public BigDecimal getBigDecimal(String columnLabel, int scale) throws SQLException {
    return getBigDecimal(column("getBigDecimal", columnLabel), scale);
  }

  @Override
  public byte[] getBytes(String columnLabel) throws SQLException {
    return getBytes(column("getBytes", columnLabel));
  }

  @Override
  public Date getDate(String columnLabel) throws SQLException {
    return getDate(column("getDate", columnLabel));
  }

  @Override
  public Time getTime(String columnLabel) throws SQLException {
    return getTime(column("getTime", columnLabel));
  }

  @Override
  public Timestamp getTimestamp(String columnLabel) throws SQLException {
    return getTimestamp(column("getTimestamp", columnLabel));
  }

  @Override
  public InputStream getAsciiStream(String columnLabel) throws SQLException {
    return getAsciiStream(column("getAsciiStream", columnLabel));
  }

  @Override
  public InputStream getBinaryStream(String columnLabel) throws SQLException {
    return getBinaryStream(column("getBinaryStream", columnLabel));
  }

  @Override
  public SQLWarning getWarnings() throws SQLException {
    return call("getWarnings", () -> target.getWarnings());
  }

  @Override
  public void clearWarnings() throws SQLException {
    run("clearWarnings", () -> target.clearWarnings());
  }

  @Override
  public ResultSetMetaData getMetaData() throws SQLException {
    return call("getMetaData", () -> target.getMetaData());
  }

  @Override
  public Object getObject(int columnIndex) throws SQLException {
    return call("getObject", () -> target.getObject(columnIndex));
  }

  @Override
  public Object getObject(String columnLabel) throws SQLException {
    return getObject(column("getObject", columnLabel));
  }

  @Override
  public int findColumn(String columnLabel) throws SQLException {
    return call("findColumn", () -> target.findColumn(columnLabel));
  }

  @Override
  public Reader getCharacterStream(int columnIndex) throws SQLException {
    return call("getCharacterStream", () -> target.getCharacterStream(columnIndex));
  }

  @Override
  public Reader getCharacterStream(String columnLabel) throws SQLException {
    return getCharacterStream(column("getCharacterStream", columnLabel));
  }

  @Override
  public BigDecimal getBigDecimal(int columnIndex) throws SQLException {
    return call("getBigDecimal", () -> target.getBigDecimal(columnIndex));
  }

  @Override
  public BigDecimal getBigDecimal(String columnLabel) throws SQLException {
    return getBigDecimal(column("getBigDecimal", columnLabel));
  }

  @Override
  public boolean isBeforeFirst() throws SQLException {
    return call("isBeforeFirst", () -> target.isBeforeFirst());
  }

  @Override
  public boolean isAfterLast() throws SQLException {
    return call("isAfterLast", () -> target.isAfterLast());
  }

  @Override
  public boolean isFirst() throws SQLException {
    return call("isFirst", () -> target.isFirst());
  }

  @Override
  public boolean isLast() throws SQLException {
    return call("isLast", () -> target.isLast());
  }

  @Override
  public int getRow() throws SQLException {
    return call("getRow", () -> target.getRow());
  }

  @Override
  public void setFetchDirection(int direction) throws SQLException {
    run("setFetchDirection", () -> target.setFetchDirection(direction));
  }

  @Override
  public int getFetchDirection() throws SQLException {
    return call("getFetchDirection", () -> target.getFetchDirection());
  }

  @Override
  public void setFetchSize(int rows) throws SQLException {
    run("setFetchSize", () -> target.setFetchSize(rows));
  }

  @Override
  public int getFetchSize() throws SQLException {
    return call("getFetchSize", () -> target.getFetchSize());
  }

  @Override
  public int getType() throws SQLException {
    return call("getType", () -> target.getType());
  }

  @Override
  public int getConcurrency() throws SQLException {
    return call("getConcurrency", () -> target.getConcurrency());
  }

  @Override
  public boolean rowUpdated() throws SQLException {
    return call("rowUpdated", () -> target.rowUpdated());
  }

  @Override
  public boolean rowInserted() throws SQLException {
    return call("rowInserted", () -> target.rowInserted());
  }

  @Override
  public boolean rowDeleted() throws SQLException {
    return call("rowDeleted", () -> target.rowDeleted());
  }

  @Override
  public Statement getStatement() throws SQLException {
    return call("getStatement", () -> target.getStatement());
  }

  @Override
  public Object getObject(int columnIndex, Map<String, Class<?>> map) throws SQLException {
    return call("getObject", () -> target.getObject(columnIndex, map));
  }

  @Override
  public Blob getBlob(int columnIndex) throws SQLException {
    return call("getBlob", () -> target.getBlob(columnIndex));
  }

  @Override
  public Clob getClob(int columnIndex) throws SQLException {
    return call("getClob", () -> target.getClob(columnIndex));
  }

  @Override
  public Array getArray(int columnIndex) throws SQLException {
    return call("getArray", () -> target.getArray(columnIndex));
  }

  @Override
  public Object getObject(String columnLabel, Map<String, Class<?>> map) throws SQLException {
    return getObject(column("getObject", columnLabel), map);
  }

  @Override
  public Blob getBlob(String columnLabel) throws SQLException {
    return getBlob(column("getBlob", columnLabel));
  }

  @Override
  public Clob getClob(String columnLabel) throws SQLException {
    return getClob(column("getClob", columnLabel));
  }

  @Override
  public Array getArray(String columnLabel) throws SQLException {
    return getArray(column("getArray", columnLabel));
  }

  @Override
  public Date getDate(int columnIndex, Calendar cal) throws SQLException {
    return call("getDate", () -> target.getDate(columnIndex, cal));
  }

  @Override
  public Date getDate(String columnLabel, Calendar cal) throws SQLException {
    return getDate(column("getDate", columnLabel), cal);
  }

  @Override
  public Time getTime(int columnIndex, Calendar cal) throws SQLException {
    return call("getTime", () -> target.getTime(columnIndex, cal));
  }

  @Override
  public Time getTime(String columnLabel, Calendar cal) throws SQLException {
    return getTime(column("getTime", columnLabel), cal);
  }

  @Override
  public Timestamp getTimestamp(int columnIndex, Calendar cal) throws SQLException {
    return call("getTimestamp", () -> target.getTimestamp(columnIndex, cal));
  }

  @Override
  public Timestamp getTimestamp(String columnLabel, Calendar cal) throws SQLException {
    return getTimestamp(column("getTimestamp", columnLabel), cal);
  }

  @Override
  public int getHoldability() throws SQLException {
    return call("getHoldability", () -> target.getHoldability());
  }

  @Override
  public boolean isClosed() throws SQLException {
    return call("isClosed", () -> target.isClosed());
  }

  @Override
  public NClob getNClob(int columnIndex) throws SQLException {
    return call("getNClob", () -> target.getNClob(columnIndex));
  }

  @Override
  public NClob getNClob(String columnLabel) throws SQLException {
    return getNClob(column("getNClob", columnLabel));
  }

  @Override
  public String getNString(int columnIndex) throws SQLException {
    return call("getNString", () -> target.getNString(columnIndex));
  }

  @Override
  public String getNString(String columnLabel) throws SQLException {
    return getNString(column("getNString", columnLabel));
  }

  @Override
  public Reader getNCharacterStream(int columnIndex) throws SQLException {
    return call("getNCharacterStream", () -> target.getNCharacterStream(columnIndex));
  }

  @Override
  public Reader getNCharacterStream(String columnLabel) throws SQLException {
    return getNCharacterStream(column("getNCharacterStream", columnLabel));
  }

  @Override
  public <T> T getObject(int columnIndex, Class<T> type) throws SQLException {
    return call("getObject", () -> target.getObject(columnIndex, type));
  }

  @Override
  public <T> T getObject(String columnLabel, Class<T> type) throws SQLException {
    return getObject(column("getObject", columnLabel), type);
  }
}
