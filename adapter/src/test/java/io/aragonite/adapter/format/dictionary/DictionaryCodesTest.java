package io.aragonite.adapter.format.dictionary;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import org.junit.jupiter.api.Test;

class DictionaryCodesTest {
  /** Numbers keep their values when larger ones make them wider, and rows without one have 0. */
  @Test
  void numbersOfAnyWidth() {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 20);
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      for (int largest : new int[] {0, 255, 256, 65_535, 65_536, 70_000}) {
        int rows = 1001;
        int[] table = new int[largest + 1];
        for (int i = 0; i <= largest; i++) {
          table[i] = 3 * i + 1;
        }
        DictionaryCodes codes = new DictionaryCodes(memory, rows);
        for (int row = 1; row < rows; row += 2) {
          codes.put(row, number(row, largest));
        }
        Buffer out = memory.allocate(4L * rows);
        codes.translate(1, rows - 1, table, 4, out.address());
        for (int row = 1; row < rows; row++) {
          int expected = row % 2 == 0 ? 0 : number(row, largest);
          assertEquals(3 * expected + 1, Mem.getInt(out.address() + 4L * (row - 1)), "row " + row);
        }
        memory.free(out);
        codes.free();
      }
      assertEquals(0, memory.used(), "bytes in use");
    }
  }

  /** What a table says fits the bytes that are asked for, whatever the numbers are in. */
  @Test
  void narrowCodes() {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 20);
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      for (int largest : new int[] {0, 255, 256, 65_535, 65_536}) {
        for (int bytes : new int[] {1, 2}) {
          int codes = 1 << 8 * bytes - 1;
          int rows = 1001;
          int[] table = new int[largest + 1];
          for (int i = 0; i <= largest; i++) {
            table[i] = codes - 1 - i % codes;
          }
          DictionaryCodes numbers = new DictionaryCodes(memory, rows);
          for (int row = 0; row < rows; row++) {
            numbers.put(row, number(row, largest) % (largest + 1));
          }
          Buffer out = memory.allocate((long) bytes * rows);
          numbers.translate(1, rows - 1, table, bytes, out.address());
          for (int row = 1; row < rows; row++) {
            long at = out.address() + (long) bytes * (row - 1);
            assertEquals(
                table[number(row, largest) % (largest + 1)],
                bytes == 1 ? Mem.getByte(at) : Mem.getShort(at),
                "row " + row);
          }
          memory.free(out);
          numbers.free();
        }
      }
    }
  }

  /** Small numbers first, the largest in the last rows. */
  private static int number(int row, int largest) {
    return (int) ((long) largest * row / 999);
  }
}
