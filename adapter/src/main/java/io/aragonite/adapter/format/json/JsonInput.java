package io.aragonite.adapter.format.json;

import io.aragonite.exec.memory.Mem;
import java.io.InputStream;

/** A run of text in native memory as a stream, in brackets if it is a part of an array. */
final class JsonInput extends InputStream {
  private final long end;
  private final boolean array;
  private long at;

  JsonInput(long start, long end, boolean array) {
    this.at = array ? start - 1 : start;
    this.end = end;
    this.array = array;
    this.start = start;
  }

  private final long start;

  @Override
  public int read() {
    if (at < start) {
      at++;
      return '[';
    }
    if (at < end) {
      return Mem.getByte(at++) & 0xFF;
    }
    return array && at++ == end ? ']' : -1;
  }

  @Override
  public int read(byte[] to, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    if (at < start || at >= end) {
      int one = read();
      if (one >= 0) {
        to[offset] = (byte) one;
      }
      return one < 0 ? -1 : 1;
    }
    int count = (int) Math.min(length, end - at);
    Mem.copy(at, to, offset, count);
    at += count;
    return count;
  }
}
