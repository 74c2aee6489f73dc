package io.aragonite.exec.page;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.exec.memory.Mem;

/** How values of one width lie in pages, and what becomes of them. */
public enum PageForm {
  /** Four bytes as they are. */
  COPY4(4) {
    @Override
    public void apply(long from, long to, int count, int width) {
      Mem.copy(from, to, 4L * count);
    }
  },
  /** Eight bytes as they are. */
  COPY8(8) {
    @Override
    public void apply(long from, long to, int count, int width) {
      Mem.copy(from, to, 8L * count);
    }
  },
  /** 32-bit integer to 64 bits. */
  WIDEN(8) {
    @Override
    public void apply(long from, long to, int count, int width) {
      for (int i = 0; i < count; i++) {
        Mem.putLong(to + 8L * i, Mem.getInt(from + 4L * i));
      }
    }
  },
  /** Big-endian two's complement to 64 bits. */
  BIG_ENDIAN(8) {
    @Override
    public void apply(long from, long to, int count, int width) {
      for (int i = 0; i < count; i++) {
        Mem.putLong(to + 8L * i, bigEndian(from + (long) width * i, width));
      }
    }
  },
  /** Texts, if they are PLAIN each behind its length in four bytes, to the lengths. */
  LENGTHS(4) {
    @Override
    public void apply(long from, long to, int count, int width) {
      throw new UnsupportedOperationException("texts have no width");
    }
  };

  private final int outWidth;

  PageForm(int outWidth) {
    this.outWidth = outWidth;
  }

  /** Bytes of what becomes of a value. */
  public int outWidth() {
    return outWidth;
  }

  /** Whether a page in an encoding can have such values. */
  public boolean fits(PageEncoding encoding) {
    return switch (encoding) {
      case PLAIN, DICTIONARY -> true;
      // Integers of the machine.
      case DELTA -> this != BIG_ENDIAN && this != LENGTHS;
      case DELTA_LENGTH, DELTA_STRINGS -> this == LENGTHS;
    };
  }

  /**
   * Bytes of a value in a page; of a text those in front of it.
   *
   * @param width what the file says of big-endian values
   */
  public int inWidth(int width) {
    return switch (this) {
      case COPY4, WIDEN, LENGTHS -> 4;
      case COPY8 -> 8;
      case BIG_ENDIAN -> width;
    };
  }

  /**
   * Converts {@code count} values.
   *
   * @param width of a big-endian value
   */
  public abstract void apply(long from, long to, int count, int width);

  /** A big-endian number of some bytes, which must fit 64 bits. */
  public static long bigEndian(long from, int length) {
    if (length == 0) {
      return 0;
    }
    long value = Mem.getByte(from);
    for (int i = 1; i < length; i++) {
      long high = value >> 55;
      check(high == 0 || high == -1, "a decimal has more digits than its column");
      value = value << 8 | (Mem.getByte(from + i) & 0xFF);
    }
    return value;
  }
}
