package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.calcite.avatica.util.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Values of one type, in Calcite's internal forms, as bytes whose unsigned order is theirs, and
 * back; and what the host compares them by.
 *
 * <p>Integers are big-endian with the sign bit turned, floats as their bits in that order (the
 * zeros are one, so are the NaNs, behind infinity), decimals their unscaled integers of 16 bytes.
 * Texts are UTF-8; a zero byte in them is followed by 0xff, and two zero bytes end them. Before
 * each element, field, key and value stands 1, or 2 for a null, and behind the last element of a
 * list or map 0.
 */
public abstract class SortKeyCodec {
  private static final int END = 0;
  private static final int PRESENT = 1;
  private static final int NULL = 2;
  private static final int DECIMAL_BYTES = 16;

  /** The codec of a type: a letter, before which stand those of what it is made of. */
  static SortKeyCodec of(String type) {
    return new Parser(type).next();
  }

  /** The key of a value. */
  public byte[] encode(Object value) {
    KeyBytes out = new KeyBytes();
    write(value, out);
    return out.toArray();
  }

  /** The value of a key. */
  public Object decode(byte[] key) {
    return read(ByteBuffer.wrap(key));
  }

  /** The order of two values: that of their keys, which are not made for it. */
  abstract int compare(Object a, Object b);

  /** As {@link #compare}; a null is equal to another one and greater than all else. */
  final int compareNullable(@Nullable Object a, @Nullable Object b) {
    return a == null || b == null ? Boolean.compare(a == null, b == null) : compare(a, b);
  }

  /** Whether values are equal as Java has them, and no others. */
  boolean isOfEquals() {
    return false;
  }

  /** What equal values have in common and others have not, by {@code equals}; null of a null. */
  public final @Nullable Object common(@Nullable Object value) {
    return value == null ? null : commonOf(value);
  }

  Object commonOf(Object value) {
    return ByteBuffer.wrap(encode(value));
  }

  abstract void write(Object value, KeyBytes out);

  abstract Object read(ByteBuffer in);

  void writeNullable(@Nullable Object value, KeyBytes out) {
    out.write(value == null ? NULL : PRESENT);
    if (value != null) {
      write(value, out);
    }
  }

  @Nullable Object readNullable(ByteBuffer in) {
    return in.get() == NULL ? null : read(in);
  }

  /** Bytes that grow. */
  private static final class KeyBytes {
    private byte[] bytes = new byte[32];
    private int length;

    void write(int value) {
      if (length == bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.addExact(length, length));
      }
      bytes[length++] = (byte) value;
    }

    byte[] toArray() {
      return Arrays.copyOf(bytes, length);
    }
  }

  private static final class Parser {
    private final String type;
    private int at;

    Parser(String type) {
      this.type = type;
    }

    SortKeyCodec next() {
      char kind = type.charAt(at++);
      return switch (kind) {
        case 'b' -> new Booleans();
        case '1', '2', '4', '8' -> new Integers(kind - '0');
        case 't' -> new Moments(true);
        case 'p' -> new Moments(false);
        case 'f' -> new Floats(true);
        case 'd' -> new Floats(false);
        case 'n' -> new Decimals(number());
        case 's' -> new Texts();
        case 'x' -> new Bytes();
        case 'u' -> new Uuids();
        case '0' -> new Nulls();
        case 'L' -> new Lists(next());
        case 'M' -> new Maps(next(), next());
        default -> {
          SortKeyCodec[] fields = new SortKeyCodec[number()];
          for (int i = 0; i < fields.length; i++) {
            fields[i] = next();
          }
          yield new Rows(fields);
        }
      };
    }

    private int number() {
      int end = type.indexOf(':', at);
      int number = Integer.parseInt(type.substring(at, end));
      at = end + 1;
      return number;
    }
  }

  private static void writeLong(long value, int bytes, KeyBytes out) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
      out.write((int) (value >>> shift));
    }
  }

  private static long readLong(ByteBuffer in, int bytes) {
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      value = value << 8 | (in.get() & 0xff);
    }
    return value;
  }

  private static final class Booleans extends SortKeyCodec {
    @Override
    int compare(Object a, Object b) {
      return Boolean.compare((Boolean) a, (Boolean) b);
    }

    @Override
    void write(Object value, KeyBytes out) {
      out.write((Boolean) value ? 1 : 0);
    }

    @Override
    Object read(ByteBuffer in) {
      return in.get() != 0;
    }
  }

  private static final class Integers extends SortKeyCodec {
    private final int bytes;
    private final long sign;

    Integers(int bytes) {
      this.bytes = bytes;
      this.sign = 1L << (8 * bytes - 1);
    }

    @Override
    int compare(Object a, Object b) {
      return Long.compare(((Number) a).longValue(), ((Number) b).longValue());
    }

    @Override
    Object commonOf(Object value) {
      return ((Number) value).longValue();
    }

    @Override
    void write(Object value, KeyBytes out) {
      writeLong(((Number) value).longValue() ^ sign, bytes, out);
    }

    @Override
    Object read(ByteBuffer in) {
      int unused = Long.SIZE - 8 * bytes;
      long value = (readLong(in, bytes) ^ sign) << unused >> unused;
      return switch (bytes) {
        case 1 -> (Object) (byte) value;
        case 2 -> (short) value;
        case 4 -> (int) value;
        default -> value;
      };
    }
  }

  /** Milliseconds as integers are, and the nanoseconds behind them in four bytes. */
  private static final class Moments extends SortKeyCodec {
    private final Integers millis;
    private final boolean time;

    Moments(boolean time) {
      this.millis = new Integers(time ? 4 : 8);
      this.time = time;
    }

    @Override
    int compare(Object a, Object b) {
      int order = Long.compare(FineMoment.millis(a), FineMoment.millis(b));
      return order == 0 ? Integer.compare(FineMoment.nanos(a), FineMoment.nanos(b)) : order;
    }

    @Override
    Object commonOf(Object value) {
      return value instanceof FineMoment ? value : ((Number) value).longValue();
    }

    @Override
    void write(Object value, KeyBytes out) {
      millis.write(FineMoment.millis(value), out);
      writeLong(FineMoment.nanos(value), Integer.BYTES, out);
    }

    @Override
    Object read(ByteBuffer in) {
      long whole = ((Number) millis.read(in)).longValue();
      return FineMoment.of(whole, (int) readLong(in, Integer.BYTES), time);
    }
  }

  private static final class Floats extends SortKeyCodec {
    private final boolean single;

    Floats(boolean single) {
      this.single = single;
    }

    /**
     * With one zero, and as near as the type has it, since whole numbers beside it come as they
     * are; Java's order of doubles has NaN as the greatest.
     */
    private double number(Object value) {
      Number given = (Number) value;
      double number = single ? given.floatValue() : given.doubleValue();
      return number == 0 ? 0.0 : number;
    }

    @Override
    int compare(Object a, Object b) {
      return Double.compare(number(a), number(b));
    }

    @Override
    Object commonOf(Object value) {
      return number(value);
    }

    @Override
    void write(Object value, KeyBytes out) {
      long bits = Double.doubleToLongBits(number(value));
      writeLong(bits ^ (bits < 0 ? -1 : Long.MIN_VALUE), Long.BYTES, out);
    }

    @Override
    Object read(ByteBuffer in) {
      long bits = readLong(in, Long.BYTES);
      double value = Double.longBitsToDouble(bits ^ (bits < 0 ? Long.MIN_VALUE : -1));
      return single ? (Object) (float) value : (Object) value;
    }
  }

  private static final class Decimals extends SortKeyCodec {
    private final int scale;

    Decimals(int scale) {
      this.scale = scale;
    }

    @Override
    int compare(Object a, Object b) {
      return exact(a).compareTo(exact(b));
    }

    @Override
    Object commonOf(Object value) {
      return exact(value).stripTrailingZeros();
    }

    private static BigDecimal exact(Object number) {
      return number instanceof BigDecimal decimal ? decimal : new BigDecimal(number.toString());
    }

    @Override
    void write(Object value, KeyBytes out) {
      BigInteger unscaled = exact(value).setScale(scale, RoundingMode.HALF_UP).unscaledValue();
      byte[] bytes = new byte[DECIMAL_BYTES];
      Arrays.fill(bytes, (byte) (unscaled.signum() < 0 ? -1 : 0));
      byte[] digits = unscaled.toByteArray();
      if (digits.length > DECIMAL_BYTES) {
        throw new AragoniteException(
            ErrorCode.NUMERIC_OVERFLOW,
            "%s has more digits than decimals of a scale of %d are compared by; cast it to DOUBLE."
                .formatted(value, scale));
      }
      System.arraycopy(digits, 0, bytes, DECIMAL_BYTES - digits.length, digits.length);
      bytes[0] ^= (byte) 0x80;
      for (byte each : bytes) {
        out.write(each);
      }
    }

    @Override
    Object read(ByteBuffer in) {
      byte[] bytes = new byte[DECIMAL_BYTES];
      in.get(bytes);
      bytes[0] ^= (byte) 0x80;
      return new BigDecimal(new BigInteger(bytes), scale);
    }
  }

  private static void writeBytes(byte[] bytes, KeyBytes out) {
    for (byte each : bytes) {
      out.write(each);
      if (each == 0) {
        out.write(0xff);
      }
    }
    out.write(0);
    out.write(0);
  }

  private static byte[] readBytes(ByteBuffer in) {
    KeyBytes bytes = new KeyBytes();
    while (true) {
      byte each = in.get();
      if (each == 0 && in.get() == 0) {
        return bytes.toArray();
      }
      bytes.write(each);
    }
  }

  private static final class Texts extends SortKeyCodec {
    @Override
    boolean isOfEquals() {
      return true;
    }

    @Override
    int compare(Object a, Object b) {
      return CodePointFunctions.compare(a.toString(), b.toString());
    }

    @Override
    Object commonOf(Object value) {
      return value.toString();
    }

    @Override
    void write(Object value, KeyBytes out) {
      writeBytes(value.toString().getBytes(StandardCharsets.UTF_8), out);
    }

    @Override
    Object read(ByteBuffer in) {
      return new String(readBytes(in), StandardCharsets.UTF_8);
    }
  }

  private static final class Bytes extends SortKeyCodec {
    @Override
    int compare(Object a, Object b) {
      return a instanceof ByteString left && b instanceof ByteString right
          ? left.compareTo(right)
          : Arrays.compareUnsigned(bytes(a), bytes(b));
    }

    private static byte[] bytes(Object value) {
      return value instanceof ByteString bytes ? bytes.getBytes() : (byte[]) value;
    }

    @Override
    void write(Object value, KeyBytes out) {
      writeBytes(bytes(value), out);
    }

    @Override
    Object read(ByteBuffer in) {
      return new ByteString(readBytes(in));
    }
  }

  private static final class Uuids extends SortKeyCodec {
    private static UUID uuid(Object value) {
      return value instanceof String text ? UUID.fromString(text) : (UUID) value;
    }

    /** Not Java's, which has numbers with signs. */
    @Override
    int compare(Object a, Object b) {
      UUID left = uuid(a);
      UUID right = uuid(b);
      int high =
          Long.compareUnsigned(left.getMostSignificantBits(), right.getMostSignificantBits());
      return high != 0
          ? high
          : Long.compareUnsigned(left.getLeastSignificantBits(), right.getLeastSignificantBits());
    }

    @Override
    void write(Object value, KeyBytes out) {
      UUID uuid = uuid(value);
      writeLong(uuid.getMostSignificantBits(), Long.BYTES, out);
      writeLong(uuid.getLeastSignificantBits(), Long.BYTES, out);
    }

    @Override
    Object read(ByteBuffer in) {
      return new UUID(readLong(in, Long.BYTES), readLong(in, Long.BYTES));
    }
  }

  /** Of a list of nothing but nulls. */
  private static final class Nulls extends SortKeyCodec {
    @Override
    int compare(Object a, Object b) {
      throw new IllegalArgumentException("values of the type of NULL: " + a + ", " + b);
    }

    @Override
    void write(Object value, KeyBytes out) {
      throw new IllegalArgumentException("a value of the type of NULL: " + value);
    }

    @Override
    Object read(ByteBuffer in) {
      throw new IllegalArgumentException("a value of the type of NULL");
    }
  }

  private static final class Lists extends SortKeyCodec {
    private final SortKeyCodec element;

    Lists(SortKeyCodec element) {
      this.element = element;
    }

    @Override
    int compare(Object a, Object b) {
      Iterator<?> left = ((List<?>) a).iterator();
      Iterator<?> right = ((List<?>) b).iterator();
      while (left.hasNext() && right.hasNext()) {
        int order = element.compareNullable(left.next(), right.next());
        if (order != 0) {
          return order;
        }
      }
      return Boolean.compare(left.hasNext(), right.hasNext());
    }

    @Override
    void write(Object value, KeyBytes out) {
      for (Object each : (List<?>) value) {
        element.writeNullable(each, out);
      }
      out.write(END);
    }

    @Override
    Object read(ByteBuffer in) {
      List<@Nullable Object> list = new ArrayList<>();
      for (int mark = in.get(); mark != END; mark = in.get()) {
        list.add(mark == NULL ? null : element.read(in));
      }
      return list;
    }
  }

  private static final class Maps extends SortKeyCodec {
    private final SortKeyCodec key;
    private final SortKeyCodec value;

    Maps(SortKeyCodec key, SortKeyCodec value) {
      this.key = key;
      this.value = value;
    }

    @Override
    int compare(Object a, Object b) {
      Iterator<? extends Map.Entry<?, ?>> left = ((Map<?, ?>) a).entrySet().iterator();
      Iterator<? extends Map.Entry<?, ?>> right = ((Map<?, ?>) b).entrySet().iterator();
      while (left.hasNext() && right.hasNext()) {
        Map.Entry<?, ?> one = left.next();
        Map.Entry<?, ?> other = right.next();
        int keys = key.compareNullable(one.getKey(), other.getKey());
        int order = keys != 0 ? keys : value.compareNullable(one.getValue(), other.getValue());
        if (order != 0) {
          return order;
        }
      }
      return Boolean.compare(left.hasNext(), right.hasNext());
    }

    @Override
    void write(Object map, KeyBytes out) {
      ((Map<?, ?>) map)
          .forEach((eachKey, eachValue) -> {
            key.writeNullable(eachKey, out);
            value.writeNullable(eachValue, out);
          });
      out.write(END);
    }

    @Override
    Object read(ByteBuffer in) {
      Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
      for (int mark = in.get(); mark != END; mark = in.get()) {
        Object eachKey = mark == NULL ? null : key.read(in);
        map.put(eachKey, value.readNullable(in));
      }
      return map;
    }
  }

  private static final class Rows extends SortKeyCodec {
    private final SortKeyCodec[] fields;

    Rows(SortKeyCodec[] fields) {
      this.fields = fields;
    }

    private static Iterator<?> values(Object row) {
      return row instanceof Object[] array
          ? Arrays.asList(array).iterator()
          : ((Iterable<?>) row).iterator();
    }

    @Override
    int compare(Object a, Object b) {
      Iterator<?> left = values(a);
      Iterator<?> right = values(b);
      for (SortKeyCodec field : fields) {
        int order = field.compareNullable(left.next(), right.next());
        if (order != 0) {
          return order;
        }
      }
      return 0;
    }

    @Override
    void write(Object row, KeyBytes out) {
      Iterator<?> values = values(row);
      for (SortKeyCodec field : fields) {
        field.writeNullable(values.next(), out);
      }
    }

    @Override
    Object read(ByteBuffer in) {
      @Nullable Object[] row = new @Nullable Object[fields.length];
      for (int i = 0; i < row.length; i++) {
        row[i] = fields[i].readNullable(in);
      }
      return row;
    }
  }
}
