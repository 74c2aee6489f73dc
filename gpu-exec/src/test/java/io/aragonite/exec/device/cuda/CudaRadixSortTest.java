package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.cuda.CudaRadixSort.Digit;
import io.aragonite.exec.testing.TestSeed;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How a sort cuts keys into digits; what the kernels do with them needs a GPU. */
class CudaRadixSortTest {
  private final Random random = TestSeed.random(getClass());

  @Test
  void digitsCoverAllBits() {
    for (int from = 0; from <= 64; from++) {
      for (int to = from; to <= 64; to++) {
        List<Digit> digits = CudaRadixSort.digits(from, to);
        assertEquals((to - from + 7) / 8, digits.size());
        check(digits, from, to);
        assertEquals(to - from, digits.stream().mapToInt(Digit::bits).sum());
      }
    }
  }

  @Test
  void varyingBitsAreCoveredByAsFewDigitsAsCanBe() {
    for (int round = 0; round < 10_000; round++) {
      long varying = 0;
      for (int bits = random.nextInt(20); bits > 0; bits--) {
        varying |= 1L << random.nextInt(64);
      }
      int to = 1 + random.nextInt(64);
      varying &= to == 64 ? -1L : (1L << to) - 1;
      List<Digit> digits = CudaRadixSort.varyingDigits(varying, to);
      check(digits, 0, to);
      long covered = 0;
      for (Digit digit : digits) {
        covered |= (1L << digit.bits()) - 1 << digit.shift();
        // Each begins with a bit that no digit before it could take in, so that none can be left
        // out.
        assertTrue((varying >>> digit.shift() & 1) != 0);
      }
      assertEquals(varying, varying & covered);
      long found = varying;
      assertEquals(digits.size(), digits.stream().filter(digit -> digit.in(found)).count());
    }
  }

  private static void check(List<Digit> digits, int from, int to) {
    int end = from;
    for (int i = 0; i < digits.size(); i++) {
      Digit digit = digits.get(i);
      assertEquals(i, digit.index());
      assertTrue(digit.bits() > 0 && digit.bits() <= CudaRadixSort.DIGIT);
      assertTrue(digit.shift() >= end && digit.shift() + digit.bits() <= to);
      end = digit.shift() + digit.bits();
    }
  }
}
