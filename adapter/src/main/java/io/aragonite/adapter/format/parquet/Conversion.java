package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.adapter.format.CutTimes;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.page.PageForm;
import org.jspecify.annotations.Nullable;

/** From physical values, which lie one behind the other, to a column's storage. */
enum Conversion {
  /** Nothing is stored. */
  NONE,
  /** Bits to bytes, which the decoders do. */
  BOOLEAN,
  COPY4(PageForm.COPY4),

  COPY8(PageForm.COPY8),

  INT8 {
    @Override
    void apply(long from, long to, int count, int width) {
      for (int i = 0; i < count; i++) {
        Mem.putByte(to + i, (byte) Mem.getInt(from + 4L * i));
      }
    }
  },
  UINT8 {
    @Override
    void apply(long from, long to, int count, int width) {
      for (int i = 0; i < count; i++) {
        Mem.putShort(to + 2L * i, (short) (Mem.getInt(from + 4L * i) & 0xFF));
      }
    }
  },
  INT16 {
    @Override
    void apply(long from, long to, int count, int width) {
      for (int i = 0; i < count; i++) {
        Mem.putShort(to + 2L * i, (short) Mem.getInt(from + 4L * i));
      }
    }
  },
  UINT16 {
    @Override
    void apply(long from, long to, int count, int width) {
      for (int i = 0; i < count; i++) {
        Mem.putInt(to + 4L * i, Mem.getInt(from + 4L * i) & 0xFFFF);
      }
    }
  },
  UINT32 {
    @Override
    void apply(long from, long to, int count, int width) {
      for (int i = 0; i < count; i++) {
        Mem.putLong(to + 8L * i, Mem.getInt(from + 4L * i) & 0xFFFFFFFFL);
      }
    }
  },
  /** 32-bit integer to 64 bits. */
  WIDEN(PageForm.WIDEN),

  INT32_TO_LONG128 {
    @Override
    void apply(long from, long to, int count, int width) {
      for (int i = 0; i < count; i++) {
        long value = Mem.getInt(from + 4L * i);
        put128(to + 16L * i, value, value >> 63);
      }
    }
  },
  INT64_TO_LONG128 {
    @Override
    void apply(long from, long to, int count, int width) {
      for (int i = 0; i < count; i++) {
        long value = Mem.getLong(from + 8L * i);
        put128(to + 16L * i, value, value >> 63);
      }
    }
  },
  /** Unsigned 64-bit integer to 128 bits. */
  UINT64 {
    @Override
    void apply(long from, long to, int count, int width) {
      for (int i = 0; i < count; i++) {
        put128(to + 16L * i, Mem.getLong(from + 8L * i), 0);
      }
    }
  },
  /** 32-bit milliseconds to microseconds. */
  TIME_MILLIS {
    @Override
    void apply(long from, long to, int count, int width) {
      for (int i = 0; i < count; i++) {
        Mem.putLong(to + 8L * i, Mem.getInt(from + 4L * i) * 1_000L);
      }
    }
  },
  /** Nanoseconds to microseconds, rounded down. */
  TIME_NANOS {
    @Override
    void apply(long from, long to, int count, int width) {
      // The divisor is a constant, so that the division is a multiplication.
      for (int i = 0; i < count; i++) {
        Mem.putLong(to + 8L * i, Math.floorDiv(Mem.getLong(from + 8L * i), 1_000L));
      }
    }
  },
  /** Nanoseconds of the day and Julian day to microseconds. */
  INT96 {
    @Override
    void apply(long from, long to, int count, int width) {
      int96(from, to, count);
    }
  },
  FLOAT16 {
    @Override
    void apply(long from, long to, int count, int width) {
      for (int i = 0; i < count; i++) {
        Mem.putFloat(to + 4L * i, Float.float16ToFloat(Mem.getShort(from + 2L * i)));
      }
    }
  },
  /** Big-endian two's complement to 64 bits. */
  BYTES_TO_LONG(PageForm.BIG_ENDIAN),

  BYTES_TO_LONG128 {
    @Override
    void apply(long from, long to, int count, int width) {
      for (int i = 0; i < count; i++) {
        bigEndian128(from + (long) width * i, width, to + 16L * i);
      }
    }
  },
  /** Varying length, checked to be UTF-8. */
  TEXT,
  BYTES,
  /** 16 bytes to the 36 characters of a UUID. */
  UUID;

  private static final long JULIAN_EPOCH = 2_440_588;
  private static final long DAY_MICROS = 86_400_000_000L;

  /** No day that is farther from 1970 has its microseconds in 64 bits. */
  private static final long MAX_DAYS = Long.MAX_VALUE / DAY_MICROS - 1;

  private final @Nullable PageForm form;

  Conversion() {
    this(null);
  }

  Conversion(@Nullable PageForm form) {
    this.form = form;
  }

  /** The same as devices do it; null if they do not. */
  @Nullable PageForm form() {
    return form;
  }

  /** Whether values go to BYTES storage. */
  boolean isVariable() {
    return this == TEXT || this == BYTES || this == UUID;
  }

  /**
   * Converts {@code count} values of {@code width} bytes.
   *
   * @param width of a physical value; it matters to the conversions from bytes only
   */
  void apply(long from, long to, int count, int width) {
    if (form == null) {
      throw new IllegalStateException(name());
    }
    form.apply(from, to, count, width);
  }

  /** Whether some of {@code count} times have digits that are cut off. */
  boolean cuts(long from, int count) {
    return switch (this) {
      case TIME_NANOS -> CutTimes.anyThousandths(from, count, 8);
      case INT96 -> CutTimes.anyThousandths(from, count, 12);
      default -> false;
    };
  }

  /**
   * Converts big-endian numbers of varying length.
   *
   * @param offsets of the values within {@code bytes}, one more for the end
   */
  void applyVarying(long offsets, long bytes, long to, int count) {
    for (int i = 0; i < count; i++) {
      int start = Mem.getInt(offsets + 4L * i);
      int length = Mem.getInt(offsets + 4L * i + 4) - start;
      if (this == BYTES_TO_LONG) {
        Mem.putLong(to + 8L * i, PageForm.bigEndian(bytes + start, length));
      } else {
        bigEndian128(bytes + start, length, to + 16L * i);
      }
    }
  }

  private static void put128(long to, long low, long high) {
    Mem.putLong(to, low);
    Mem.putLong(to + 8, high);
  }

  private static void int96(long from, long to, int count) {
    for (int i = 0; i < count; i++) {
      long nanos = Mem.getLong(from + 12L * i);
      long day = (Mem.getInt(from + 12L * i + 8) & 0xFFFFFFFFL) - JULIAN_EPOCH;
      check(Math.abs(day) <= MAX_DAYS, "a timestamp is beyond the range of TIMESTAMP(6)");
      long micros = Math.floorDiv(nanos, 1_000L);
      long midnight = day * DAY_MICROS;
      long sum = midnight + micros;
      check(
          ((midnight ^ sum) & (micros ^ sum)) >= 0,
          "a timestamp is beyond the range of TIMESTAMP(6)");
      Mem.putLong(to + 8L * i, sum);
    }
  }

  private static void bigEndian128(long from, int length, long to) {
    if (length == 2 * Long.BYTES) {
      long lower = Long.reverseBytes(Mem.getLong(from + Long.BYTES));
      put128(to, lower, Long.reverseBytes(Mem.getLong(from)));
      return;
    }
    long high = length == 0 ? 0 : Mem.getByte(from) >> 7;
    long low = high;
    for (int i = 0; i < length; i++) {
      long top = high >> 55;
      check(top == 0 || top == -1, "a decimal has more digits than its column");
      high = high << 8 | low >>> 56;
      low = low << 8 | (Mem.getByte(from + i) & 0xFF);
    }
    put128(to, low, high);
  }
}
