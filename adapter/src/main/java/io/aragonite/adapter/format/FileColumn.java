package io.aragonite.adapter.format;

import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.type.DataType;
import org.jspecify.annotations.Nullable;

/**
 * A column as its file declares it.
 *
 * @param name as written in the file
 * @param type its SQL type; null if none of ours can hold it
 * @param fileType how the file calls its type, for messages
 * @param nested the type of lists, structs or maps, whose values are bytes here; null for others
 */
public record FileColumn(
    String name, @Nullable DataType type, String fileType, @Nullable NestedType nested) {
  public FileColumn(String name, @Nullable DataType type, String fileType) {
    this(name, type, fileType, null);
  }

  /** The same with another name and type. */
  public FileColumn of(String otherName, @Nullable DataType otherType) {
    return new FileColumn(otherName, otherType, fileType, nested);
  }
}
