package io.aragonite.exec.testing;

import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Seeds of random tests. */
public final class TestSeed {
  private static final String GIVEN = System.getProperty("aragonite.seed", "");
  private static final long SEED =
      GIVEN.isEmpty() ? System.nanoTime() & 0xFF_FFFF : Long.parseLong(GIVEN);
  private static final Set<Class<?>> PRINTED = ConcurrentHashMap.newKeySet();

  private TestSeed() {}

  /**
   * A random generator for a test, from the system property {@code aragonite.seed} if it is given.
   * The line printed once a class repeats it.
   */
  public static Random random(Class<?> test) {
    if (PRINTED.add(test)) {
      System.out.println(
          "Repeat with -Dtest=" + test.getSimpleName() + " -Daragonite.seed=" + SEED);
    }
    return new Random(SEED);
  }

  /** The seed of a random test: that of the system property aragonite.seed, or a new one. */
  public static long seed() {
    return GIVEN.isEmpty() ? new Random().nextLong(1_000_000) : Long.parseLong(GIVEN);
  }
}
