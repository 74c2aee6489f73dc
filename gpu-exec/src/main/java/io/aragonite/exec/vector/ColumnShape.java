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
 * @param dictionary the dictionary of codes, null for any other storage
 * @param range true bounds of integer-like values, null if unknown
 */
public record ColumnShape(
    DataType type,
    Storage storage,
    boolean mayBeNull,
    @Nullable Dictionary dictionary,
    @Nullable ValueRange range) {

  private static final Storage[] NARROW = {Storage.BYTE, Storage.SHORT, Storage.INT};

  /** The shape of a column of which only the type is known. */
  public static ColumnShape of(DataType type) {
    return new ColumnShape(type, Storage.of(type), type.nullable(), null, null);
  }

  /**
   * The same column in the narrowest storage of integers or codes that its bounds allow, as tables
   * are kept on a device. Whole numbers keep 4 bytes, which hash tables take as they are.
   */
  public ColumnShape narrowest() {
    if (dictionary != null && storage == Storage.CODE) {
      Storage narrow =
          dictionary.size() <= 1 << 7
              ? Storage.CODE8
              : dictionary.size() <= 1 << 15 ? Storage.CODE16 : storage;
      return withStorage(narrow);
    }
    ValueRange bounds = range;
    if (bounds == null || storage != Storage.INT && storage != Storage.LONG) {
      return this;
    }
    int least =
        switch (type.kind()) {
          case DECIMAL -> 1;
          case DATE -> 2;
          case INT64 -> 4;
          default -> Long.BYTES;
        };
    for (Storage narrow : NARROW) {
      if (narrow.width() >= least
          && narrow.width() < storage.width()
          && bounds.fits(narrow.width())) {
        return withStorage(narrow);
      }
    }
    return this;
  }

  public ColumnShape withMayBeNull(boolean newMayBeNull) {
    return new ColumnShape(type, storage, newMayBeNull, dictionary, range);
  }

  public ColumnShape withStorage(Storage newStorage) {
    return new ColumnShape(type, newStorage, mayBeNull, dictionary, range);
  }

  public ColumnShape withRange(@Nullable ValueRange newRange) {
    return new ColumnShape(type, storage, mayBeNull, dictionary, newRange);
  }

  public ColumnShape withType(DataType newType) {
    return new ColumnShape(newType, storage, mayBeNull, dictionary, range);
  }
}
