package io.aragonite.adapter.format;

import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import org.jspecify.annotations.Nullable;

/**
 * A column as its file declares it.
 *
 * @param name as written in the file
 * @param type its SQL type; null if none of ours can hold it
 * @param fileType how the file calls its type, for messages
 * @param nested the type of lists, structs or maps, whose values are bytes here; null for others
 * @param uuid whether its texts are the canonical ones of UUIDs, which the column has
 */
public record FileColumn(
    String name,
    @Nullable DataType type,
    String fileType,
    @Nullable NestedType nested,
    boolean uuid) {
  /** Metadata of our own Arrow files' fields: types that Arrow has no place for. */
  public static final String ARROW_TYPE = "aragonite.type";

  /** That of texts that are UUIDs. */
  public static final String ARROW_UUID = "UUID";

  /** What a UUID's canonical text is stored as. */
  public static final DataType UUID_TEXT = new DataType(TypeKind.VARCHAR, 36, 0, true);

  public FileColumn(String name, @Nullable DataType type, String fileType) {
    this(name, type, fileType, null);
  }

  public FileColumn(
      String name, @Nullable DataType type, String fileType, @Nullable NestedType nested) {
    this(name, type, fileType, nested, false);
  }

  /** A column of UUIDs. */
  public static FileColumn ofUuids(String name, String fileType, boolean nullable) {
    return new FileColumn(name, UUID_TEXT.withNullable(nullable), fileType, null, true);
  }

  /** The same with another name and type; of texts of other lengths some may be no UUIDs. */
  public FileColumn of(String otherName, @Nullable DataType otherType) {
    boolean same = otherType != null && otherType.withNullable(true).equals(UUID_TEXT);
    return new FileColumn(otherName, otherType, fileType, nested, uuid && same);
  }

  /** The same, but that its texts need not be UUIDs. */
  public FileColumn ofTexts() {
    return new FileColumn(name, type, fileType, nested);
  }
}
