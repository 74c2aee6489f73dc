package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;

/**
 * A column that goes along when rows are moved.
 *
 * @param in its values
 * @param out where they go; as large
 * @param width bytes of a value: 1, 2, 4 or 8
 */
public record MovedColumn(Buffer in, Buffer out, int width) {
  /** Whether a column is plain values, which lie together wherever they are moved. */
  public static boolean isPlain(Column column) {
    int width = column.shape().storage().width();
    return column.rowIds() == null
        && column.validity() == null
        && column.offsets().size() == 0
        && (width == 1 || width == 2 || width == 4 || width == 8);
  }
}
