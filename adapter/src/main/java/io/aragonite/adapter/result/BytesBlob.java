package io.aragonite.adapter.result;

import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.Blob;
import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Bytes as a binary large object, to be read only. Positions count from 1. */
final class BytesBlob implements Blob {
  private byte @Nullable [] bytes;

  /**
   * @param bytes nobody else's
   */
  BytesBlob(byte[] bytes) {
    this.bytes = bytes;
  }

  private byte[] bytes() throws SQLException {
    byte[] present = bytes;
    if (present == null) {
      throw SqlErrors.of(
          new AragoniteException(
              ErrorCode.INVALID_CALL, "The large object was freed; read it before."));
    }
    return present;
  }

  @Override
  public long length() throws SQLException {
    return bytes().length;
  }

  @Override
  public byte[] getBytes(long position, int length) throws SQLException {
    int[] part = TextClob.part(position, length, bytes().length);
    return Arrays.copyOfRange(bytes(), part[0], part[1]);
  }

  @Override
  public InputStream getBinaryStream() throws SQLException {
    return new ByteArrayInputStream(bytes());
  }

  @Override
  public InputStream getBinaryStream(long position, long length) throws SQLException {
    int[] part = TextClob.part(position, length, bytes().length);
    return new ByteArrayInputStream(bytes(), part[0], part[1] - part[0]);
  }

  @Override
  public long position(byte[] wanted, long start) throws SQLException {
    byte[] all = bytes();
    int begin = TextClob.part(start, 0, all.length)[0];
    for (int at = begin; at <= all.length - wanted.length; at++) {
      if (Arrays.equals(all, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at + 1L;
      }
    }
    return -1;
  }

  @Override
  public long position(Blob wanted, long start) throws SQLException {
    return position(wanted.getBytes(1, Math.toIntExact(wanted.length())), start);
  }

  @Override
  public int setBytes(long position, byte[] part) throws SQLException {
    throw TextClob.readOnly();
  }

  @Override
  public int setBytes(long position, byte[] part, int offset, int length) throws SQLException {
    throw TextClob.readOnly();
  }

  @Override
  public OutputStream setBinaryStream(long position) throws SQLException {
    throw TextClob.readOnly();
  }

  @Override
  public void truncate(long length) throws SQLException {
    throw TextClob.readOnly();
  }

  @Override
  public void free() {
    bytes = null;
  }
}
