package io.aragonite.adapter.format.csv;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import org.jspecify.annotations.Nullable;

/** A column of values that are parsed from text. Not safe for several threads. */
public final class ValueColumn {
  private final DataType type;
  private final Storage storage;
  private final int rows;
  private final QueryMemory memory;
  private final Buffer values;
  private final ValueParser parser = new ValueParser();
  private long validity;
  private @Nullable Buffer validityBuffer;

  public ValueColumn(DataType type, int rows, QueryMemory memory) {
    this.type = type;
    this.storage = Storage.of(type);
    this.rows = rows;
    this.memory = memory;
    this.values = memory.allocate((long) rows * storage.width());
  }

  /** Whether times had digits that the type does not keep, which are cut off. */
  public boolean cut() {
    return parser.cut;
  }

  /** A row is null. The bitmap is made when the first null is met. */
  public void setNull(int row) {
    if (validityBuffer == null) {
      Buffer buffer = memory.allocate((rows + 63L) / 64 * 8);
      Mem.fill(buffer.address(), buffer.size(), (byte) -1);
      validity = buffer.address();
      validityBuffer = buffer;
    }
    long at = validity + (row >> 3);
    Mem.putByte(at, (byte) (Mem.getByte(at) & ~(1 << (row & 7))));
  }

  /**
   * Parses a row's value from a text.
   *
   * @param declared whether the type was declared, which allows more forms
   * @return false if the text is no value of the type
   */
  public boolean parse(int row, long from, long to, boolean declared) {
    boolean parsed = parser.parse(type, from, to, declared);
    if (parsed) {
      store(values.address(), row);
    }
    return parsed;
  }

  private void store(long to, int row) {
    switch (storage) {
      case BYTE -> Mem.putByte(to + row, (byte) parser.value);
      case SHORT -> Mem.putShort(to + 2L * row, (short) parser.value);
      case INT -> Mem.putInt(to + 4L * row, (int) parser.value);
      case LONG -> Mem.putLong(to + 8L * row, parser.value);
      case LONG128 -> {
        Mem.putLong(to + 16L * row, parser.value);
        Mem.putLong(to + 16L * row + 8, parser.high);
      }
      case FLOAT -> Mem.putFloat(to + 4L * row, (float) parser.number);
      case DOUBLE -> Mem.putDouble(to + 8L * row, parser.number);
      default -> throw new IllegalStateException(storage.name());
    }
  }

  /** The column, of values of one width. */
  public Column fixed() {
    return column(values, Buffer.EMPTY);
  }

  /** The column, of texts. */
  public Column texts(Buffer bytes, Buffer offsets) {
    return column(bytes, offsets);
  }

  private Column column(Buffer data, Buffer offsets) {
    ColumnShape shape = new ColumnShape(type, storage, validityBuffer != null, null, null);
    return new Column(shape, rows, data, offsets, validityBuffer, null);
  }
}
