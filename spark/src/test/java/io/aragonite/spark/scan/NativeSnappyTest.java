package io.aragonite.spark.scan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.SnappyDecompressor;
import io.aragonite.exec.page.SnappyReader;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.xerial.snappy.Snappy;

/** Spark's library for Snappy, under the reader of pages. */
class NativeSnappyTest {
  /** Bytes behind the wanted ones, which nobody is to write. */
  private static final byte UNTOUCHED = 0x5A;

  private static final int BEHIND = 64;

  /** Words that repeat themselves, and some that do not. */
  private static byte[] values(Random random, int size) {
    byte[] values = new byte[size];
    random.nextBytes(values);
    for (int at = 100; at < size - 100; at += random.nextInt(60)) {
      System.arraycopy(values, random.nextInt(at), values, at, Math.min(random.nextInt(100), size - at));
    }
    return values;
  }

  private static byte[] read(byte[] block, int size) {
    try (QueryMemory memory = new NativeQueryMemory(new MemoryBudget("m", 1 << 24), 0)) {
      long from = memory.allocate(block.length).address();
      long to = memory.allocate(size + (long) BEHIND).address();
      Mem.copy(block, 0, from, block.length);
      Mem.fill(to, size + (long) BEHIND, UNTOUCHED);
      try {
        new SnappyReader().decompress(from, block.length, to, size);
      } finally {
        for (int i = 0; i < BEHIND; i++) {
          assertEquals(UNTOUCHED, Mem.getByte(to + size + i));
        }
      }
      byte[] read = new byte[size];
      Mem.copy(to, read, 0, size);
      return read;
    }
  }

  @Test
  void isTheReaders() {
    SnappyDecompressor found = ServiceLoader.load(SnappyDecompressor.class).findFirst().orElseThrow();
    assertInstanceOf(NativeSnappy.class, found);
    assertTrue(found.isAvailable());
  }

  @Test
  void givesWhatWasCompressed() throws IOException {
    Random random = new Random(3);
    for (int size : new int[] {1, 7, 60, 61, 4096, 70_000, 1_000_000}) {
      byte[] values = values(random, size);
      assertArrayEquals(values, read(Snappy.compress(values), size));
    }
  }

  /** Bytes that are changed or missing give others or an error, and touch no other memory. */
  @Test
  void damaged() throws IOException {
    Random random = new Random(4);
    int size = 20_000;
    byte[] block = Snappy.compress(values(random, size));
    int refused = 0;
    for (int round = 0; round < 2000; round++) {
      byte[] damaged = block.clone();
      for (int i = 0; i < 3; i++) {
        // Behind the size, which is checked before.
        damaged[3 + random.nextInt(damaged.length - 3)] = (byte) random.nextInt();
      }
      int length = random.nextBoolean() ? damaged.length : 4 + random.nextInt(damaged.length - 4);
      try {
        assertEquals(size, read(Arrays.copyOf(damaged, length), size).length);
      } catch (MalformedPageException e) {
        refused++;
      }
    }
    assertTrue(refused > 500, "refused " + refused);
  }

  @Test
  void anotherSize() throws IOException {
    byte[] block = Snappy.compress(values(new Random(5), 1000));
    assertThrows(MalformedPageException.class, () -> read(block, 999));
    assertThrows(MalformedPageException.class, () -> read(block, 1001));
  }
}
