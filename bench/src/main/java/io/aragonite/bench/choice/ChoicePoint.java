package io.aragonite.bench.choice;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A point of the grid that choices of join algorithms are judged by: two sides, R and S, whose keys
 * are numbers of which R has those below {@link #numbers}.
 *
 * @param id its place in the grid
 * @param leftLog2 2 to this power rows of R
 * @param rightLog2 2 to this power rows of S
 * @param keyBytes 4 or 8
 * @param payloadBytes 4 or 8
 * @param leftColumns payload columns of R
 * @param rightColumns payload columns of S
 * @param copiesLog2 rows of R that share a key, on average, as a power of two
 * @param leftZipf exponent of the distribution of R's keys; 0: all equally often
 * @param match share of S's rows whose number is among those of R
 * @param rightZipf exponent of the distribution of these rows' keys
 * @param sparse whether keys lie anywhere rather than close together
 * @param leftSorted whether R comes in the order of its keys
 * @param rightSorted whether S does
 */
public record ChoicePoint(
    int id,
    int leftLog2,
    int rightLog2,
    int keyBytes,
    int payloadBytes,
    int leftColumns,
    int rightColumns,
    int copiesLog2,
    double leftZipf,
    double match,
    double rightZipf,
    boolean sparse,
    boolean leftSorted,
    boolean rightSorted) {

  /**
   * Points chosen by a seed. Each quantity is drawn by itself: sizes evenly by their logarithm; one
   * join in four has sparse keys, one in five repeats keys on both sides, one in three has skew on
   * S, a half has rows without a partner, one side in five is sorted.
   *
   * @param minLog2 of both sizes
   * @param maxLog2 of both sizes
   * @param bytes what inputs, output and intermediate results may take together; points that take
   *     more are drawn again
   */
  public static List<ChoicePoint> grid(
      long seed, int count, int minLog2, int maxLog2, double bytes) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
    List<ChoicePoint> points = new ArrayList<>();
    while (points.size() < count) {
      ChoicePoint point = draw(random, points.size(), minLog2, maxLog2);
      if (point.bytes() <= bytes) {
        points.add(point);
      }
    }
    return points;
  }

  private static ChoicePoint draw(Random random, int id, int minLog2, int maxLog2) {
    int left = minLog2 + random.nextInt(maxLog2 - minLog2 + 1);
    int right = minLog2 + random.nextInt(maxLog2 - minLog2 + 1);
    boolean repeats = random.nextInt(5) == 0;
    double leftZipf = repeats && random.nextBoolean() ? exponent(random) : 0;
    return new ChoicePoint(
        id,
        left,
        right,
        random.nextBoolean() ? 4 : 8,
        random.nextBoolean() ? 4 : 8,
        1 + random.nextInt(8),
        1 + random.nextInt(8),
        repeats ? leftZipf > 0 ? random.nextInt(3) : 1 + random.nextInt(3) : 0,
        leftZipf,
        random.nextBoolean() ? 1 : Math.pow(2, -5 * random.nextDouble()),
        random.nextInt(3) == 0 ? exponent(random) : 0,
        random.nextInt(4) == 0,
        random.nextInt(5) == 0,
        random.nextInt(5) == 0);
  }

  /** 0.25 to 1.75, in two digits. */
  private static double exponent(Random random) {
    return Math.round(25 + 150 * random.nextDouble()) / 100.0;
  }

  int leftRows() {
    return 1 << leftLog2;
  }

  int rightRows() {
    return 1 << rightLog2;
  }

  /** Bits of the numbers that R's keys are made of. */
  int numberBits() {
    return leftLog2 - copiesLog2;
  }

  /** How many different keys R may have. */
  int numbers() {
    return 1 << numberBits();
  }

  /** What it takes at most: both sides twice, and the output. */
  double bytes() {
    double left = keyBytes + (double) leftColumns * payloadBytes;
    double right = keyBytes + (double) rightColumns * payloadBytes;
    double piece =
        Math.min(rightRows() * match * (1 << copiesLog2), Math.max(leftRows(), rightRows()));
    return 2 * left * leftRows() + 2 * right * rightRows() + (left + right) * piece;
  }
}
