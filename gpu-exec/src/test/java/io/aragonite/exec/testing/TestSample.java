package io.aragonite.exec.testing;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assumptions;

/**
 * What a build runs of tests that try one thing in many ways: some, others each day, so that a
 * build that is repeated is the same. {@code -Daragonite.sample=N} draws those of a number, {@code
 * -Daragonite.sample=all} runs everything.
 */
public final class TestSample {
  private static final String GIVEN = System.getProperty("aragonite.sample", "");
  private static final boolean ALL = GIVEN.equals("all");
  private static final long SEED =
      GIVEN.isEmpty() || ALL ? LocalDate.now(ZoneOffset.UTC).toEpochDay() : Long.parseLong(GIVEN);

  private final Random random;

  /**
   * A sample for a test class. The line printed draws it again.
   *
   * @param test the class
   */
  public TestSample(Class<?> test) {
    // Random's first numbers are much alike for neighbouring seeds.
    random =
        new Random(
            new SplittableRandom(SEED * 0x9E37_79B9_7F4A_7C15L + test.getName().hashCode())
                .nextLong());
    if (!ALL) {
      System.out.println(
          "A sample: -Dtest=" + test.getSimpleName() + " -Daragonite.sample=" + SEED);
    }
  }

  /** Whether everything runs. */
  public static boolean isWhole() {
    return ALL;
  }

  /** Some of them, in their order: the share's part of their number, rounded either way. */
  public synchronized <T> List<T> some(List<T> ways, double share) {
    if (ALL) {
      return ways;
    }
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < ways.size(); i++) {
      places.add(i);
    }
    Collections.shuffle(places, random);
    int number = (int) (ways.size() * share + random.nextDouble());
    return places.stream().limit(number).sorted().map(ways::get).toList();
  }

  /** Whether this one runs, of which a share does. */
  public synchronized boolean has(double share) {
    return ALL || random.nextDouble() < share;
  }

  /** Skips the test that calls it, unless it is one of the share that runs. */
  public void assume(double share) {
    Assumptions.assumeTrue(has(share), "not of this build's sample");
  }
}
