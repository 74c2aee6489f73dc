package io.aragonite.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a comparison is asked for.
 *
 * @param benchmark tpch or tpcds
 * @param runs of each statement on each side; 0: the data is made, and no more
 * @param master where Spark runs
 * @param numbers of queries; empty: all
 * @param seconds after which it ends with what it has; 0: without limit
 * @param alone whether Aragonite alone runs, and nothing is compared
 */
record ComparisonOptions(
    String benchmark,
    double scale,
    int runs,
    String master,
    List<Integer> numbers,
    int seconds,
    boolean alone) {
  private static final String SECONDS = "--seconds=";
  private static final String ALONE = "--aragonite-only";

  /**
   * @param args the benchmark; scale, runs, master and numbers of queries may be left out. Options
   *     may be anywhere
   * @throws IllegalArgumentException for options that there are not
   */
  static ComparisonOptions of(String... args) {
    List<String> words = new ArrayList<>();
    int seconds = 0;
    boolean alone = false;
    for (String arg : args) {
      if (arg.startsWith(SECONDS)) {
        seconds = Integer.parseInt(arg.substring(SECONDS.length()));
      } else if (arg.equals(ALONE)) {
        alone = true;
      } else if (arg.startsWith("--")) {
        throw new IllegalArgumentException(
            "%s<n> or %s, not %s".formatted(SECONDS, ALONE, arg));
      } else {
        words.add(arg);
      }
    }
    return new ComparisonOptions(
        words.getFirst(),
        words.size() > 1 ? Double.parseDouble(words.get(1)) : 0.1,
        words.size() > 2 ? Integer.parseInt(words.get(2)) : 3,
        words.size() > 3 ? words.get(3) : "local[*]",
        words.size() > 4
            ? Arrays.stream(words.get(4).split(",", -1)).map(Integer::valueOf).toList()
            : List.of(),
        seconds,
        alone);
  }
}
