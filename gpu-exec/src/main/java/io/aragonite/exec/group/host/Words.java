package io.aragonite.exec.group.host;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.device.SortDigit;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import org.jspecify.annotations.Nullable;

/** Columns of a device as the sort phase handles them. */
final class Words {
  private static final SortDigit SIGNED =
      new SortDigit(0, SortDigit.Kind.SIGNED, 0, 0, Long.SIZE, false, false, false, 0);

  private Words() {}

  /** A signed key as an unsigned word of the same order, as {@link #of} makes them. */
  static long word(long key) {
    return key ^ Long.MIN_VALUE;
  }

  /** Unsigned 64-bit words in the order of signed keys of 4 or 8 bytes. */
  static Buffer of(ExecContext context, Buffer keys, int width, int count) {
    Buffer words = context.memory().allocate(8L * count);
    if (count > 0) {
      Primitives primitives = context.device().primitives();
      primitives.fill(context, words, Long.BYTES, 0, count);
      primitives.sortDigit(
          context, SIGNED, column(keys, width, count, null), null, 0, count, 0, words);
    }
    return words;
  }

  static Column column(Buffer values, int width, int count, @Nullable Buffer validity) {
    return new Column(shape(width, validity != null), count, values, Buffer.EMPTY, validity, null);
  }

  static ColumnShape shape(int width, boolean nulls) {
    TypeKind kind =
        switch (width) {
          case 1 -> TypeKind.INT8;
          case 2 -> TypeKind.INT16;
          case 4 -> TypeKind.INT32;
          case 8 -> TypeKind.INT64;
          default -> throw new IllegalArgumentException(width + " bytes");
        };
    return ColumnShape.of(DataType.of(kind, nulls));
  }

  /** The values of some rows, in new memory. */
  static Buffer gather(
      ExecContext context, Buffer values, int width, int count, Buffer ids, int wanted) {
    QueryMemory memory = context.memory();
    if (wanted == 0) {
      return memory.allocate(0);
    }
    RowIds rows = new RowIds(ids, wanted, false);
    Column column = column(values, width, count, null).withRowIds(rows);
    return context.device().primitives().materialize(context, column, memory).values();
  }
}
