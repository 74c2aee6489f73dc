package io.aragonite.exec.page;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Packed and repeated runs of values of each width, read in pieces of any length. */
class HybridReaderTest {
  private static final int VALUES = 1000;

  @Test
  void valuesOfEachWidth() {
    Random random = new Random(11);
    MemoryBudget budget = new MemoryBudget("memory", 1 << 20);
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      for (int width = 0; width <= 32; width++) {
        int[] values = new int[VALUES];
        Buffer buffer = memory.allocate(16L * VALUES);
        long end = write(values, width, buffer.address(), random);
        for (int most : new int[] {1, 7, 64, VALUES}) {
          HybridReader reader = new HybridReader(buffer.address(), end, width);
          int[] found = new int[VALUES];
          int[] some = new int[most];
          for (int at = 0; at < VALUES; ) {
            int count = Math.min(1 + random.nextInt(most), VALUES - at);
            reader.read(some, count, VALUES - at);
            System.arraycopy(some, 0, found, at, count);
            at += count;
          }
          assertArrayEquals(values, found, width + " bits");
          assertEquals(end, reader.at(), width + " bits");
        }
        memory.free(buffer);
      }
    }
  }

  /** Writes random runs; all but the last packed one have a multiple of eight values. */
  private static long write(int[] values, int width, long address, Random random) {
    int mask = width == 32 ? -1 : (1 << width) - 1;
    long to = address;
    for (int at = 0; at < VALUES; ) {
      int groups = 1 + random.nextInt(20);
      int count = Math.min(8 * groups, VALUES - at);
      if (random.nextBoolean()) {
        int value = random.nextInt() & mask;
        Arrays.fill(values, at, at + count, value);
        to = varint(to, count << 1);
        for (int i = 0; i < (width + 7) / 8; i++) {
          Mem.putByte(to++, (byte) (value >>> 8 * i));
        }
      } else {
        groups = (count + 7) / 8;
        to = varint(to, groups << 1 | 1);
        byte[] packed = new byte[groups * width];
        for (int i = 0; i < count; i++) {
          values[at + i] = random.nextInt() & mask;
          for (int b = 0; b < width; b++) {
            int bit = i * width + b;
            packed[bit / 8] |= (byte) ((values[at + i] >>> b & 1) << bit % 8);
          }
        }
        Mem.copy(packed, 0, to, packed.length);
        to += packed.length;
      }
      at += count;
    }
    return to;
  }

  private static long varint(long to, int value) {
    long at = to;
    int left = value;
    for (; left >= 128; left >>>= 7) {
      Mem.putByte(at++, (byte) (left & 127 | 128));
    }
    Mem.putByte(at++, (byte) left);
    return at;
  }
}
