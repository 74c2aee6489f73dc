package io.aragonite.adapter.format.nested;

import io.aragonite.adapter.format.nested.NestedType.Field;
import io.aragonite.adapter.format.nested.NestedType.Listed;
import io.aragonite.adapter.format.nested.NestedType.Mapped;
import io.aragonite.adapter.format.nested.NestedType.Scalar;
import io.aragonite.adapter.format.nested.NestedType.Struct;
import io.aragonite.exec.expr.HostFunction;
import io.aragonite.exec.memory.Int128;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.function.FineMoment;
import io.aragonite.rules.function.NestedDecoder;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.avatica.util.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Makes objects of the bytes of a nested column: {@link List} of lists, arrays of structs, {@link
 * Map} of maps, and scalars as Calcite has them inside. Bytes are little-endian; a value is a byte
 * that is 0 for null and else 1, and then
 *
 * <ul>
 *   <li>of a scalar its storage's bytes, for text and bytes a length of 32 bits and as many bytes,
 *   <li>of a list the number of elements in 32 bits and the elements, of a map its keys and values
 *       in turn,
 *   <li>of a struct its fields.
 * </ul>
 */
public final class NestedValue implements NestedDecoder {
  private final NestedType type;

  /** The column's, for messages. */
  private final String name;

  /** The fields that lead from the column's rows to what is made; none: the rows themselves. */
  private final List<Integer> path;

  /**
   * @param name the column's, for messages
   */
  public NestedValue(NestedType type, String name) {
    this(type, name, List.of());
  }

  private NestedValue(NestedType type, String name, List<Integer> path) {
    this.type = type;
    this.name = name;
    this.path = path;
  }

  @Override
  public NestedValue field(int index) {
    List<Integer> longer = new ArrayList<>(path);
    longer.add(index);
    return new NestedValue(type, name, List.copyOf(longer));
  }

  @Override
  public @Nullable HostFunction stored() {
    return path.isEmpty() ? null : this::slice;
  }

  /** The type of what is made. */
  public NestedType form() {
    NestedType made = type;
    for (int index : path) {
      made = ((Struct) made).fields().get(index).type();
    }
    return made;
  }

  @Override
  public @Nullable Object apply(@Nullable Object[] arguments) {
    ByteBuffer bytes = find(arguments[0]);
    if (bytes == null) {
      return null;
    }
    NestedType wanted = form();
    return wanted instanceof Scalar scalar
            && (scalar.type().kind() == TypeKind.TIMESTAMP || scalar.type().kind() == TypeKind.TIME)
        ? moment(bytes)
        : value(wanted, bytes);
  }

  /** The bytes of a row of which those behind the path begin at the position; null: a null. */
  private @Nullable ByteBuffer find(@Nullable Object row) {
    if (!(row instanceof byte[] stored)) {
      return null;
    }
    ByteBuffer bytes = ByteBuffer.wrap(stored).order(ByteOrder.LITTLE_ENDIAN);
    NestedType wanted = type;
    for (int index : path) {
      Struct struct = (Struct) wanted;
      if (bytes.get() == 0) {
        return null;
      }
      for (int i = 0; i < index; i++) {
        skip(struct.fields().get(i).type(), bytes);
      }
      wanted = struct.fields().get(index).type();
    }
    return bytes;
  }

  private byte @Nullable [] slice(@Nullable Object[] arguments) {
    ByteBuffer bytes = find(arguments[0]);
    if (bytes == null || bytes.get(bytes.position()) == 0) {
      return null;
    }
    int from = bytes.position();
    skip(form(), bytes);
    return Arrays.copyOfRange(bytes.array(), from, bytes.position());
  }

  /** A timestamp or a time by itself, in the engine's unit. */
  private static @Nullable Long moment(ByteBuffer bytes) {
    return bytes.get() == 0 ? null : bytes.getLong();
  }

  private static void skip(NestedType type, ByteBuffer bytes) {
    if (bytes.get() == 0) {
      return;
    }
    switch (type) {
      case Scalar scalar -> {
        int width = Storage.of(scalar.type()).width();
        int length = width == 0 ? bytes.getInt() : width;
        bytes.position(bytes.position() + length);
      }
      case Listed list -> {
        for (int count = bytes.getInt(); count > 0; count--) {
          skip(list.element(), bytes);
        }
      }
      case Struct struct -> struct.fields().forEach(field -> skip(field.type(), bytes));
      case Mapped map -> {
        for (int count = bytes.getInt(); count > 0; count--) {
          skip(map.key(), bytes);
          skip(map.value(), bytes);
        }
      }
    }
  }

  private @Nullable Object value(NestedType type, ByteBuffer bytes) {
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

  private Object scalar(DataType type, ByteBuffer bytes) {
    return switch (type.kind()) {
      case BOOLEAN -> bytes.get() != 0;
      case INT8 -> bytes.get();
      case INT16 -> bytes.getShort();
      case INT32, DATE -> bytes.getInt();
      case INT64 -> bytes.getLong();
      case TIME, TIMESTAMP -> FineMoment.of(bytes.getLong(), type);
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
    return new BigDecimal(Int128.of(bytes.getLong(), low), type.scale());
  }

  private static byte[] variable(ByteBuffer bytes) {
    byte[] value = new byte[bytes.getInt()];
    bytes.get(value);
    return value;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NestedValue value && value.type.equals(type) && value.path.equals(path);
  }

  @Override
  public int hashCode() {
    return 31 * type.hashCode() + path.hashCode();
  }

  @Override
  public String toString() {
    return "nested value";
  }
}
