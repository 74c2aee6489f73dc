package io.aragonite.adapter.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;

/** A result whose every call is another result's, behind the guard. */
@NullUnmarked // as java.sql is
@SuppressWarnings("deprecation") // JDBC keeps some of its first methods
public abstract class DelegatingResultSet extends JdbcGuard<ResultSet> implements ResultSet {
  protected DelegatingResultSet(ResultSet target) {
    super(ResultSet.class, target);
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
  public InputStream getUnicodeStream(int columnIndex) throws SQLException {
    return call("getUnicodeStream", () -> target.getUnicodeStream(columnIndex));
  }

  @Override
  public InputStream getBinaryStream(int columnIndex) throws SQLException {
    return call("getBinaryStream", () -> target.getBinaryStream(columnIndex));
  }

  @Override
  public String getString(String columnLabel) throws SQLException {
    return call("getString", () -> target.getString(columnLabel));
  }

  @Override
  public boolean getBoolean(String columnLabel) throws SQLException {
    return call("getBoolean", () -> target.getBoolean(columnLabel));
  }

  @Override
  public byte getByte(String columnLabel) throws SQLException {
    return call("getByte", () -> target.getByte(columnLabel));
  }

  @Override
  public short getShort(String columnLabel) throws SQLException {
    return call("getShort", () -> target.getShort(columnLabel));
  }

  @Override
  public int getInt(String columnLabel) throws SQLException {
    return call("getInt", () -> target.getInt(columnLabel));
  }

  @Override
  public long getLong(String columnLabel) throws SQLException {
    return call("getLong", () -> target.getLong(columnLabel));
  }

  @Override
  public float getFloat(String columnLabel) throws SQLException {
    return call("getFloat", () -> target.getFloat(columnLabel));
  }

  @Override
  public double getDouble(String columnLabel) throws SQLException {
    return call("getDouble", () -> target.getDouble(columnLabel));
  }

  @Override
  public BigDecimal getBigDecimal(String columnLabel, int scale) throws SQLException {
    return call("getBigDecimal", () -> target.getBigDecimal(columnLabel, scale));
  }

  @Override
  public byte[] getBytes(String columnLabel) throws SQLException {
    return call("getBytes", () -> target.getBytes(columnLabel));
  }

  @Override
  public Date getDate(String columnLabel) throws SQLException {
    return call("getDate", () -> target.getDate(columnLabel));
  }

  @Override
  public Time getTime(String columnLabel) throws SQLException {
    return call("getTime", () -> target.getTime(columnLabel));
  }

  @Override
  public Timestamp getTimestamp(String columnLabel) throws SQLException {
    return call("getTimestamp", () -> target.getTimestamp(columnLabel));
  }

  @Override
  public InputStream getAsciiStream(String columnLabel) throws SQLException {
    return call("getAsciiStream", () -> target.getAsciiStream(columnLabel));
  }

  @Override
  public InputStream getUnicodeStream(String columnLabel) throws SQLException {
    return call("getUnicodeStream", () -> target.getUnicodeStream(columnLabel));
  }

  @Override
  public InputStream getBinaryStream(String columnLabel) throws SQLException {
    return call("getBinaryStream", () -> target.getBinaryStream(columnLabel));
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
  public String getCursorName() throws SQLException {
    return call("getCursorName", () -> target.getCursorName());
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
    return call("getObject", () -> target.getObject(columnLabel));
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
    return call("getCharacterStream", () -> target.getCharacterStream(columnLabel));
  }

  @Override
  public BigDecimal getBigDecimal(int columnIndex) throws SQLException {
    return call("getBigDecimal", () -> target.getBigDecimal(columnIndex));
  }

  @Override
  public BigDecimal getBigDecimal(String columnLabel) throws SQLException {
    return call("getBigDecimal", () -> target.getBigDecimal(columnLabel));
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
  public void beforeFirst() throws SQLException {
    run("beforeFirst", () -> target.beforeFirst());
  }

  @Override
  public void afterLast() throws SQLException {
    run("afterLast", () -> target.afterLast());
  }

  @Override
  public boolean first() throws SQLException {
    return call("first", () -> target.first());
  }

  @Override
  public boolean last() throws SQLException {
    return call("last", () -> target.last());
  }

  @Override
  public int getRow() throws SQLException {
    return call("getRow", () -> target.getRow());
  }

  @Override
  public boolean absolute(int row) throws SQLException {
    return call("absolute", () -> target.absolute(row));
  }

  @Override
  public boolean relative(int rows) throws SQLException {
    return call("relative", () -> target.relative(rows));
  }

  @Override
  public boolean previous() throws SQLException {
    return call("previous", () -> target.previous());
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
  public void updateNull(int columnIndex) throws SQLException {
    run("updateNull", () -> target.updateNull(columnIndex));
  }

  @Override
  public void updateBoolean(int columnIndex, boolean x) throws SQLException {
    run("updateBoolean", () -> target.updateBoolean(columnIndex, x));
  }

  @Override
  public void updateByte(int columnIndex, byte x) throws SQLException {
    run("updateByte", () -> target.updateByte(columnIndex, x));
  }

  @Override
  public void updateShort(int columnIndex, short x) throws SQLException {
    run("updateShort", () -> target.updateShort(columnIndex, x));
  }

  @Override
  public void updateInt(int columnIndex, int x) throws SQLException {
    run("updateInt", () -> target.updateInt(columnIndex, x));
  }

  @Override
  public void updateLong(int columnIndex, long x) throws SQLException {
    run("updateLong", () -> target.updateLong(columnIndex, x));
  }

  @Override
  public void updateFloat(int columnIndex, float x) throws SQLException {
    run("updateFloat", () -> target.updateFloat(columnIndex, x));
  }

  @Override
  public void updateDouble(int columnIndex, double x) throws SQLException {
    run("updateDouble", () -> target.updateDouble(columnIndex, x));
  }

  @Override
  public void updateBigDecimal(int columnIndex, BigDecimal x) throws SQLException {
    run("updateBigDecimal", () -> target.updateBigDecimal(columnIndex, x));
  }

  @Override
  public void updateString(int columnIndex, String x) throws SQLException {
    run("updateString", () -> target.updateString(columnIndex, x));
  }

  @Override
  public void updateBytes(int columnIndex, byte[] x) throws SQLException {
    run("updateBytes", () -> target.updateBytes(columnIndex, x));
  }

  @Override
  public void updateDate(int columnIndex, Date x) throws SQLException {
    run("updateDate", () -> target.updateDate(columnIndex, x));
  }

  @Override
  public void updateTime(int columnIndex, Time x) throws SQLException {
    run("updateTime", () -> target.updateTime(columnIndex, x));
  }

  @Override
  public void updateTimestamp(int columnIndex, Timestamp x) throws SQLException {
    run("updateTimestamp", () -> target.updateTimestamp(columnIndex, x));
  }

  @Override
  public void updateAsciiStream(int columnIndex, InputStream x, int length) throws SQLException {
    run("updateAsciiStream", () -> target.updateAsciiStream(columnIndex, x, length));
  }

  @Override
  public void updateBinaryStream(int columnIndex, InputStream x, int length) throws SQLException {
    run("updateBinaryStream", () -> target.updateBinaryStream(columnIndex, x, length));
  }

  @Override
  public void updateCharacterStream(int columnIndex, Reader x, int length) throws SQLException {
    run("updateCharacterStream", () -> target.updateCharacterStream(columnIndex, x, length));
  }

  @Override
  public void updateObject(int columnIndex, Object x, int scaleOrLength) throws SQLException {
    run("updateObject", () -> target.updateObject(columnIndex, x, scaleOrLength));
  }

  @Override
  public void updateObject(int columnIndex, Object x) throws SQLException {
    run("updateObject", () -> target.updateObject(columnIndex, x));
  }

  @Override
  public void updateNull(String columnLabel) throws SQLException {
    run("updateNull", () -> target.updateNull(columnLabel));
  }

  @Override
  public void updateBoolean(String columnLabel, boolean x) throws SQLException {
    run("updateBoolean", () -> target.updateBoolean(columnLabel, x));
  }

  @Override
  public void updateByte(String columnLabel, byte x) throws SQLException {
    run("updateByte", () -> target.updateByte(columnLabel, x));
  }

  @Override
  public void updateShort(String columnLabel, short x) throws SQLException {
    run("updateShort", () -> target.updateShort(columnLabel, x));
  }

  @Override
  public void updateInt(String columnLabel, int x) throws SQLException {
    run("updateInt", () -> target.updateInt(columnLabel, x));
  }

  @Override
  public void updateLong(String columnLabel, long x) throws SQLException {
    run("updateLong", () -> target.updateLong(columnLabel, x));
  }

  @Override
  public void updateFloat(String columnLabel, float x) throws SQLException {
    run("updateFloat", () -> target.updateFloat(columnLabel, x));
  }

  @Override
  public void updateDouble(String columnLabel, double x) throws SQLException {
    run("updateDouble", () -> target.updateDouble(columnLabel, x));
  }

  @Override
  public void updateBigDecimal(String columnLabel, BigDecimal x) throws SQLException {
    run("updateBigDecimal", () -> target.updateBigDecimal(columnLabel, x));
  }

  @Override
  public void updateString(String columnLabel, String x) throws SQLException {
    run("updateString", () -> target.updateString(columnLabel, x));
  }

  @Override
  public void updateBytes(String columnLabel, byte[] x) throws SQLException {
    run("updateBytes", () -> target.updateBytes(columnLabel, x));
  }

  @Override
  public void updateDate(String columnLabel, Date x) throws SQLException {
    run("updateDate", () -> target.updateDate(columnLabel, x));
  }

  @Override
  public void updateTime(String columnLabel, Time x) throws SQLException {
    run("updateTime", () -> target.updateTime(columnLabel, x));
  }

  @Override
  public void updateTimestamp(String columnLabel, Timestamp x) throws SQLException {
    run("updateTimestamp", () -> target.updateTimestamp(columnLabel, x));
  }

  @Override
  public void updateAsciiStream(String columnLabel, InputStream x, int length) throws SQLException {
    run("updateAsciiStream", () -> target.updateAsciiStream(columnLabel, x, length));
  }

  @Override
  public void updateBinaryStream(String columnLabel, InputStream x, int length)
      throws SQLException {
    run("updateBinaryStream", () -> target.updateBinaryStream(columnLabel, x, length));
  }

  @Override
  public void updateCharacterStream(String columnLabel, Reader reader, int length)
      throws SQLException {
    run("updateCharacterStream", () -> target.updateCharacterStream(columnLabel, reader, length));
  }

  @Override
  public void updateObject(String columnLabel, Object x, int scaleOrLength) throws SQLException {
    run("updateObject", () -> target.updateObject(columnLabel, x, scaleOrLength));
  }

  @Override
  public void updateObject(String columnLabel, Object x) throws SQLException {
    run("updateObject", () -> target.updateObject(columnLabel, x));
  }

  @Override
  public void insertRow() throws SQLException {
    run("insertRow", () -> target.insertRow());
  }

  @Override
  public void updateRow() throws SQLException {
    run("updateRow", () -> target.updateRow());
  }

  @Override
  public void deleteRow() throws SQLException {
    run("deleteRow", () -> target.deleteRow());
  }

  @Override
  public void refreshRow() throws SQLException {
    run("refreshRow", () -> target.refreshRow());
  }

  @Override
  public void cancelRowUpdates() throws SQLException {
    run("cancelRowUpdates", () -> target.cancelRowUpdates());
  }

  @Override
  public void moveToInsertRow() throws SQLException {
    run("moveToInsertRow", () -> target.moveToInsertRow());
  }

  @Override
  public void moveToCurrentRow() throws SQLException {
    run("moveToCurrentRow", () -> target.moveToCurrentRow());
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
  public Ref getRef(int columnIndex) throws SQLException {
    return call("getRef", () -> target.getRef(columnIndex));
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
    return call("getObject", () -> target.getObject(columnLabel, map));
  }

  @Override
  public Ref getRef(String columnLabel) throws SQLException {
    return call("getRef", () -> target.getRef(columnLabel));
  }

  @Override
  public Blob getBlob(String columnLabel) throws SQLException {
    return call("getBlob", () -> target.getBlob(columnLabel));
  }

  @Override
  public Clob getClob(String columnLabel) throws SQLException {
    return call("getClob", () -> target.getClob(columnLabel));
  }

  @Override
  public Array getArray(String columnLabel) throws SQLException {
    return call("getArray", () -> target.getArray(columnLabel));
  }

  @Override
  public Date getDate(int columnIndex, Calendar cal) throws SQLException {
    return call("getDate", () -> target.getDate(columnIndex, cal));
  }

  @Override
  public Date getDate(String columnLabel, Calendar cal) throws SQLException {
    return call("getDate", () -> target.getDate(columnLabel, cal));
  }

  @Override
  public Time getTime(int columnIndex, Calendar cal) throws SQLException {
    return call("getTime", () -> target.getTime(columnIndex, cal));
  }

  @Override
  public Time getTime(String columnLabel, Calendar cal) throws SQLException {
    return call("getTime", () -> target.getTime(columnLabel, cal));
  }

  @Override
  public Timestamp getTimestamp(int columnIndex, Calendar cal) throws SQLException {
    return call("getTimestamp", () -> target.getTimestamp(columnIndex, cal));
  }

  @Override
  public Timestamp getTimestamp(String columnLabel, Calendar cal) throws SQLException {
    return call("getTimestamp", () -> target.getTimestamp(columnLabel, cal));
  }

  @Override
  public URL getURL(int columnIndex) throws SQLException {
    return call("getURL", () -> target.getURL(columnIndex));
  }

  @Override
  public URL getURL(String columnLabel) throws SQLException {
    return call("getURL", () -> target.getURL(columnLabel));
  }

  @Override
  public void updateRef(int columnIndex, Ref x) throws SQLException {
    run("updateRef", () -> target.updateRef(columnIndex, x));
  }

  @Override
  public void updateRef(String columnLabel, Ref x) throws SQLException {
    run("updateRef", () -> target.updateRef(columnLabel, x));
  }

  @Override
  public void updateBlob(int columnIndex, Blob x) throws SQLException {
    run("updateBlob", () -> target.updateBlob(columnIndex, x));
  }

  @Override
  public void updateBlob(String columnLabel, Blob x) throws SQLException {
    run("updateBlob", () -> target.updateBlob(columnLabel, x));
  }

  @Override
  public void updateClob(int columnIndex, Clob x) throws SQLException {
    run("updateClob", () -> target.updateClob(columnIndex, x));
  }

  @Override
  public void updateClob(String columnLabel, Clob x) throws SQLException {
    run("updateClob", () -> target.updateClob(columnLabel, x));
  }

  @Override
  public void updateArray(int columnIndex, Array x) throws SQLException {
    run("updateArray", () -> target.updateArray(columnIndex, x));
  }

  @Override
  public void updateArray(String columnLabel, Array x) throws SQLException {
    run("updateArray", () -> target.updateArray(columnLabel, x));
  }

  @Override
  public RowId getRowId(int columnIndex) throws SQLException {
    return call("getRowId", () -> target.getRowId(columnIndex));
  }

  @Override
  public RowId getRowId(String columnLabel) throws SQLException {
    return call("getRowId", () -> target.getRowId(columnLabel));
  }

  @Override
  public void updateRowId(int columnIndex, RowId x) throws SQLException {
    run("updateRowId", () -> target.updateRowId(columnIndex, x));
  }

  @Override
  public void updateRowId(String columnLabel, RowId x) throws SQLException {
    run("updateRowId", () -> target.updateRowId(columnLabel, x));
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
  public void updateNString(int columnIndex, String nString) throws SQLException {
    run("updateNString", () -> target.updateNString(columnIndex, nString));
  }

  @Override
  public void updateNString(String columnLabel, String nString) throws SQLException {
    run("updateNString", () -> target.updateNString(columnLabel, nString));
  }

  @Override
  public void updateNClob(int columnIndex, NClob nClob) throws SQLException {
    run("updateNClob", () -> target.updateNClob(columnIndex, nClob));
  }

  @Override
  public void updateNClob(String columnLabel, NClob nClob) throws SQLException {
    run("updateNClob", () -> target.updateNClob(columnLabel, nClob));
  }

  @Override
  public NClob getNClob(int columnIndex) throws SQLException {
    return call("getNClob", () -> target.getNClob(columnIndex));
  }

  @Override
  public NClob getNClob(String columnLabel) throws SQLException {
    return call("getNClob", () -> target.getNClob(columnLabel));
  }

  @Override
  public SQLXML getSQLXML(int columnIndex) throws SQLException {
    return call("getSQLXML", () -> target.getSQLXML(columnIndex));
  }

  @Override
  public SQLXML getSQLXML(String columnLabel) throws SQLException {
    return call("getSQLXML", () -> target.getSQLXML(columnLabel));
  }

  @Override
  public void updateSQLXML(int columnIndex, SQLXML xmlObject) throws SQLException {
    run("updateSQLXML", () -> target.updateSQLXML(columnIndex, xmlObject));
  }

  @Override
  public void updateSQLXML(String columnLabel, SQLXML xmlObject) throws SQLException {
    run("updateSQLXML", () -> target.updateSQLXML(columnLabel, xmlObject));
  }

  @Override
  public String getNString(int columnIndex) throws SQLException {
    return call("getNString", () -> target.getNString(columnIndex));
  }

  @Override
  public String getNString(String columnLabel) throws SQLException {
    return call("getNString", () -> target.getNString(columnLabel));
  }

  @Override
  public Reader getNCharacterStream(int columnIndex) throws SQLException {
    return call("getNCharacterStream", () -> target.getNCharacterStream(columnIndex));
  }

  @Override
  public Reader getNCharacterStream(String columnLabel) throws SQLException {
    return call("getNCharacterStream", () -> target.getNCharacterStream(columnLabel));
  }

  @Override
  public void updateNCharacterStream(int columnIndex, Reader x, long length) throws SQLException {
    run("updateNCharacterStream", () -> target.updateNCharacterStream(columnIndex, x, length));
  }

  @Override
  public void updateNCharacterStream(String columnLabel, Reader reader, long length)
      throws SQLException {
    run("updateNCharacterStream", () -> target.updateNCharacterStream(columnLabel, reader, length));
  }

  @Override
  public void updateAsciiStream(int columnIndex, InputStream x, long length) throws SQLException {
    run("updateAsciiStream", () -> target.updateAsciiStream(columnIndex, x, length));
  }

  @Override
  public void updateBinaryStream(int columnIndex, InputStream x, long length) throws SQLException {
    run("updateBinaryStream", () -> target.updateBinaryStream(columnIndex, x, length));
  }

  @Override
  public void updateCharacterStream(int columnIndex, Reader x, long length) throws SQLException {
    run("updateCharacterStream", () -> target.updateCharacterStream(columnIndex, x, length));
  }

  @Override
  public void updateAsciiStream(String columnLabel, InputStream x, long length)
      throws SQLException {
    run("updateAsciiStream", () -> target.updateAsciiStream(columnLabel, x, length));
  }

  @Override
  public void updateBinaryStream(String columnLabel, InputStream x, long length)
      throws SQLException {
    run("updateBinaryStream", () -> target.updateBinaryStream(columnLabel, x, length));
  }

  @Override
  public void updateCharacterStream(String columnLabel, Reader reader, long length)
      throws SQLException {
    run("updateCharacterStream", () -> target.updateCharacterStream(columnLabel, reader, length));
  }

  @Override
  public void updateBlob(int columnIndex, InputStream inputStream, long length)
      throws SQLException {
    run("updateBlob", () -> target.updateBlob(columnIndex, inputStream, length));
  }

  @Override
  public void updateBlob(String columnLabel, InputStream inputStream, long length)
      throws SQLException {
    run("updateBlob", () -> target.updateBlob(columnLabel, inputStream, length));
  }

  @Override
  public void updateClob(int columnIndex, Reader reader, long length) throws SQLException {
    run("updateClob", () -> target.updateClob(columnIndex, reader, length));
  }

  @Override
  public void updateClob(String columnLabel, Reader reader, long length) throws SQLException {
    run("updateClob", () -> target.updateClob(columnLabel, reader, length));
  }

  @Override
  public void updateNClob(int columnIndex, Reader reader, long length) throws SQLException {
    run("updateNClob", () -> target.updateNClob(columnIndex, reader, length));
  }

  @Override
  public void updateNClob(String columnLabel, Reader reader, long length) throws SQLException {
    run("updateNClob", () -> target.updateNClob(columnLabel, reader, length));
  }

  @Override
  public void updateNCharacterStream(int columnIndex, Reader x) throws SQLException {
    run("updateNCharacterStream", () -> target.updateNCharacterStream(columnIndex, x));
  }

  @Override
  public void updateNCharacterStream(String columnLabel, Reader reader) throws SQLException {
    run("updateNCharacterStream", () -> target.updateNCharacterStream(columnLabel, reader));
  }

  @Override
  public void updateAsciiStream(int columnIndex, InputStream x) throws SQLException {
    run("updateAsciiStream", () -> target.updateAsciiStream(columnIndex, x));
  }

  @Override
  public void updateBinaryStream(int columnIndex, InputStream x) throws SQLException {
    run("updateBinaryStream", () -> target.updateBinaryStream(columnIndex, x));
  }

  @Override
  public void updateCharacterStream(int columnIndex, Reader x) throws SQLException {
    run("updateCharacterStream", () -> target.updateCharacterStream(columnIndex, x));
  }

  @Override
  public void updateAsciiStream(String columnLabel, InputStream x) throws SQLException {
    run("updateAsciiStream", () -> target.updateAsciiStream(columnLabel, x));
  }

  @Override
  public void updateBinaryStream(String columnLabel, InputStream x) throws SQLException {
    run("updateBinaryStream", () -> target.updateBinaryStream(columnLabel, x));
  }

  @Override
  public void updateCharacterStream(String columnLabel, Reader reader) throws SQLException {
    run("updateCharacterStream", () -> target.updateCharacterStream(columnLabel, reader));
  }

  @Override
  public void updateBlob(int columnIndex, InputStream inputStream) throws SQLException {
    run("updateBlob", () -> target.updateBlob(columnIndex, inputStream));
  }

  @Override
  public void updateBlob(String columnLabel, InputStream inputStream) throws SQLException {
    run("updateBlob", () -> target.updateBlob(columnLabel, inputStream));
  }

  @Override
  public void updateClob(int columnIndex, Reader reader) throws SQLException {
    run("updateClob", () -> target.updateClob(columnIndex, reader));
  }

  @Override
  public void updateClob(String columnLabel, Reader reader) throws SQLException {
    run("updateClob", () -> target.updateClob(columnLabel, reader));
  }

  @Override
  public void updateNClob(int columnIndex, Reader reader) throws SQLException {
    run("updateNClob", () -> target.updateNClob(columnIndex, reader));
  }

  @Override
  public void updateNClob(String columnLabel, Reader reader) throws SQLException {
    run("updateNClob", () -> target.updateNClob(columnLabel, reader));
  }

  @Override
  public <T> T getObject(int columnIndex, Class<T> type) throws SQLException {
    return call("getObject", () -> target.getObject(columnIndex, type));
  }

  @Override
  public <T> T getObject(String columnLabel, Class<T> type) throws SQLException {
    return call("getObject", () -> target.getObject(columnLabel, type));
  }

  @Override
  public void updateObject(int columnIndex, Object x, SQLType targetSqlType, int scaleOrLength)
      throws SQLException {
    run("updateObject", () -> target.updateObject(columnIndex, x, targetSqlType, scaleOrLength));
  }

  @Override
  public void updateObject(String columnLabel, Object x, SQLType targetSqlType, int scaleOrLength)
      throws SQLException {
    run("updateObject", () -> target.updateObject(columnLabel, x, targetSqlType, scaleOrLength));
  }

  @Override
  public void updateObject(int columnIndex, Object x, SQLType targetSqlType) throws SQLException {
    run("updateObject", () -> target.updateObject(columnIndex, x, targetSqlType));
  }

  @Override
  public void updateObject(String columnLabel, Object x, SQLType targetSqlType)
      throws SQLException {
    run("updateObject", () -> target.updateObject(columnLabel, x, targetSqlType));
  }
}
