package io.aragonite.client;

import java.io.InputStream;
import java.io.Reader;
import java.sql.NClob;
import java.sql.ResultSet;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.ZoneId;
import java.util.Calendar;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.apache.calcite.avatica.AvaticaPreparedStatement;
import org.apache.calcite.avatica.ColumnMetaData.Rep;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.remote.TypedValue;
import org.jspecify.annotations.Nullable;

/** A prepared statement that a server runs; the setters are those that Avatica leaves open. */
final class ClientPreparedStatement extends AvaticaPreparedStatement {
  private final ClientConnection client;

  ClientPreparedStatement(
      ClientConnection connection,
      Meta.StatementHandle handle,
      Meta.Signature signature,
      int holdability)
      throws SQLException {
    super(
        connection,
        handle,
        signature,
        ResultSet.TYPE_FORWARD_ONLY,
        ResultSet.CONCUR_READ_ONLY,
        holdability);
    this.client = connection;
  }

  @Override
  public void addBatch() throws SQLException {
    requireValues();
    super.addBatch();
  }

  /** The values that were added. */
  List<List<TypedValue>> batch() {
    return getParameterValueBatch();
  }

  @Override
  public ResultSet getGeneratedKeys() throws SQLException {
    checkOpen();
    return client.noKeys();
  }

  /** Refuses to send a parameter that has no value. */
  void requireValues() throws SQLException {
    for (int i = 0; i < slots.length; i++) {
      if (slots[i] == null) {
        throw ClientErrors.user(
            207,
            "07002",
            "Parameter %d of the statement's %d has no value; set it before the statement is run."
                .formatted(i + 1, slots.length));
      }
    }
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // who waits for the statement has the lock
  public void cancel() throws SQLException {
    checkOpen();
    client.cancel(handle);
  }

  /** The connection's. */
  ZoneId zone() {
    return client.getTimeZone().toZoneId();
  }

  /** Sets what Avatica's protocol is to have: java.sql's classes cannot say each. */
  void send(int index, TypedValue value) throws SQLException {
    getSite(index); // refuses a number that is none of a parameter
    slots[index - 1] = value;
  }

  @Override
  public void setObject(int index, @Nullable Object value) throws SQLException {
    if (value == null || !ClientParameters.set(this, index, value)) {
      getSite(index); // refuses a number that is none of a parameter
      TypedValue before = slots[index - 1];
      super.setObject(index, value);
      requireSent(index, value, before);
    }
  }

  @Override
  public void setObject(int index, @Nullable Object value, int type) throws SQLException {
    setTyped(index, value, type, null);
  }

  @Override
  public void setObject(int index, @Nullable Object value, int type, int scale)
      throws SQLException {
    setTyped(index, value, type, scale);
  }

  @Override
  public void setObject(int index, @Nullable Object value, SQLType type) throws SQLException {
    setTyped(index, value, type.getVendorTypeNumber(), null);
  }

  @Override
  public void setObject(int index, @Nullable Object value, SQLType type, int scale)
      throws SQLException {
    setTyped(index, value, type.getVendorTypeNumber(), scale);
  }

  private void setTyped(int index, @Nullable Object value, int type, @Nullable Integer scale)
      throws SQLException {
    if (value == null || type == Types.NULL) {
      setNull(index, type);
      return;
    }
    Object typed = ClientTargetTypes.of(new ClientMoments(zone()), value, type, scale);
    if (typed instanceof byte[] bytes) {
      setBytes(index, bytes);
    } else {
      setObject(index, typed);
    }
  }

  /**
   * Refuses what Avatica takes, and fails over when it is sent.
   *
   * @param before what the parameter was, and stays
   */
  private void requireSent(int index, @Nullable Object value, TypedValue before)
      throws SQLException {
    TypedValue set = slots[index - 1];
    if (value != null && set != null && set.type == Rep.OBJECT) {
      slots[index - 1] = before;
      throw ClientParameters.refused(value);
    }
  }

  @Override
  public void setTimestamp(int index, @Nullable Timestamp value) throws SQLException {
    setTimestamp(index, value, Calendar.getInstance(client.getTimeZone(), Locale.ROOT));
  }

  @Override
  public void setTimestamp(int index, @Nullable Timestamp value, @Nullable Calendar calendar)
      throws SQLException {
    TimeZone zone = calendar == null ? client.getTimeZone() : calendar.getTimeZone();
    if (value == null) {
      super.setTimestamp(index, null, Calendar.getInstance(zone, Locale.ROOT));
    } else {
      send(index, ClientParameters.moment(value, zone.toZoneId()));
    }
  }

  @Override
  public void setRowId(int index, RowId value) throws SQLException {
    getSite(index).setRowId(value);
  }

  @Override
  public void setNString(int index, String value) throws SQLException {
    getSite(index).setNString(value);
  }

  @Override
  public void setNCharacterStream(int index, Reader value, long length) throws SQLException {
    getSite(index).setNCharacterStream(value, length);
  }

  @Override
  public void setNClob(int index, NClob value) throws SQLException {
    getSite(index).setNClob(value);
  }

  @Override
  public void setClob(int index, Reader value, long length) throws SQLException {
    getSite(index).setClob(value, length);
  }

  @Override
  public void setBlob(int index, InputStream value, long length) throws SQLException {
    getSite(index).setBlob(value, length);
  }

  @Override
  public void setNClob(int index, Reader value, long length) throws SQLException {
    getSite(index).setNClob(value, length);
  }

  @Override
  public void setSQLXML(int index, SQLXML value) throws SQLException {
    getSite(index).setSQLXML(value);
  }

  @Override
  public void setAsciiStream(int index, InputStream value, long length) throws SQLException {
    getSite(index).setAsciiStream(value, length);
  }

  @Override
  public void setBinaryStream(int index, InputStream value, long length) throws SQLException {
    getSite(index).setBinaryStream(value, length);
  }

  @Override
  public void setCharacterStream(int index, Reader value, long length) throws SQLException {
    getSite(index).setCharacterStream(value, length);
  }

  @Override
  public void setAsciiStream(int index, InputStream value) throws SQLException {
    getSite(index).setAsciiStream(value);
  }

  @Override
  public void setBinaryStream(int index, InputStream value) throws SQLException {
    getSite(index).setBinaryStream(value);
  }

  @Override
  public void setCharacterStream(int index, Reader value) throws SQLException {
    getSite(index).setCharacterStream(value);
  }

  @Override
  public void setNCharacterStream(int index, Reader value) throws SQLException {
    getSite(index).setNCharacterStream(value);
  }

  @Override
  public void setClob(int index, Reader value) throws SQLException {
    getSite(index).setClob(value);
  }

  @Override
  public void setBlob(int index, InputStream value) throws SQLException {
    getSite(index).setBlob(value);
  }

  @Override
  public void setNClob(int index, Reader value) throws SQLException {
    getSite(index).setNClob(value);
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // what it calls has the lock
  public void close() throws SQLException {
    try {
      super.close();
    } catch (SQLException e) {
      throw ClientErrors.asServerSaid(e);
    }
  }
}
