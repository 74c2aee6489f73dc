package io.aragonite.exec.device.cuda.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.testing.TestSeed;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Java that is written for translation, against the JDK. */
class DeviceCodeTest {
  @Test
  void remaindersAreThoseOfJava() {
    Random random = TestSeed.random(getClass());
    double[] special = {
      0.0,
      -0.0,
      1,
      -1,
      0.5,
      3,
      1e300,
      -1e300,
      Double.MIN_VALUE,
      -Double.MIN_VALUE,
      Double.MIN_NORMAL,
      Double.MAX_VALUE,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      Double.NaN,
      0x1.8p-1060
    };
    for (double x : special) {
      for (double y : special) {
        check(x, y);
      }
    }
    for (int i = 0; i < 200_000; i++) {
      double x = Double.longBitsToDouble(random.nextLong());
      double y = Double.longBitsToDouble(random.nextLong());
      check(x, y);
      check(random.nextInt(1000) / 8.0, random.nextInt(1, 100) / 16.0);
      check(x, x / random.nextInt(1, 50));
    }
  }

  private static void check(double x, double y) {
    assertEquals(x % y, DeviceCode.remainder(x, y), () -> x + " % " + y);
  }
}
