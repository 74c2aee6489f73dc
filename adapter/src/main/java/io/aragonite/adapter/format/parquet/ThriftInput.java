package io.aragonite.adapter.format.parquet;

import io.aragonite.exec.memory.Mem;
import java.io.IOException;
import shaded.parquet.org.apache.thrift.TBase;
import shaded.parquet.org.apache.thrift.TConfiguration;
import shaded.parquet.org.apache.thrift.TException;
import shaded.parquet.org.apache.thrift.protocol.TCompactProtocol;
import shaded.parquet.org.apache.thrift.transport.TEndpointTransport;
import shaded.parquet.org.apache.thrift.transport.TTransportException;

/**
 * Thrift structures in native memory: footers, headers of pages, indexes. A file has as many
 * headers as pages, so that this goes without the streams of Parquet's own reader.
 */
final class ThriftInput extends TEndpointTransport {
  /** What is longer is copied by one call. */
  private static final int SHORT = 32;

  private final long end;
  private long position;

  private ThriftInput(long address, long end) throws TTransportException {
    // A list cannot have more elements than there are bytes.
    super(
        new TConfiguration(
            (int) Math.min(Integer.MAX_VALUE, end - address + 1024),
            TConfiguration.DEFAULT_MAX_FRAME_SIZE,
            TConfiguration.DEFAULT_RECURSION_DEPTH));
    this.position = address;
    this.end = end;
  }

  /**
   * Reads a structure.
   *
   * @param end behind the last byte that may be read
   * @return the address behind it
   * @throws IOException if the bytes are none
   */
  static long read(long address, long end, TBase<?, ?> structure) throws IOException {
    try {
      ThriftInput input = new ThriftInput(address, end);
      structure.read(new TCompactProtocol(input));
      return input.position;
    } catch (TException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public int read(byte[] to, int offset, int length) throws TTransportException {
    return readAll(to, offset, (int) Math.min(length, end - position));
  }

  @Override
  public int readAll(byte[] to, int offset, int length) throws TTransportException {
    if (length > end - position) {
      throw new TTransportException(TTransportException.END_OF_FILE, "it is cut off");
    }
    if (length > SHORT) {
      Mem.copy(position, to, offset, length);
    } else {
      for (int i = 0; i < length; i++) {
        to[offset + i] = Mem.getByte(position + i);
      }
    }
    position += length;
    return length;
  }

  @Override
  public void write(byte[] from, int offset, int length) {
    throw new UnsupportedOperationException("structures are read only");
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public void open() {}

  @Override
  public void close() {}
}
