package io.aragonite.exec.page;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.exec.memory.Mem;

/** A place within the bytes of a page, which cannot be moved beyond their end. */
public class PageCursor {
  private long at;
  private final long end;

  public PageCursor(long at, long end) {
    this.at = at;
    this.end = end;
  }

  /** Where it is. */
  public final long at() {
    return at;
  }

  /** Where the bytes end. */
  public final long end() {
    return end;
  }

  /** Bytes up to the end. */
  public final long left() {
    return end - at;
  }

  /** Steps over {@code bytes} and returns where they begin. */
  public final long take(long bytes) {
    check(bytes >= 0 && bytes <= end - at, "a page ends too early");
    long start = at;
    at += bytes;
    return start;
  }

  public final int varint() {
    long value = varlong();
    check(value >= 0 && value <= Integer.MAX_VALUE, "a page has a number out of bounds");
    return (int) value;
  }

  public final long varlong() {
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

  public final long zigzag() {
    long value = varlong();
    return value >>> 1 ^ -(value & 1);
  }
}
