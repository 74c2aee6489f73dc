package io.aragonite.adapter.format.parquet;

import io.aragonite.exec.memory.Mem;
import java.io.InputStream;

/** A stream over native memory. */
final class NativeInput extends InputStream {
  private final long end;
  private long position;

  NativeInput(long address, long end) {
    this.position = address;
    this.end = end;
  }

  @Override
  public int read() {
    return position < end ? Mem.getByte(position++) & 0xFF : -1;
  }

  @Override
  public int read(byte[] to, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    if (position >= end) {
      return -1;
    }
    int count = (int) Math.min(length, end - position);
    Mem.copy(position, to, offset, count);
    position += count;
    return count;
  }

  @Override
  public int available() {
    return (int) Math.min(Integer.MAX_VALUE, end - position);
  }
}
