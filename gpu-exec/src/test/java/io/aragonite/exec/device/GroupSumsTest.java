package io.aragonite.exec.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.testing.TestSeed;
import java.lang.foreign.Arena;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Sums of 128 bits against {@link BigInteger}. */
class GroupSumsTest {
  @Test
  void sumsCarryInto128Bits() {
    Random random = TestSeed.random(getClass());
    GroupSums sums = new GroupSums(2, 1);
    BigInteger expected = BigInteger.ZERO;
    try (Arena arena = Arena.ofConfined()) {
      long address = arena.allocate(2 * 2 * 16, 8).address();
      for (int i = 0; i < 1000; i++) {
        long low = i < 4 ? i - 2 : random.nextLong();
        long high = low >> 63 ^ random.nextInt(3);
        Mem.fill(address, 64, (byte) 0);
        Mem.putLong(address + 32, 1);
        Mem.putLong(address + 48, low);
        Mem.putLong(address + 56, high);
        sums.add(address);
        expected = expected.add(number(low, high));
        assertEquals(i + 1, sums.count(1));
        assertEquals(expected, number(sums.low(1, 0), sums.high(1, 0)));
      }
    }
    assertEquals(0, sums.count(0));
    assertEquals(0, sums.low(0, 0));
  }

  private static BigInteger number(long low, long high) {
    BigInteger lower = BigInteger.valueOf(low);
    BigInteger unsigned = low < 0 ? lower.add(BigInteger.ONE.shiftLeft(64)) : lower;
    return BigInteger.valueOf(high).shiftLeft(64).add(unsigned);
  }
}
