package io.aragonite.adapter.format.nested;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.List;

/** The type of a column of lists, structs or maps, or of what is in them. */
public sealed interface NestedType {
  boolean nullable();

  /** The same type, of which everything may be null: files of one table differ in that. */
  default NestedType relaxed() {
    return switch (this) {
      case Scalar scalar -> new Scalar(scalar.type().withNullable(true));
      case Listed list -> new Listed(list.element().relaxed(), true);
      case Mapped map -> new Mapped(map.key().relaxed(), map.value().relaxed(), true);
      case Struct struct ->
          new Struct(
              struct.fields().stream()
                  .map(field -> new Field(field.name(), field.type().relaxed()))
                  .toList(),
              true);
    };
  }

  /**
   * What a scalar is within lists, structs and maps, which have no instants: a moment that is
   * adjusted to UTC is a TIMESTAMP of UTC there.
   */
  static DataType local(DataType type) {
    return type.kind() == TypeKind.INSTANT
        ? DataType.timestamp(type.precision(), type.nullable())
        : type;
  }

  /** A value that is not nested. */
  record Scalar(DataType type) implements NestedType {
    @Override
    public boolean nullable() {
      return type.nullable();
    }
  }

  /** Values one behind the other. */
  record Listed(NestedType element, boolean nullable) implements NestedType {}

  /** Values with names. */
  record Struct(List<Field> fields, boolean nullable) implements NestedType {
    public Struct {
      fields = List.copyOf(fields);
    }
  }

  /** Keys, each once, with values. */
  record Mapped(NestedType key, NestedType value, boolean nullable) implements NestedType {}

  /** A part of a struct. */
  record Field(String name, NestedType type) {}
}
