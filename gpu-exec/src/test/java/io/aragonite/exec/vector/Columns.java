package io.aragonite.exec.vector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Columns for tests, made of boxed values and read as such, in the forms of {@link
 * io.aragonite.exec.expr.Expr.Literal}. Values under nulls are poison.
 */
public final class Columns {
  private static final long POISON = 0xA5A5_A5A5_A5A5_A5A5L;

  private Columns() {}

  public static Column ofLongs(Allocator allocator, @Nullable Long... values) {
    return of(allocator, type(TypeKind.INT64, values), values);
  }

  public static Column ofInts(Allocator allocator, @Nullable Integer... values) {
    Object[] longs =
        Arrays.stream(values).map(v -> v == null ? null : (Long) v.longValue()).toArray();
    return of(allocator, type(TypeKind.INT32, longs), longs);
  }

  public static Column ofDoubles(Allocator allocator, @Nullable Double... values) {
    return of(allocator, type(TypeKind.FLOAT64, values), values);
  }

  public static Column ofBooleans(Allocator allocator, @Nullable Boolean... values) {
    return of(allocator, type(TypeKind.BOOLEAN, values), values);
  }

  public static Column ofStrings(Allocator allocator, @Nullable String... values) {
    return of(allocator, type(TypeKind.VARCHAR, values), values);
  }

  public static Column ofDecimals(
      Allocator allocator, int precision, int scale, @Nullable String... values) {
    Object[] decimals =
        Arrays.stream(values).map(v -> v == null ? null : new BigDecimal(v)).toArray();
    return of(allocator, DataType.decimal(precision, scale, hasNull(decimals)), decimals);
  }

  /** Text as codes of a dictionary of exactly its values. */
  public static Column ofCodes(Allocator allocator, @Nullable String... values) {
    return of(allocator, codeShape(values), Arrays.asList((Object[]) values));
  }

  /** The shape of text as codes of a dictionary of exactly these values. */
  public static ColumnShape codeShape(@Nullable String... values) {
    TreeSet<byte[]> distinct = new TreeSet<>(Arrays::compareUnsigned);
    for (String value : values) {
      if (value != null) {
        distinct.add(value.getBytes(StandardCharsets.UTF_8));
      }
    }
    Dictionary dictionary = new Dictionary(distinct.toArray(byte[][]::new));
    DataType type = type(TypeKind.VARCHAR, values);
    return new ColumnShape(type, Storage.CODE, type.nullable(), dictionary, null);
  }

  private static DataType type(TypeKind kind, @Nullable Object[] values) {
    return DataType.of(kind, hasNull(values));
  }

  private static boolean hasNull(@Nullable Object[] values) {
    return Arrays.stream(values).anyMatch(Objects::isNull);
  }

  public static Column of(Allocator allocator, DataType type, @Nullable Object... values) {
    return of(allocator, ColumnShape.of(type), Arrays.asList(values));
  }

  /**
   * A column of any shape but HANDLE, whose values are Longs. A bitmap is made if there are nulls.
   */
  public static Column of(Allocator allocator, ColumnShape shape, List<?> values) {
    int rows = values.size();
    Storage storage = shape.storage();
    int bytes = 0;
    for (Object value : values) {
      bytes += storage == Storage.BYTES && value != null ? bytes(value).length : 0;
    }
    boolean variable = storage == Storage.BYTES;
    // Bytes before the first value: offsets need not start at 0.
    int start = variable ? 3 : 0;
    Buffer data = allocator.allocate(variable ? start + bytes : (long) rows * storage.width());
    Buffer offsets = variable ? allocator.allocate(4L * (rows + 1)) : Buffer.EMPTY;
    Buffer validity = null;
    if (values.stream().anyMatch(Objects::isNull)) {
      validity = allocator.allocate((rows + 63) / 64 * 8L);
    }
    int offset = start;
    for (int i = 0; i < rows; i++) {
      Object value = values.get(i);
      if (variable) {
        Mem.putInt(offsets.address() + 4L * i, offset);
        if (value != null) {
          byte[] text = bytes(value);
          Mem.copy(text, 0, data.address() + offset, text.length);
          offset += text.length;
        }
      } else {
        put(shape, data.address(), i, value);
      }
      if (validity != null) {
        long place = validity.address() + i / 8;
        int bit = 1 << (i & 7);
        int old = Mem.getByte(place);
        Mem.putByte(place, (byte) (value == null ? old & ~bit : old | bit));
      }
    }
    if (variable) {
      Mem.putInt(offsets.address() + 4L * rows, offset);
    }
    ColumnShape known = validity == null ? shape : shape.withMayBeNull(true);
    Buffer values2 = storage == Storage.NONE ? Buffer.EMPTY : data;
    return new Column(known, rows, values2, offsets, validity, null);
  }

  private static byte[] bytes(Object value) {
    return value instanceof byte[] given
        ? given
        : ((String) value).getBytes(StandardCharsets.UTF_8);
  }

  private static void put(ColumnShape shape, long data, int i, @Nullable Object value) {
    switch (shape.storage()) {
      case BYTE, CODE8 -> Mem.putByte(data + i, (byte) integer(shape, value));
      case SHORT, CODE16 -> Mem.putShort(data + 2L * i, (short) integer(shape, value));
      case INT, CODE -> Mem.putInt(data + 4L * i, (int) integer(shape, value));
      case LONG, HANDLE -> Mem.putLong(data + 8L * i, integer(shape, value));
      case LONG128 -> {
        BigInteger unscaled =
            value == null
                ? BigInteger.valueOf(POISON).shiftLeft(64)
                : ((BigDecimal) value).setScale(shape.type().scale()).unscaledValue();
        Mem.putLong(data + 16L * i, unscaled.longValue());
        Mem.putLong(data + 16L * i + 8, unscaled.shiftRight(64).longValue());
      }
      case FLOAT ->
          Mem.putFloat(data + 4L * i, value == null ? Float.NaN : ((Double) value).floatValue());
      case DOUBLE -> Mem.putDouble(data + 8L * i, value == null ? Double.NaN : (Double) value);
      default -> {}
    }
  }

  private static long integer(ColumnShape shape, @Nullable Object value) {
    return switch (value) {
      case null -> POISON;
      case Boolean truth -> truth ? 1 : 0;
      case Long number -> number;
      case BigDecimal decimal ->
          decimal.setScale(shape.type().scale()).unscaledValue().longValueExact();
      default -> Objects.requireNonNull(shape.dictionary()).find(bytes(value));
    };
  }

  /** The boxed value of a row; a handle is a Long. */
  public static @Nullable Object value(Column column, int row) {
    RowIds rowIds = column.rowIds();
    int at = rowIds == null ? row : Mem.getInt(rowIds.ids().address() + 4L * row);
    if (at < 0) {
      assertEquals(true, rowIds != null && rowIds.mayBeNull(), "an id of -1 where none may be");
      return null;
    }
    Buffer validity = column.validity();
    if (validity != null) {
      assertEquals(true, column.shape().mayBeNull(), "a bitmap where the shape promises none");
      if (!Mem.getBit(validity.address(), at)) {
        return null;
      }
    }
    long data = column.values().address();
    DataType type = column.shape().type();
    return switch (column.shape().storage()) {
      case NONE -> null;
      case BYTE -> exact(type, Mem.getByte(data + at));
      case SHORT -> exact(type, Mem.getShort(data + 2L * at));
      case INT -> exact(type, Mem.getInt(data + 4L * at));
      case LONG -> exact(type, Mem.getLong(data + 8L * at));
      case HANDLE -> Mem.getLong(data + 8L * at);
      case LONG128 -> {
        byte[] bytes = new byte[16];
        ByteBuffer.wrap(bytes)
            .putLong(Mem.getLong(data + 16L * at + 8))
            .putLong(Mem.getLong(data + 16L * at));
        yield new BigDecimal(new BigInteger(bytes), type.scale());
      }
      case FLOAT -> (double) Mem.getFloat(data + 4L * at);
      case DOUBLE -> Mem.getDouble(data + 8L * at);
      case BYTES -> {
        int from = Mem.getInt(column.offsets().address() + 4L * at);
        int to = Mem.getInt(column.offsets().address() + 4L * at + 4);
        byte[] bytes = new byte[to - from];
        Mem.copy(data + from, bytes, 0, bytes.length);
        yield variable(type, bytes);
      }
      case CODE, CODE8, CODE16 ->
          variable(
              type,
              Objects.requireNonNull(column.shape().dictionary()).bytes(column.code((int) at)));
    };
  }

  private static Object exact(DataType type, long value) {
    return switch (type.kind()) {
      case BOOLEAN -> value != 0;
      case DECIMAL -> BigDecimal.valueOf(value, type.scale());
      default -> value;
    };
  }

  private static Object variable(DataType type, byte[] bytes) {
    return type.kind() == TypeKind.BINARY ? bytes : new String(bytes, StandardCharsets.UTF_8);
  }

  /** All values of a column. */
  public static List<@Nullable Object> values(Column column) {
    List<@Nullable Object> values = new ArrayList<>();
    for (int row = 0; row < column.rows(); row++) {
      values.add(value(column, row));
    }
    return values;
  }

  /** The rows of a batch. */
  public static List<List<@Nullable Object>> rows(ColumnBatch batch) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int row = 0; row < batch.rows(); row++) {
      List<@Nullable Object> values = new ArrayList<>();
      for (Column column : batch.columns()) {
        values.add(value(column, row));
      }
      rows.add(values);
    }
    return rows;
  }

  /** Asserts that rows are the same, in any order. */
  public static void assertSameRows(
      List<? extends List<?>> expected, List<? extends List<?>> actual) {
    assertEquals(counts(expected), counts(actual));
  }

  private static Map<List<Object>, Integer> counts(List<? extends List<?>> rows) {
    Map<List<Object>, Integer> counts = new HashMap<>();
    for (List<?> row : rows) {
      List<Object> key = new ArrayList<>();
      row.forEach(value -> key.add(comparable(value)));
      counts.merge(key, 1, Integer::sum);
    }
    return counts;
  }

  /** A form in which equal values are equal objects. */
  public static Object comparable(@Nullable Object value) {
    return switch (value) {
      case null -> "(null)";
      case byte[] bytes -> ByteBuffer.wrap(bytes);
      case BigDecimal decimal -> decimal.stripTrailingZeros();
      default -> value;
    };
  }

  /** Row ids in a buffer. */
  public static RowIds rowIds(Allocator allocator, boolean mayBeNull, int... ids) {
    return new RowIds(ints(allocator, ids), ids.length, mayBeNull);
  }

  public static Buffer ints(Allocator allocator, int... values) {
    Buffer buffer = allocator.allocate(4L * values.length);
    for (int i = 0; i < values.length; i++) {
      Mem.putInt(buffer.address() + 4L * i, values[i]);
    }
    return buffer;
  }

  public static Buffer longs(Allocator allocator, long... values) {
    Buffer buffer = allocator.allocate(8L * values.length);
    for (int i = 0; i < values.length; i++) {
      Mem.putLong(buffer.address() + 8L * i, values[i]);
    }
    return buffer;
  }

  public static int[] ints(Buffer buffer, int count) {
    int[] values = new int[count];
    for (int i = 0; i < count; i++) {
      values[i] = Mem.getInt(buffer.address() + 4L * i);
    }
    return values;
  }

  public static long[] longs(Buffer buffer, int count) {
    long[] values = new long[count];
    for (int i = 0; i < count; i++) {
      values[i] = Mem.getLong(buffer.address() + 8L * i);
    }
    return values;
  }

  /**
   * The same values in another form: as they are, a slice of a longer column, or behind row ids;
   * with {@code nullIds} the nulls may be ids of -1.
   */
  public static Column disguise(
      Allocator allocator, ColumnShape shape, List<?> values, int form, Random random) {
    int rows = values.size();
    switch (form % 4) {
      case 0 -> {
        return of(allocator, shape, values);
      }
      case 1 -> {
        List<@Nullable Object> longer = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
          longer.add(rows == 0 ? null : values.get(random.nextInt(rows)));
        }
        longer.addAll(values);
        return of(allocator, shape, longer).slice(64, rows);
      }
      default -> {
        boolean nullIds = form % 4 == 3;
        List<@Nullable Object> shuffled = new ArrayList<>();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
          order.add(i);
        }
        java.util.Collections.shuffle(order, random);
        int[] ids = new int[rows];
        for (int i : order) {
          if (nullIds && values.get(i) == null) {
            ids[i] = -1;
          } else {
            ids[i] = shuffled.size();
            shuffled.add(values.get(i));
          }
        }
        return of(allocator, shape, shuffled).withRowIds(rowIds(allocator, nullIds, ids));
      }
    }
  }
}
