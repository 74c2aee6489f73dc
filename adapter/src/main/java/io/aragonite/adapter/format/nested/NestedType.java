package io.aragonite.adapter.format.nested;

import io.aragonite.exec.type.DataType;
import java.util.List;

/** The type of a column of lists, structs or maps, or of what is in them. */
public sealed interface NestedType {
  boolean nullable();

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
