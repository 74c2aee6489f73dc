package io.aragonite.adapter.result;

import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.sql.Clob;
import java.sql.NClob;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A text as a character large object, to be read only. Positions count from 1, in UTF-16. */
final class TextClob implements NClob {
  private @Nullable String text;

  TextClob(String text) {
    this.text = text;
  }

  private String text() throws SQLException {
    String present = text;
    if (present == null) {
      throw wrong("The large object was freed; read it before.");
    }
    return present;
  }

  private static SQLException wrong(String sentence) {
    return SqlErrors.of(new AragoniteException(ErrorCode.INVALID_CALL, sentence));
  }

  /** What changes of a large object end with. */
  static SQLException readOnly() {
    return SqlErrors.of(
        new AragoniteException(
            ErrorCode.READ_ONLY,
            "Large objects of a result are read only; give changed values as parameters."));
  }

  /**
   * The part from a position, in characters or bytes.
   *
   * @return where it begins and where it ends, from 0
   */
  static int[] part(long position, long length, int size) throws SQLException {
    if (position < 1 || length < 0 || position - 1 > size) {
      throw wrong(
          "A large object of length %d has no part from %d, %d long; the first position is 1."
              .formatted(size, position, length));
    }
    int begin = (int) position - 1;
    return new int[] {begin, begin + (int) Math.min(length, size - begin)};
  }

  @Override
  public long length() throws SQLException {
    return text().length();
  }

  @Override
  public String getSubString(long position, int length) throws SQLException {
    int[] part = part(position, length, text().length());
    return text().substring(part[0], part[1]);
  }

  @Override
  public Reader getCharacterStream() throws SQLException {
    return new StringReader(text());
  }

  @Override
  public Reader getCharacterStream(long position, long length) throws SQLException {
    int[] part = part(position, length, text().length());
    return new StringReader(text().substring(part[0], part[1]));
  }

  @Override
  public InputStream getAsciiStream() throws SQLException {
    return new ByteArrayInputStream(text().getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public long position(String wanted, long start) throws SQLException {
    int at = text().indexOf(wanted, part(start, 0, text().length())[0]);
    return at < 0 ? -1 : at + 1L;
  }

  @Override
  public long position(Clob wanted, long start) throws SQLException {
    return position(wanted.getSubString(1, Math.toIntExact(wanted.length())), start);
  }

  @Override
  public int setString(long position, String part) throws SQLException {
    throw readOnly();
  }

  @Override
  public int setString(long position, String part, int offset, int length) throws SQLException {
    throw readOnly();
  }

  @Override
  public OutputStream setAsciiStream(long position) throws SQLException {
    throw readOnly();
  }

  @Override
  public Writer setCharacterStream(long position) throws SQLException {
    throw readOnly();
  }

  @Override
  public void truncate(long length) throws SQLException {
    throw readOnly();
  }

  @Override
  public void free() {
    text = null;
  }

  @Override
  public String toString() {
    return String.valueOf(text);
  }
}
