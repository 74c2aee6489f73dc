package io.aragonite.adapter.format;

import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import org.jspecify.annotations.Nullable;

/** Writes values in the form that {@link io.aragonite.adapter.format.nested.NestedValue} reads. */
public final class NestedBytes {
  private final BytesBuilder bytes;

  public NestedBytes(BytesBuilder bytes) {
    this.bytes = bytes;
  }

  public void presence(boolean there) {
    Mem.putByte(bytes.room(8), (byte) (there ? 1 : 0));
    bytes.advance(1);
  }

  /** Leaves room for a number, which {@link #number(int, int)} fills in. */
  public int placeOfNumber() {
    int place = bytes.size();
    bytes.room(8);
    bytes.advance(4);
    return place;
  }

  public void number(int place, int number) {
    Mem.putInt(bytes.address() + place, number);
  }

  /**
   * A value of a column.
   *
   * @param words what it is a number in; null: it has its values
   */
  public void value(Column column, @Nullable PartDictionary words, int row) {
    Storage storage = column.shape().storage();
    long values = column.values().address();
    if (words != null) {
      int number =
          switch (storage) {
            case BYTE -> Mem.getByte(values + row) & 0xFF;
            case SHORT -> Mem.getShort(values + 2L * row) & 0xFFFF;
            default -> Mem.getInt(values + 4L * row);
          };
      variable(words.address(number), words.length(number));
    } else if (storage == Storage.BYTES) {
      long place = column.offsets().address() + 4L * row;
      int from = Mem.getInt(place);
      variable(values + from, Mem.getInt(place + 4) - from);
    } else {
      int width = storage.width();
      fixed(values + (long) width * row, width);
    }
  }

  /** The bytes of a value whose storage has so many. */
  public void fixed(long from, int width) {
    Mem.copy(from, bytes.room(width), width);
    bytes.advance(width);
  }

  private void variable(long from, int length) {
    long to = bytes.room(length + 4L);
    Mem.putInt(to, length);
    Mem.copy(from, to + 4, length);
    bytes.advance(length + 4);
  }
}
