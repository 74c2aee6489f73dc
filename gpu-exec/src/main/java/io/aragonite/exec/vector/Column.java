package io.aragonite.exec.vector;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One column of a batch, in Arrow's memory layout (except that BOOLEAN takes a byte a value), seen
 * through an optional indirection. Values under nulls are undefined.
 *
 * @param shape type, storage, dictionary, bounds
 * @param dataRows rows of the data behind the indirection
 * @param values fixed-width values or codes; the bytes of BYTES storage; EMPTY for NONE
 * @param offsets dataRows + 1 32-bit offsets of BYTES storage, EMPTY for any other
 * @param validity one bit a data row, 1 = not null, least significant first; null = no nulls in the
 *     data
 * @param rowIds the indirection; null = row i of the batch is row i of the data
 */
public record Column(
    ColumnShape shape,
    int dataRows,
    Buffer values,
    Buffer offsets,
    @Nullable Buffer validity,
    @Nullable RowIds rowIds) {

  /** Rows of the batch that this column is in. */
  public int rows() {
    return rowIds == null ? dataRows : rowIds.count();
  }

  /** The code of a row of the data, which is in host memory and not null. */
  public int code(int dataRow) {
    long address = values.address();
    return switch (shape.storage()) {
      case CODE8 -> Mem.getByte(address + dataRow);
      case CODE16 -> Mem.getShort(address + 2L * dataRow);
      default -> Mem.getInt(address + 4L * dataRow);
    };
  }

  /** The same data under another SQL type, which has the same storage. */
  public Column withType(DataType type) {
    return shape.type().equals(type)
        ? this
        : new Column(shape.withType(type), dataRows, values, offsets, validity, rowIds);
  }

  /** The same data through another indirection, which replaces the present one. */
  public Column withRowIds(@Nullable RowIds newRowIds) {
    return new Column(shape, dataRows, values, offsets, validity, newRowIds);
  }

  /**
   * Rows {@code from} to {@code from + count} of a column without an indirection.
   *
   * @param from a multiple of 64, so that the bitmap can be sliced by address
   */
  public Column slice(int from, int count) {
    assert (from & 63) == 0;
    return part(from, count);
  }

  /** The same of a column that has no bitmap, from any row on. */
  public Column sliceAnywhere(int from, int count) {
    assert validity == null;
    return part(from, count);
  }

  /**
   * The same from any row on: of a bitmap that would begin within a word there is a copy.
   *
   * @param bitmaps memory of so many bytes, a multiple of 8
   */
  public Column sliceAnywhere(int from, int count, LongFunction<Buffer> bitmaps) {
    if (validity == null || (from & 63) == 0) {
      return part(from, count);
    }
    Buffer moved = bitmaps.apply((count + 63) / 64 * 8L);
    Mem.moveBits(validity.address(), from, moved.address(), count);
    Column some = new Column(shape, dataRows, values, offsets, null, null).part(from, count);
    return new Column(
        shape, count, some.values, some.offsets, moved.slice(0, (count + 7) / 8), null);
  }

  private Column part(int from, int count) {
    assert rowIds == null && from + count <= dataRows;
    boolean variable = offsets.size() > 0;
    int width = shape.storage().width();
    return new Column(
        shape,
        count,
        variable ? values : values.slice((long) from * width, (long) count * width),
        variable ? offsets.slice(from * 4L, (count + 1) * 4L) : offsets,
        validity == null ? null : validity.slice(from / 8, (count + 7) / 8),
        null);
  }
}
