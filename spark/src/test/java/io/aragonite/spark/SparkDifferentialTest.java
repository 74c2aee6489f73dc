package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.testing.TestSeed;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random statements beside Spark's own answers. A build runs few; {@code -Daragonite.rounds=1000}
 * asks for more, {@code -Daragonite.round=7} for that one alone, by a seed that is given.
 */
class SparkDifferentialTest {
  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", 4);
  private static final int ALONE = Integer.getInteger("aragonite.round", -1);

  @TempDir static Path folder;

  @Test
  void answersAreSparks() {
    Random random = TestSeed.random(SparkDifferentialTest.class);
    long seed = random.nextLong();
    try (SparkSide spark = new SparkSide("local[2]")) {
      RandomComparison comparison = new RandomComparison(spark, folder, random);
      if (ALONE >= 0) {
        run(comparison, random, seed, ALONE);
        return;
      }
      for (int round = 0; round < ROUNDS; round++) {
        run(comparison, random, seed, round);
      }
      RandomComparison.ComparedCounts counts = comparison.counts();
      System.out.println(counts);
      assertTrue(counts.compared() >= 6 * ROUNDS, counts::toString);
      assertTrue(counts.failing() < counts.compared() / 2, counts::toString);
    }
  }

  /** A round, which is the same whatever those before have drawn. */
  private static void run(RandomComparison comparison, Random random, long seed, int round) {
    random.setSeed(seed + round);
    try {
      comparison.round();
    } catch (AssertionError e) {
      String repeat = "round %d, by -Daragonite.round=%d and the seed: ".formatted(round, round);
      throw new AssertionError(repeat + e.getMessage(), e);
    }
  }
}
