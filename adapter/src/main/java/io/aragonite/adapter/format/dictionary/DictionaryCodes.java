package io.aragonite.adapter.format.dictionary;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of a part's values, a row each, in as many bytes as the largest so far needs: of most
 * columns with a dictionary a part has fewer than 256. In the account of the load, since a column
 * of a large table has more of them than a Java heap holds.
 */
public final class DictionaryCodes {
  private final @Nullable QueryMemory memory;
  private final int rows;
  private int width = 1;
  private Buffer values;

  /** All 0. */
  public DictionaryCodes(QueryMemory memory, int rows) {
    this.memory = memory;
    this.rows = rows;
    this.values = zeros();
  }

  private DictionaryCodes(Column column) {
    this.memory = null;
    this.rows = column.dataRows();
    this.width = column.shape().storage().width();
    this.values = column.values();
  }

  /** Those of a decoded column of numbers, in place; none may be put. */
  public static DictionaryCodes of(Column column) {
    return new DictionaryCodes(column);
  }

  /** The number of a row. */
  public int get(int row) {
    long address = values.address();
    return switch (width) {
      case 1 -> Mem.getByte(address + row) & 0xff;
      case 2 -> Mem.getShort(address + 2L * row) & 0xffff;
      default -> Mem.getInt(address + 4L * row);
    };
  }

  /**
   * Counts how many rows have each number.
   *
   * @param counts by number, to which they are added
   * @param validity bitmap of the rows; 0: none is null
   */
  public void count(int[] counts, long validity) {
    long address = values.address();
    if (validity != 0) {
      for (int row = 0; row < rows; row++) {
        if (Mem.getBit(validity, row)) {
          counts[get(row)]++;
        }
      }
      return;
    }
    switch (width) {
      case 1 -> {
        for (int row = 0; row < rows; row++) {
          counts[Mem.getByte(address + row) & 0xff]++;
        }
      }
      case 2 -> {
        for (int row = 0; row < rows; row++) {
          counts[Mem.getShort(address + 2L * row) & 0xffff]++;
        }
      }
      default -> {
        for (int row = 0; row < rows; row++) {
          counts[Mem.getInt(address + 4L * row)]++;
        }
      }
    }
  }

  private Buffer zeros() {
    Buffer buffer = owner().allocate((long) width * rows);
    Mem.fill(buffer.address(), buffer.size(), (byte) 0);
    return buffer;
  }

  /** Gives a row a number; those behind it have 0. */
  public void put(int row, int code) {
    while (code >>> 8 * width != 0 && width < 4) {
      widen(row);
    }
    long address = values.address();
    switch (width) {
      case 1 -> Mem.putByte(address + row, (byte) code);
      case 2 -> Mem.putShort(address + 2L * row, (short) code);
      default -> Mem.putInt(address + 4L * row, code);
    }
  }

  /** Twice as many bytes a number, of which there are {@code count}. */
  private void widen(int count) {
    Buffer narrow = values;
    int before = width;
    width = 2 * before;
    values = zeros();
    for (int i = 0; i < count; i++) {
      if (before == 1) {
        Mem.putShort(values.address() + 2L * i, (short) (Mem.getByte(narrow.address() + i) & 0xff));
      } else {
        Mem.putInt(values.address() + 4L * i, Mem.getShort(narrow.address() + 2L * i) & 0xffff);
      }
    }
    owner().free(narrow);
  }

  /**
   * Writes what a table has for each of some rows' numbers.
   *
   * @param bytes of each that is written, which all of the table fit
   */
  public void translate(int from, int count, int[] table, int bytes, long to) {
    switch (bytes) {
      case 1 -> {
        if (width == 1) {
          bytesToBytes(values.address() + from, count, table, to);
        } else {
          for (int i = 0; i < count; i++) {
            Mem.putByte(to + i, (byte) table[get(from + i)]);
          }
        }
      }
      case 2 -> {
        for (int i = 0; i < count; i++) {
          Mem.putShort(to + 2L * i, (short) table[get(from + i)]);
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          Mem.putInt(to + 4L * i, table[get(from + i)]);
        }
      }
    }
  }

  /** The usual case: few texts in a part, and few in all. */
  private static void bytesToBytes(long from, int count, int[] table, long to) {
    for (int i = 0; i < count; i++) {
      Mem.putByte(to + i, (byte) table[Mem.getByte(from + i) & 0xff]);
    }
  }

  private QueryMemory owner() {
    return Objects.requireNonNull(memory, "numbers of a column");
  }

  /** Gives back their memory. */
  public void free() {
    owner().free(values);
  }
}
