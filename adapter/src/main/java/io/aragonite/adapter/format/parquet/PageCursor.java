package io.aragonite.adapter.format.parquet;

import static io.aragonite.adapter.format.parquet.MalformedPageException.check;

import io.aragonite.exec.memory.Mem;

/** A place within the bytes of a page, which cannot be moved beyond their end. */
class PageCursor {
  long at;
  final long end;

  PageCursor(long at, long end) {
    this.at = at;
    this.end = end;
  }

  final long left() {
    return end - at;
  }

  /** Steps over {@code bytes} and returns where they begin. */
  final long take(long bytes) {
    check(bytes >= 0 && bytes <= end - at, "a page ends too early");
    long start = at;
    at += bytes;
    return start;
  }

  final int varint() {
    long value = varlong();
    check(value >= 0 && value <= Integer.MAX_VALUE, "a page has a number out of bounds");
    return (int) value;
  }

  final long varlong() {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      check(at < end, "a page ends too early");
      byte next = Mem.getByte(at++);
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new MalformedPageException("a page has a number of more than 64 bits");
  }

  final long zigzag() {
    long value = varlong();
    return value >>> 1 ^ -(value & 1);
  }
}
