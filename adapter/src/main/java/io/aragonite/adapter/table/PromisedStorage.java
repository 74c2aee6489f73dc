package io.aragonite.adapter.table;

import io.aragonite.adapter.format.IntegerNarrowing;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.List;

/**
 * Integers of a loaded column in as few bytes as the bounds that their file promises: memory that
 * is touched for the first time is much of what a first query takes, and later ones read fewer
 * bytes (null suppression, as {@code ColumnNarrowing} does for devices).
 */
final class PromisedStorage {
  private PromisedStorage() {}

  /**
   * The storage that a column's values fit if the file's bounds are right; that of the type where
   * the file says nothing, or the type has no narrower one.
   */
  static Storage of(List<FilePart> parts, int column, DataType type) {
    Storage widest = Storage.of(type);
    if (widest != Storage.INT && widest != Storage.LONG) {
      return widest;
    }
    ValueRange range = MatchingParts.range(parts.stream().map(part -> part.zone(column)).toList());
    return new ColumnShape(type, widest, false, null, range).narrowest().storage();
  }

  /** Whether a storage holds all values that were seen. */
  static boolean holds(Storage storage, PartScan scan) {
    return scan.min > scan.max
        || scan.ranged && new ValueRange(scan.min, scan.max).fits(storage.width());
  }

  /**
   * A part's values in a narrower storage that holds them.
   *
   * @param target where they go; 0: into memory of their own
   */
  static Decoded narrowed(Decoded wide, Storage storage, long target, QueryMemory memory) {
    Column column = wide.column();
    if (column.shape().storage() == Storage.NONE) {
      return wide;
    }
    long bytes = (long) column.dataRows() * storage.width();
    Buffer values = target == 0 ? memory.allocate(bytes) : new Buffer(target, bytes);
    copy(column, 0, column.dataRows(), storage, values.address());
    return new Decoded(
        new Column(
            column.shape().withStorage(storage),
            column.dataRows(),
            values,
            Buffer.EMPTY,
            column.validity(),
            null),
        wide.owner());
  }

  /**
   * Copies integers without nulls into a narrower storage; where there are nulls, what is under
   * them may not fit.
   *
   * @param to where the first of them goes
   */
  static void copy(Column source, int from, int count, Storage storage, long to) {
    int width = source.shape().storage().width();
    long at = source.values().address() + (long) from * width;
    if (!IntegerNarrowing.copy(at, width, count, storage.width(), to)
        && source.validity() == null) {
      throw new AragoniteException(
          ErrorCode.INTERNAL,
          "A column of " + source.shape().storage() + " cannot be stored as " + storage + ".");
    }
  }
}
