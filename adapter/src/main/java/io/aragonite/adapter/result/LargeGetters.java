package io.aragonite.adapter.result;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.sql.Blob;
import java.sql.NClob;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * JDBC's getters of streams and large objects: texts as characters, bytes as bytes. A value is in
 * memory as a whole, so that they outlive their row.
 */
final class LargeGetters {
  private final ResultSet rows;
  private final ColumnGetters getters;

  LargeGetters(ResultSet rows, ColumnGetters getters) {
    this.rows = rows;
    this.getters = getters;
  }

  /** {@link ResultSet#getAsciiStream(int)}: a question mark for each character that has no byte. */
  @Nullable InputStream getAsciiStream(int column) throws SQLException {
    String text = text(column, "stream of ASCII");
    return text == null ? null : new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** {@link ResultSet#getCharacterStream(int)}. */
  @Nullable Reader getCharacterStream(int column) throws SQLException {
    String text = text(column, "stream of characters");
    return text == null ? null : new StringReader(text);
  }

  /** {@link ResultSet#getClob(int)}. */
  @Nullable NClob getClob(int column) throws SQLException {
    String text = text(column, "Clob");
    return text == null ? null : new TextClob(text);
  }

  /** {@link ResultSet#getBytes(int)}. */
  byte @Nullable [] getBytes(int column) throws SQLException {
    return bytes(column, "byte[]");
  }

  /** {@link ResultSet#getBinaryStream(int)}. */
  @Nullable InputStream getBinaryStream(int column) throws SQLException {
    byte[] bytes = bytes(column, "stream of bytes");
    return bytes == null ? null : new ByteArrayInputStream(bytes);
  }

  /** {@link ResultSet#getBlob(int)}. */
  @Nullable Blob getBlob(int column) throws SQLException {
    byte[] bytes = bytes(column, "Blob");
    return bytes == null ? null : new BytesBlob(bytes);
  }

  private @Nullable String text(int column, String wanted) throws SQLException {
    String text = rows.getString(column); // of a column that is none, its error
    if (!getters.isText(column)) {
      throw getters.refused(column, wanted);
    }
    return text;
  }

  private byte @Nullable [] bytes(int column, String wanted) throws SQLException {
    if (getters.isBytes(column)) {
      return rows.getBytes(column);
    }
    rows.getObject(column); // of a column that is none, its error
    throw getters.refused(column, wanted);
  }
}
