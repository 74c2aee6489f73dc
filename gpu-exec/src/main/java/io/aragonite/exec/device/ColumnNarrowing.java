package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.function.LongFunction;

/**
 * Stores integers and codes of tables on a device as narrow as their bounds allow: more fit its
 * memory, and queries read fewer bytes (null suppression: Abadi et al., "Integrating Compression
 * and Execution in Column-Oriented Database Systems", 2006, section 3.1).
 */
final class ColumnNarrowing {
  private ColumnNarrowing() {}

  /** The shape that a table's column has on a device. */
  static ColumnShape shape(ColumnShape given) {
    return EngineSettings.current().narrowsColumns() ? given.narrowest() : given;
  }

  /**
   * A column's values in a narrower storage.
   *
   * @param column without an indirection
   * @param shape what {@link #shape} says of the whole column
   * @param allocate where they go
   * @return in the order of the query's work; the column itself if its storage is that already
   */
  static Column narrowed(
      ExecContext context, Column column, ColumnShape shape, LongFunction<Buffer> allocate) {
    int from = column.shape().storage().width();
    int to = shape.storage().width();
    if (from == to) {
      return column;
    }
    int rows = column.dataRows();
    Buffer values = allocate.apply((long) to * rows);
    if (rows > 0) {
      context.scan().convert(context, column.values(), from, rows, to, values);
    }
    return new Column(shape, rows, values, Buffer.EMPTY, column.validity(), null);
  }
}
