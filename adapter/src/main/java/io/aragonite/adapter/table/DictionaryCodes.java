package io.aragonite.adapter.table;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;

/**
 * Numbers of a part's values, a row each, in as many bytes as the largest so far needs: of most
 * columns with a dictionary a part has fewer than 256. In the account of the load, since a column
 * of a large table has more of them than a Java heap holds.
 */
final class DictionaryCodes {
  private final QueryMemory memory;
  private final int rows;
  private int width = 1;
  private Buffer values;

  /** All 0. */
  DictionaryCodes(QueryMemory memory, int rows) {
    this.memory = memory;
    this.rows = rows;
    this.values = zeros();
  }

  private Buffer zeros() {
    Buffer buffer = memory.allocate((long) width * rows);
    Mem.fill(buffer.address(), buffer.size(), (byte) 0);
    return buffer;
  }

  void put(int row, int code) {
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
    memory.free(narrow);
  }

  /** Writes what a table has for each of some rows' numbers, as 32-bit words. */
  void translate(int from, int count, int[] table, long to) {
    long address = values.address();
    switch (width) {
      case 1 -> {
        for (int i = 0; i < count; i++) {
          Mem.putInt(to + 4L * i, table[Mem.getByte(address + from + i) & 0xff]);
        }
      }
      case 2 -> {
        for (int i = 0; i < count; i++) {
          Mem.putInt(to + 4L * i, table[Mem.getShort(address + 2L * (from + i)) & 0xffff]);
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          Mem.putInt(to + 4L * i, table[Mem.getInt(address + 4L * (from + i))]);
        }
      }
    }
  }

  void free() {
    memory.free(values);
  }
}
