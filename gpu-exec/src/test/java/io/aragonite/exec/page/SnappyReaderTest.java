package io.aragonite.exec.page;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.airlift.compress.v3.snappy.SnappyJavaCompressor;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The first bytes of compressed ones. */
class SnappyReaderTest {
  private static final int SIZE = 200_000;

  /** Bytes behind the wanted ones, which nobody is to write. */
  private static final byte UNTOUCHED = 0x5A;

  private static byte[] compressed(byte[] bytes) {
    SnappyJavaCompressor compressor = new SnappyJavaCompressor();
    byte[] to = new byte[compressor.maxCompressedLength(bytes.length)];
    return Arrays.copyOf(to, compressor.compress(bytes, 0, bytes.length, to, 0, to.length));
  }

  /** Literals of all lengths, and copies from near and far that repeat themselves or do not. */
  private static byte[] values(Random random) {
    byte[] values = new byte[SIZE];
    int at = 0;
    while (at < SIZE) {
      int count = Math.min(SIZE - at, 1 + random.nextInt(random.nextBoolean() ? 10 : 3000));
      switch (at == 0 ? 0 : random.nextInt(3)) {
        case 0 -> {
          byte[] some = new byte[count];
          random.nextBytes(some);
          System.arraycopy(some, 0, values, at, count);
        }
        case 1 -> {
          int distance = 1 + random.nextInt(Math.min(at, 12));
          for (int i = 0; i < count; i++) {
            values[at + i] = values[at + i - distance];
          }
        }
        default -> {
          int distance = 1 + random.nextInt(Math.min(at, 60_000));
          for (int i = 0; i < count; i++) {
            values[at + i] = values[at + i - distance];
          }
        }
      }
      at += count;
    }
    return values;
  }

  private static boolean prefix(QueryMemory memory, byte[] from, int wanted, byte[] found) {
    long source = memory.allocate(from.length).address();
    long to = memory.allocate(wanted + 8L).address();
    Mem.copy(from, 0, source, from.length);
    Mem.fill(to, wanted + 8L, UNTOUCHED);
    boolean done = SnappyReader.prefix(source, from.length, to, wanted);
    Mem.copy(to, found, 0, wanted);
    for (int i = 0; i < 8; i++) {
      assertEquals(UNTOUCHED, Mem.getByte(to + wanted + i));
    }
    return done;
  }

  @Test
  void firstBytes() {
    Random random = new Random(12);
    for (int round = 0; round < 10; round++) {
      byte[] values = values(random);
      byte[] compressed = compressed(values);
      for (int wanted : new int[] {0, 1, 7, 59, 60, 61, 4096, 70_000, SIZE - 1, SIZE}) {
        try (QueryMemory memory = new NativeQueryMemory(new MemoryBudget("m", 1 << 24), 0)) {
          byte[] found = new byte[wanted];
          assertTrue(prefix(memory, compressed, wanted, found));
          assertArrayEquals(Arrays.copyOf(values, wanted), found);
        }
      }
    }
  }

  @Test
  void fewerThanWanted() {
    byte[] compressed = compressed(new byte[100]);
    try (QueryMemory memory = new NativeQueryMemory(new MemoryBudget("m", 1 << 20), 0)) {
      assertFalse(prefix(memory, compressed, 101, new byte[101]));
    }
  }

  /** Bytes that are changed give others or none, and touch no other memory. */
  @Test
  void damaged() {
    Random random = new Random(13);
    byte[] compressed = compressed(values(random));
    for (int round = 0; round < 2000; round++) {
      byte[] damaged = compressed.clone();
      for (int i = 0; i < 3; i++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      byte[] cut = Arrays.copyOf(damaged, 1 + random.nextInt(damaged.length));
      try (QueryMemory memory = new NativeQueryMemory(new MemoryBudget("m", 1 << 24), 0)) {
        int wanted = 1 + random.nextInt(5000);
        prefix(memory, cut, wanted, new byte[wanted]);
      }
    }
  }
}
