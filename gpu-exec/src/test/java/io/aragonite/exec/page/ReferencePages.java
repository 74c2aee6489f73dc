package io.aragonite.exec.page;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is to come of pages, whatever their bytes are: the format's text once more in plain loops
 * over arrays, value by value, without anything of what it is held against.
 */
public final class ReferencePages {
  private final byte[] bytes;
  private final int end;
  private int at;

  /** Of all rows, poisoned before. */
  public static final class ReferenceRows {
    public final long[] values;
    public final boolean[] valid;
    public long nulls;

    ReferenceRows(int rows) {
      values = new long[rows];
      valid = new boolean[rows];
    }
  }

  /** The bytes are not what the format says. */
  private static final class Wrong extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** The bytes have a form of which the format's text does not say what it means. */
  public static final class UnspecifiedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private ReferencePages(byte[] bytes, int begin, int end) {
    this.bytes = bytes;
    this.end = end;
    this.at = begin;
  }

  /**
   * Rows of a page.
   *
   * @param dictionary the values of all dictionaries
   * @return null: the page is wrong
   */
  public static @Nullable ReferenceRows decode(
      byte[] image, EncodedPage page, PageForm form, int width, long[] dictionary) {
    int begin = (int) page.offset();
    try {
      return new ReferencePages(image, begin, begin + page.bytes())
          .decode(page, form, width, dictionary);
    } catch (Wrong e) {
      return null;
    }
  }

  private ReferenceRows decode(EncodedPage page, PageForm form, int width, long[] dictionary) {
    ReferenceRows rows = new ReferenceRows(page.rows());
    Arrays.fill(rows.valid, true);
    int levelBytes = page.levelBytes();
    if (levelBytes != EncodedPage.NO_LEVELS) {
      if (levelBytes == EncodedPage.LENGTH_FIRST) {
        levelBytes = (int) fixed(4);
      }
      int from = take(levelBytes);
      long[] levels = new ReferencePages(bytes, from, at).hybrid(1, page.rows());
      for (int row = 0; row < levels.length; row++) {
        rows.valid[row] = levels[row] != 0;
        rows.nulls += levels[row] != 0 ? 0 : 1;
      }
    }
    int count = (int) (page.rows() - rows.nulls);
    long[] values = count == 0 ? new long[0] : values(page, form, width, dictionary, count);
    int next = 0;
    for (int row = 0; row < page.rows(); row++) {
      rows.values[row] = rows.valid[row] ? values[next++] : 0;
    }
    return rows;
  }

  private long[] values(EncodedPage page, PageForm form, int width, long[] dictionary, int count) {
    long[] values = new long[count];
    switch (page.encoding()) {
      case PLAIN -> {
        for (int i = 0; i < count; i++) {
          values[i] =
              switch (form) {
                case BIG_ENDIAN -> bigEndian(width);
                case LENGTHS -> text();
                default -> fixed(form.inWidth(width));
              };
        }
      }
      case DELTA_LENGTH -> {
        differences(values);
        for (int i = 0; i < count; i++) {
          values[i] = (int) values[i];
          take(values[i]);
        }
      }
      case DELTA_STRINGS -> {
        long[] shared = new long[count];
        differences(shared);
        differences(values);
        long before = 0;
        for (int i = 0; i < count; i++) {
          shared[i] = (int) shared[i];
          require(shared[i] >= 0 && shared[i] <= before);
          take((int) values[i]);
          values[i] = (int) values[i] + shared[i];
          before = values[i];
        }
      }
      case DELTA -> {
        differences(values);
        if (form != PageForm.COPY8) {
          Arrays.setAll(values, i -> (int) values[i]);
        }
      }
      default -> {
        long[] indices = hybrid((int) fixed(1) & 0xFF, count);
        for (int i = 0; i < count; i++) {
          require(indices[i] < page.dictionaryCount());
          values[i] = dictionary[page.dictionaryFirst() + (int) indices[i]];
        }
      }
    }
    return values;
  }

  private static void require(boolean right) {
    if (!right) {
      throw new Wrong();
    }
  }

  private int take(long count) {
    require(count >= 0 && count <= end - at);
    int from = at;
    at += (int) count;
    return from;
  }

  /** A number of some bytes, the lowest first, with a sign. */
  private long fixed(int width) {
    int from = take(width);
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    return width == 1 ? buffer.get(from) : width == 4 ? buffer.getInt(from) : buffer.getLong(from);
  }

  /** Steps over a text and returns its length. */
  private long text() {
    long length = fixed(4);
    take(length);
    return length;
  }

  private long bigEndian(int width) {
    int from = take(width);
    BigInteger value =
        width == 0
            ? BigInteger.ZERO
            : new BigInteger(Arrays.copyOfRange(bytes, from, from + width));
    require(value.bitLength() < 64);
    return value.longValue();
  }

  private long varint() {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      int next = (int) fixed(1);
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new Wrong();
  }

  private int size() {
    long value = varint();
    require(value >= 0 && value <= Integer.MAX_VALUE);
    return (int) value;
  }

  private long zigzag() {
    long value = varint();
    return value >>> 1 ^ -(value & 1);
  }

  private long bits(int from, long bit, int width) {
    long value = 0;
    for (int i = 0; i < width; i++) {
      long place = bit + i;
      value |= (bytes[from + (int) (place >> 3)] >> (place & 7) & 1L) << i;
    }
    return value;
  }

  private long[] hybrid(int width, int total) {
    require(width <= 32);
    long[] values = new long[total];
    for (int done = 0; done < total; ) {
      int header = size();
      boolean packed = (header & 1) != 0;
      long length = packed ? (header >>> 1) * 8L : header >>> 1;
      int taken = (int) Math.min(length, total - done);
      if (packed) {
        // The last group may be cut off behind the last value.
        require(((long) taken * width + 7) / 8 <= end - at);
        int from = take(Math.min(length * width / 8, end - at));
        for (int i = 0; i < taken; i++) {
          values[done + i] = bits(from, (long) i * width, width);
        }
      } else {
        long value = bits(take((width + 7) / 8), 0, (width + 7) / 8 * 8);
        Arrays.fill(values, done, done + taken, value);
      }
      done += taken;
    }
    return values;
  }

  private void differences(long[] values) {
    int block = size();
    int parts = size();
    int count = size();
    long value = zigzag();
    require(parts > 0 && block % parts == 0 && block / parts % 8 == 0);
    require(block >= parts || count <= 1);
    require(count == values.length);
    int partValues = block / parts;
    values[0] = value;
    for (int done = 1; done < count; ) {
      long least = zigzag();
      int widths = take(parts);
      for (int part = 0; part < parts && done < count; part++) {
        int width = bytes[widths + part] & 0xFF;
        require(width <= 64);
        int taken = Math.min(partValues, count - done);
        require(((long) taken * width + 7) / 8 <= end - at);
        int from = take(Math.min((long) partValues * width / 8, end - at));
        for (int i = 0; i < taken; i++) {
          value += least + bits(from, (long) i * width, width);
          values[done + i] = value;
        }
        done += taken;
      }
    }
  }

  /**
   * What bytes give that Snappy or LZ4 has compressed.
   *
   * @param size that they must give
   * @return null: they are wrong
   * @throws UnspecifiedException if they copy bytes from where these go, or end as no block does
   */
  public static byte @Nullable [] decompressed(PageCodec codec, byte[] stored, int size) {
    ReferencePages reader = new ReferencePages(stored, 0, stored.length);
    try {
      return codec == PageCodec.LZ4 ? reader.lz4(size) : reader.snappy(size);
    } catch (Wrong e) {
      return null;
    }
  }

  private byte[] snappy(int size) {
    require(varint() == size);
    byte[] out = new byte[size];
    int done = 0;
    while (at < end) {
      int tag = (int) fixed(1) & 0xFF;
      int kind = tag & 3;
      int more = kind == 0 ? Math.max(0, (tag >> 2) - 59) : kind == 3 ? 4 : kind;
      long number = bits(take(more), 0, 8 * more);
      if (kind == 0) {
        long length = (more == 0 ? tag >> 2 : number) + 1;
        require(length <= size - done);
        System.arraycopy(bytes, take(length), out, done, (int) length);
        done += (int) length;
      } else {
        int length = kind == 1 ? (tag >> 2 & 7) + 4 : (tag >> 2) + 1;
        long back = kind == 1 ? (long) (tag >> 5) << 8 | number : number;
        require(back <= done && length <= size - done);
        if (back == 0) {
          throw new UnspecifiedException();
        }
        for (int i = 0; i < length; i++, done++) {
          out[done] = out[done - (int) back];
        }
      }
    }
    require(done == size);
    return out;
  }

  private byte[] lz4(int size) {
    byte[] out = new byte[size];
    int done = 0;
    while (true) {
      int token = (int) fixed(1) & 0xFF;
      long literals = lz4Length(token >> 4);
      require(literals <= size - done);
      System.arraycopy(bytes, take(literals), out, done, (int) literals);
      done += (int) literals;
      if (at == end) {
        require(done == size);
        return out;
      }
      int back = (int) bits(take(2), 0, 16);
      long length = lz4Length(token & 15) + 4;
      require(back <= done && length <= size - done);
      // A copy begins 12 bytes before the end at the latest, and 5 bytes behind it are literals.
      if (back == 0 || done > size - 12 || length > size - done - 5) {
        throw new UnspecifiedException();
      }
      for (int i = 0; i < length; i++, done++) {
        out[done] = out[done - back];
      }
    }
  }

  private long lz4Length(int first) {
    long length = first;
    for (int last = first == 15 ? 255 : 0; last == 255; length += last) {
      last = (int) fixed(1) & 0xFF;
    }
    return length;
  }
}
