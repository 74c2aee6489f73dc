package io.aragonite.adapter.format.arrow;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;

/**
 * Arrow's lists, structs and maps as the bytes that {@link
 * io.aragonite.adapter.format.nested.NestedValue} reads.
 */
final class NestedArrow {
  /** Lists, structs and maps in each other; more are no table's. */
  private static final int MOST_DEPTH = 64;

  private final BytesBuilder out;

  private NestedArrow(BytesBuilder out) {
    this.out = out;
  }

  /** The type of a field; null if it, or something in it, is none of ours. */
  static @Nullable NestedType type(Field field, int depth) {
    if (depth > MOST_DEPTH || field.getDictionary() != null) {
      return null;
    }
    List<NestedType> parts = new ArrayList<>();
    for (Field child : field.getChildren()) {
      NestedType part = type(child, depth + 1);
      if (part == null) {
        return null;
      }
      parts.add(part);
    }
    return switch (field.getType().getTypeID()) {
      case List -> new NestedType.Listed(parts.getFirst(), true);
      case Struct -> parts.isEmpty() ? null : struct(field, parts);
      case Map ->
          parts.getFirst() instanceof NestedType.Struct entry && entry.fields().size() == 2
              ? new NestedType.Mapped(
                  entry.fields().get(0).type(), entry.fields().get(1).type(), true)
              : null;
      default -> scalar(ArrowTypes.column(field).type());
    };
  }

  private static NestedType struct(Field field, List<NestedType> parts) {
    List<NestedType.Field> fields = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      fields.add(new NestedType.Field(field.getChildren().get(i).getName(), parts.get(i)));
    }
    return new NestedType.Struct(fields, true);
  }

  private static @Nullable NestedType scalar(@Nullable DataType type) {
    return type == null || type.kind().isInterval()
        ? null
        : new NestedType.Scalar(NestedType.local(type).withNullable(true));
  }

  /** A vector as a column of bytes. */
  static Column convert(FieldVector vector, FileColumn declared, int rows, QueryMemory temporary) {
    Part root = part(Objects.requireNonNull(declared.nested()), vector, rows, temporary);
    Buffer offsets = temporary.allocate(4L * (rows + 1));
    Mem.putInt(offsets.address(), 0);
    boolean nulls = vector.getNullCount() > 0;
    try (BytesBuilder bytes = new BytesBuilder(temporary)) {
      NestedArrow writer = new NestedArrow(bytes);
      for (int row = 0; row < rows; row++) {
        if (!vector.isNull(row)) {
          writer.put(root, row);
        }
        Mem.putInt(offsets.address() + 4L * row + 4, bytes.size());
      }
      DataType type = Objects.requireNonNull(declared.type());
      ColumnShape shape = new ColumnShape(type, Storage.BYTES, nulls, null, null);
      Buffer validity =
          nulls ? new Buffer(vector.getValidityBuffer().memoryAddress(), (rows + 7) / 8) : null;
      return new Column(shape, rows, bytes.take(), offsets, validity, null);
    }
  }

  /**
   * A vector, and those in it.
   *
   * @param values of a scalar
   */
  private record Part(
      NestedType type, FieldVector vector, List<Part> parts, @Nullable Column values) {}

  /** Looks whether a vector and those in it have the values that they say. */
  private static Part part(NestedType type, FieldVector vector, int rows, Allocator temporary) {
    switch (type) {
      case NestedType.Scalar(DataType scalar) -> {
        FileColumn declared = new FileColumn(vector.getName(), scalar, "");
        return new Part(
            type, vector, List.of(), ArrowTypes.convert(vector, declared, rows, temporary));
      }
      case NestedType.Struct struct -> {
        requireValidity(vector, rows);
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < struct.fields().size(); i++) {
          FieldVector child = (FieldVector) ((StructVector) vector).getChildByOrdinal(i);
          parts.add(part(struct.fields().get(i).type(), child, rows, temporary));
        }
        return new Part(type, vector, parts, null);
      }
      case NestedType.Listed list -> {
        FieldVector elements = elements(vector, rows);
        Part element = part(list.element(), elements, elements.getValueCount(), temporary);
        return new Part(type, vector, List.of(element), null);
      }
      case NestedType.Mapped map -> {
        StructVector entries = (StructVector) elements(vector, rows);
        int count = entries.getValueCount();
        FieldVector keys = (FieldVector) entries.getChildByOrdinal(0);
        FieldVector values = (FieldVector) entries.getChildByOrdinal(1);
        return new Part(
            type,
            vector,
            List.of(
                part(map.key(), keys, count, temporary),
                part(map.value(), values, count, temporary)),
            null);
      }
    }
  }

  private static void requireValidity(FieldVector vector, int rows) {
    boolean shorter = vector.getValueCount() < rows;
    if (shorter || vector.getValidityBuffer().capacity() < (rows + 7) / 8) {
      throw new IllegalArgumentException("its values are cut short");
    }
  }

  /** The elements of lists, whose places are within them. */
  private static FieldVector elements(FieldVector vector, int rows) {
    requireValidity(vector, rows);
    FieldVector elements = ((ListVector) vector).getDataVector();
    if (rows > 0) {
      ArrowTypes.requireOffsetBytes(vector, 4L * (rows + 1));
      long offsets = vector.getOffsetBuffer().memoryAddress();
      ArrowTypes.requireOffsets(offsets, rows, elements.getValueCount());
    }
    return elements;
  }

  private void put(Part part, int row) {
    boolean there = !part.vector.isNull(row);
    Mem.putByte(out.room(1), (byte) (there ? 1 : 0));
    out.advance(1);
    if (!there) {
      return;
    }
    switch (part.type) {
      case NestedType.Scalar(DataType type) ->
          value(type, Objects.requireNonNull(part.values), row);
      case NestedType.Struct _ -> part.parts.forEach(field -> put(field, row));
      case NestedType.Listed _, NestedType.Mapped _ -> {
        long offsets = part.vector.getOffsetBuffer().memoryAddress();
        int from = Mem.getInt(offsets + 4L * row);
        int to = Mem.getInt(offsets + 4L * row + 4);
        number(to - from);
        for (int i = from; i < to; i++) {
          for (Part one : part.parts) {
            put(one, i);
          }
        }
      }
    }
  }

  private void number(int number) {
    Mem.putInt(out.room(Integer.BYTES), number);
    out.advance(Integer.BYTES);
  }

  private void value(DataType type, Column values, int row) {
    long address = values.values().address();
    if (values.shape().storage() == Storage.BYTES) {
      long offsets = values.offsets().address();
      int from = Mem.getInt(offsets + 4L * row);
      int length = Mem.getInt(offsets + 4L * row + 4) - from;
      number(length);
      Mem.copy(address + from, out.room(length), length);
      out.advance(length);
    } else {
      // Of decimals of few digits the lower half, which comes first.
      int width = Storage.of(type).width();
      Mem.copy(address + (long) row * values.shape().storage().width(), out.room(width), width);
      out.advance(width);
    }
  }
}
