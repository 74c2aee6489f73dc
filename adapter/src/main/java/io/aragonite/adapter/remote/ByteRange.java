package io.aragonite.adapter.remote;

/** Bytes of a file, from one to before another. */
public record ByteRange(long from, long to) {
  public long length() {
    return to - from;
  }
}
