package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.testing.TestSeed;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random statements beside Spark's own answers. A build runs few; {@code -Daragonite.rounds=1000}
 * asks for more.
 */
class SparkDifferentialTest {
  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", 8);

  @TempDir static Path folder;

  @Test
  void answersAreSparks() {
    Random random = TestSeed.random(SparkDifferentialTest.class);
    long seed = random.nextLong();
    try (SparkSide spark = new SparkSide("local[2]")) {
      RandomComparison comparison = new RandomComparison(spark, folder, random);
      for (int round = 0; round < ROUNDS; round++) {
        // A round is the same whatever those before have drawn.
        random.setSeed(seed + round);
        comparison.round();
      }
      RandomComparison.ComparedCounts counts = comparison.counts();
      System.out.println(counts);
      assertTrue(counts.compared() >= 6 * ROUNDS, counts::toString);
      assertTrue(counts.failing() < counts.compared() / 2, counts::toString);
    }
  }
}
