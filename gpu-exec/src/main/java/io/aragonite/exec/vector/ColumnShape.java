package io.aragonite.exec.vector;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a column before its data is: what code is compiled for.
 *
 * @param type the SQL type
 * @param storage how values lie in memory
 * @param mayBeNull whether there can be a validity bitmap; false is a promise, whatever the type
 *     says
 * @param dictionary the dictionary of CODE storage, null for any other
 * @param range true bounds of integer-like values, null if unknown
 */
public record ColumnShape(
    DataType type,
    Storage storage,
    boolean mayBeNull,
    @Nullable Dictionary dictionary,
    @Nullable ValueRange range) {

  /** The shape of a column of which only the type is known. */
  public static ColumnShape of(DataType type) {
    return new ColumnShape(type, Storage.of(type), type.nullable(), null, null);
  }

  public ColumnShape withMayBeNull(boolean newMayBeNull) {
    return new ColumnShape(type, storage, newMayBeNull, dictionary, range);
  }

  public ColumnShape withType(DataType newType) {
    return new ColumnShape(newType, storage, mayBeNull, dictionary, range);
  }
}
