package io.aragonite.adapter.format.nested;

import io.aragonite.adapter.format.nested.NestedType.Field;
import io.aragonite.adapter.format.nested.NestedType.Listed;
import io.aragonite.adapter.format.nested.NestedType.Mapped;
import io.aragonite.adapter.format.nested.NestedType.Scalar;
import io.aragonite.adapter.format.nested.NestedType.Struct;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.rules.function.FineMoment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.runtime.SqlFunctions;
import org.jspecify.annotations.Nullable;

/**
 * Makes the bytes that {@link NestedValue} reads of lists, structs and maps as Calcite has them
 * inside. Numbers become those of the type that is stored. Not safe for several threads.
 */
public final class NestedEncoder {
  private static final int LEAST = 256;

  private final NestedType type;
  private final String column;
  private ByteBuffer bytes = ByteBuffer.allocate(LEAST).order(ByteOrder.LITTLE_ENDIAN);

  /**
   * @param type what is stored
   * @param column its name, for messages
   */
  public NestedEncoder(NestedType type, String column) {
    this.type = type;
    this.column = column;
  }

  /**
   * The bytes of a value, from the first one of the buffer's array to its position; valid until the
   * next call.
   *
   * @throws AragoniteException NUMERIC_OVERFLOW if a number is beyond the type that is stored,
   *     RESULT_TOO_LARGE
   */
  public ByteBuffer encode(Object value) {
    bytes.clear();
    try {
      put(type, value);
    } catch (ArithmeticException e) {
      throw beyond(value, e);
    }
    return bytes;
  }

  private AragoniteException beyond(Object value, ArithmeticException e) {
    String text = String.valueOf(value);
    return new AragoniteException(
        ErrorCode.NUMERIC_OVERFLOW,
        "A value of column \"%s\" does not fit %s: %s; cast its parts to types that hold them."
            .formatted(
                column, type.sqlName(), text.length() > 100 ? text.substring(0, 100) + "…" : text),
        e);
  }

  private ByteBuffer room(int more) {
    if (bytes.remaining() < more) {
      long wanted = Math.max(2L * bytes.capacity(), bytes.position() + (long) more);
      if (bytes.position() + (long) more > Integer.MAX_VALUE - 8) {
        throw new AragoniteException(
            ErrorCode.RESULT_TOO_LARGE,
            "A value of column \"%s\" has more than 2 GB; take its parts.".formatted(column));
      }
      ByteBuffer larger =
          ByteBuffer.allocate((int) Math.min(wanted, Integer.MAX_VALUE - 8))
              .order(ByteOrder.LITTLE_ENDIAN);
      bytes = larger.put(bytes.flip());
    }
    return bytes;
  }

  private void put(NestedType of, @Nullable Object value) {
    room(1).put((byte) (value == null ? 0 : 1));
    if (value == null) {
      return;
    }
    switch (of) {
      case Scalar scalar -> scalar(scalar.type(), value);
      case Listed list -> {
        List<?> elements = (List<?>) value;
        room(Integer.BYTES).putInt(elements.size());
        for (Object element : elements) {
          put(list.element(), element);
        }
      }
      case Mapped map -> {
        Map<?, ?> entries = (Map<?, ?>) value;
        room(Integer.BYTES).putInt(entries.size());
        entries.forEach((key, entry) -> {
          put(map.key(), key);
          put(map.value(), entry);
        });
      }
      case Struct struct -> {
        int i = 0;
        for (Field field : struct.fields()) {
          put(field.type(), SqlFunctions.structAccess(value, i++, field.name()));
        }
      }
    }
  }

  private void scalar(DataType to, Object value) {
    switch (to.kind()) {
      case BOOLEAN -> room(1).put((byte) ((Boolean) value ? 1 : 0));
      case INT8 -> room(1).put(exact(value).byteValueExact());
      case INT16 -> room(Short.BYTES).putShort(exact(value).shortValueExact());
      case INT32, DATE ->
          room(Integer.BYTES).putInt(value instanceof Integer i ? i : exact(value).intValueExact());
      case INT64 -> room(Long.BYTES).putLong(whole(value));
      case TIME, TIMESTAMP -> room(Long.BYTES).putLong(FineMoment.in(value, to));
      case FLOAT32 -> room(Float.BYTES).putFloat(((Number) value).floatValue());
      case FLOAT64 -> room(Double.BYTES).putDouble(((Number) value).doubleValue());
      case DECIMAL -> decimal(to, value);
      case CHAR, VARCHAR -> variable(value.toString().getBytes(StandardCharsets.UTF_8));
      case BINARY -> variable(value instanceof ByteString b ? b.getBytes() : (byte[]) value);
      default -> throw new IllegalArgumentException(to.toString());
    }
  }

  private static long whole(Object value) {
    return value instanceof Long || value instanceof Integer
        ? ((Number) value).longValue()
        : exact(value).longValueExact();
  }

  private static BigDecimal exact(Object value) {
    return value instanceof BigDecimal decimal ? decimal : new BigDecimal(value.toString());
  }

  private void decimal(DataType to, Object value) {
    BigDecimal scaled = exact(value).setScale(to.scale(), RoundingMode.HALF_UP);
    if (scaled.precision() > to.precision()) {
      throw new ArithmeticException(scaled.toPlainString());
    }
    BigInteger unscaled = scaled.unscaledValue();
    room(2 * Long.BYTES).putLong(unscaled.longValue());
    if (Storage.of(to) == Storage.LONG128) {
      bytes.putLong(unscaled.shiftRight(Long.SIZE).longValue());
    }
  }

  private void variable(byte[] value) {
    room(Integer.BYTES).putInt(value.length);
    room(value.length).put(value);
  }
}
