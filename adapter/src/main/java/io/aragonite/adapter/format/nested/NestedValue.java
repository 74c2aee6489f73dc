package io.aragonite.adapter.format.nested;

import io.aragonite.adapter.format.nested.NestedType.Field;
import io.aragonite.adapter.format.nested.NestedType.Listed;
import io.aragonite.adapter.format.nested.NestedType.Mapped;
import io.aragonite.adapter.format.nested.NestedType.Scalar;
import io.aragonite.adapter.format.nested.NestedType.Struct;
import io.aragonite.exec.expr.HostFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.avatica.util.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Makes objects of the bytes of a nested column: {@link List} of lists, arrays of structs, {@link
 * Map} of maps, and scalars as Calcite has them inside. Bytes are little-endian; a value is a byte that is 0 for
 * null and else 1, and then
 *
 * <ul>
 *   <li>of a scalar its storage's bytes, for text and bytes a length of 32 bits and as many bytes,
 *   <li>of a list the number of elements in 32 bits and the elements, of a map its keys and values
 *       in turn,
 *   <li>of a struct its fields.
 * </ul>
 */
public final class NestedValue implements HostFunction {
  private final NestedType type;

  public NestedValue(NestedType type) {
    this.type = type;
  }

  @Override
  public @Nullable Object apply(@Nullable Object[] arguments) {
    return arguments[0] instanceof byte[] bytes
        ? value(type, ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN))
        : null;
  }

  private static @Nullable Object value(NestedType type, ByteBuffer bytes) {
    if (bytes.get() == 0) {
      return null;
    }
    return switch (type) {
      case Scalar scalar -> scalar(scalar.type(), bytes);
      case Listed list -> {
        int count = bytes.getInt();
        List<@Nullable Object> elements = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
          elements.add(value(list.element(), bytes));
        }
        yield elements;
      }
      case Struct struct -> {
        @Nullable Object[] fields = new Object[struct.fields().size()];
        int i = 0;
        for (Field field : struct.fields()) {
          fields[i++] = value(field.type(), bytes);
        }
        yield fields;
      }
      case Mapped map -> {
        int count = bytes.getInt();
        Map<@Nullable Object, @Nullable Object> entries = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
          Object key = value(map.key(), bytes);
          entries.put(key, value(map.value(), bytes));
        }
        yield entries;
      }
    };
  }

  private static Object scalar(DataType type, ByteBuffer bytes) {
    return switch (type.kind()) {
      case BOOLEAN -> bytes.get() != 0;
      case INT8 -> bytes.get();
      case INT16 -> bytes.getShort();
      case INT32, DATE, TIME -> bytes.getInt();
      case INT64, TIMESTAMP -> bytes.getLong();
      case FLOAT32 -> bytes.getFloat();
      case FLOAT64 -> bytes.getDouble();
      case DECIMAL -> decimal(type, bytes);
      case CHAR, VARCHAR -> new String(variable(bytes), StandardCharsets.UTF_8);
      case BINARY -> new ByteString(variable(bytes));
      default -> throw new IllegalArgumentException(type.toString());
    };
  }

  private static BigDecimal decimal(DataType type, ByteBuffer bytes) {
    long low = bytes.getLong();
    if (Storage.of(type) == Storage.LONG) {
      return BigDecimal.valueOf(low, type.scale());
    }
    BigInteger high = BigInteger.valueOf(bytes.getLong()).shiftLeft(64);
    return new BigDecimal(
        high.add(new BigInteger(Long.toUnsignedString(low))), type.scale());
  }

  private static byte[] variable(ByteBuffer bytes) {
    byte[] value = new byte[bytes.getInt()];
    bytes.get(value);
    return value;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NestedValue value && value.type.equals(type);
  }

  @Override
  public int hashCode() {
    return type.hashCode();
  }

  @Override
  public String toString() {
    return "nested value";
  }
}
