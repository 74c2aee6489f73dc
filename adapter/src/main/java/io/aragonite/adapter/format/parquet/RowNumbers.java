package io.aragonite.adapter.format.parquet;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.Storage;

/** Rows as numbers in a dictionary, in as few bytes each as its size allows; 0 where null. */
final class RowNumbers {
  private final QueryMemory memory;
  private final Storage storage;
  private final Buffer values;

  /**
   * @param words of the dictionary: numbers are below
   */
  RowNumbers(QueryMemory memory, int rows, int words) {
    this.memory = memory;
    this.storage = words <= 1 << 8 ? Storage.BYTE : words <= 1 << 16 ? Storage.SHORT : Storage.INT;
    this.values = memory.allocate((long) rows * storage.width());
  }

  Storage storage() {
    return storage;
  }

  Buffer values() {
    return values;
  }

  int get(int row) {
    long at = values.address();
    return switch (storage) {
      case BYTE -> Mem.getByte(at + row) & 0xFF;
      case SHORT -> Mem.getShort(at + 2L * row) & 0xFFFF;
      default -> Mem.getInt(at + 4L * row);
    };
  }

  private void put(int row, int number) {
    long at = values.address();
    switch (storage) {
      case BYTE -> Mem.putByte(at + row, (byte) number);
      case SHORT -> Mem.putShort(at + 2L * row, (short) number);
      default -> Mem.putInt(at + 4L * row, number);
    }
  }

  /** Takes numbers for rows from {@code row} on. */
  void put(int row, int[] numbers, int count) {
    long at = values.address() + (long) row * storage.width();
    switch (storage) {
      case BYTE -> {
        for (int i = 0; i < count; i++) {
          Mem.putByte(at + i, (byte) numbers[i]);
        }
      }
      case SHORT -> {
        for (int i = 0; i < count; i++) {
          Mem.putShort(at + 2L * i, (short) numbers[i]);
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          Mem.putInt(at + 4L * i, numbers[i]);
        }
      }
    }
  }

  /** Moves numbers, which lie without gaps, to the rows that are not null, the last first. */
  void spread(int row, int rows, int count, long validity) {
    int from = count;
    for (int i = rows - 1; i >= 0; i--) {
      boolean present = Mem.getBit(validity, (long) row + i);
      put(row + i, present ? get(row + --from) : 0);
    }
  }

  void free() {
    memory.free(values);
  }
}
