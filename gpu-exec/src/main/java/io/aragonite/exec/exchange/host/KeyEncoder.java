package io.aragonite.exec.exchange.host;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.SortDigit;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import org.jspecify.annotations.Nullable;

/**
 * How keys become unsigned 64-bit words in the order of signed integers, the same for both sides.
 *
 * @param least the integer whose word is 0
 * @param bits of a word that are not 0 in all of them
 */
public record KeyEncoder(long least, int bits) {
  /** Of sides whose wider keys have so many bytes. */
  public static KeyEncoder ofWidth(int width) {
    return width == Integer.BYTES
        ? new KeyEncoder(Integer.MIN_VALUE, Integer.SIZE)
        : new KeyEncoder(Long.MIN_VALUE, Long.SIZE);
  }

  private SortDigit digit() {
    return bits == Long.SIZE
        ? new SortDigit(0, SortDigit.DigitKind.SIGNED, 0, 0, bits, false, false, false, 0)
        : new SortDigit(
            0, SortDigit.DigitKind.RANGED, least, Integer.MAX_VALUE, bits, false, false, false, 0);
  }

  /** The word of a key. */
  long word(long key) {
    return key - least;
  }

  /** The words of keys of 4 or 8 bytes, in new memory. */
  Buffer of(ExecContext context, Buffer keys, int width, int count) {
    Buffer words = context.memory().allocate(8L * count);
    if (count > 0) {
      context.scan().fill(context, words, Long.BYTES, 0, count);
      context
          .sort()
          .sortDigit(context, digit(), column(keys, width, count, null), null, 0, count, 0, words);
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
    return context.gather().materialize(context, column, memory).values();
  }
}
