package io.aragonite.adapter.format.parquet;

import io.aragonite.exec.memory.Mem;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.InterningProtocol;
import shaded.parquet.org.apache.thrift.TBase;
import shaded.parquet.org.apache.thrift.TConfiguration;
import shaded.parquet.org.apache.thrift.TException;
import shaded.parquet.org.apache.thrift.protocol.TCompactProtocol;
import shaded.parquet.org.apache.thrift.protocol.TProtocol;
import shaded.parquet.org.apache.thrift.protocol.TProtocolUtil;
import shaded.parquet.org.apache.thrift.transport.TEndpointTransport;
import shaded.parquet.org.apache.thrift.transport.TTransportException;

/**
 * Thrift structures in native memory: footers, headers of pages, indexes. A file has as many
 * headers as pages, so that this goes without the streams of Parquet's own reader.
 */
final class ThriftInput extends TEndpointTransport {
  /** What is longer is copied by one call. */
  private static final int SHORT = 32;

  /** How deep fields that nobody knows may be in each other. */
  private static final int MOST_DEPTH = 64;

  static {
    TProtocolUtil.setMaxSkipDepth(MOST_DEPTH);
  }

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
    return read(address, end, structure, protocol -> protocol);
  }

  /** Reads a footer, whose names occur in each row group: equal texts are one object. */
  static void readFooter(long address, long end, FileMetaData footer) throws IOException {
    long _ = read(address, end, footer, InterningProtocol::new);
  }

  private static long read(
      long address, long end, TBase<?, ?> structure, UnaryOperator<TProtocol> form)
      throws IOException {
    try {
      ThriftInput input = new ThriftInput(address, end);
      structure.read(form.apply(new TCompactProtocol(input)));
      return input.position;
    } catch (TException e) {
      throw new IOException(e.getMessage(), e);
    } catch (StackOverflowError e) {
      throw new IOException("its structures are too deep in each other", e);
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
