package io.aragonite.adapter.remote;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** What an answer consists of, which knows whether all of it has come. */
final class AnswerBytes extends FilterInputStream {
  private long left;

  /**
   * @param length bytes of the answer; -1: it does not say
   */
  AnswerBytes(InputStream in, long length) {
    super(in);
    this.left = length;
  }

  @Override
  public int read() throws IOException {
    int value = in.read();
    left -= value < 0 ? 0 : 1;
    return value;
  }

  @Override
  public int read(byte[] to, int offset, int length) throws IOException {
    int count = in.read(to, offset, length);
    left -= Math.max(0, count);
    return count;
  }

  @Override
  public long skip(long count) throws IOException {
    long skipped = in.skip(count);
    left -= skipped;
    return skipped;
  }

  /** Whether the end has been read to, so that the connection can be used again. */
  boolean complete() throws IOException {
    return left == 0 && in.read() < 0;
  }
}
