package io.aragonite.bench.join;

import java.util.Arrays;
import java.util.List;

/**
 * R and S of a join from real tables: columns of values, the key first. Keys are not negative, and
 * all rows of S have a partner.
 */
public record JoinTables(List<long[]> build, List<long[]> probe) {
  int buildRows() {
    return build.getFirst().length;
  }

  int probeRows() {
    return probe.getFirst().length;
  }

  /**
   * The rows of R by keys: those of key k are {@code rows[starts[k]]} to {@code rows[starts[k + 1]
   * - 1]}.
   */
  record Partners(int[] starts, int[] rows) {
    int of(long key) {
      return starts[(int) key + 1] - starts[(int) key];
    }
  }

  Partners partners() {
    long[] keys = build.getFirst();
    int[] starts = new int[(int) Arrays.stream(keys).max().orElse(0) + 2];
    for (long key : keys) {
      starts[(int) key + 1]++;
    }
    Arrays.parallelPrefix(starts, Integer::sum);
    int[] next = starts.clone();
    int[] rows = new int[keys.length];
    for (int row = 0; row < keys.length; row++) {
      rows[next[(int) keys[row]]++] = row;
    }
    return new Partners(starts, rows);
  }

  /** Pairs that come out. */
  long pairs() {
    Partners partners = partners();
    return Arrays.stream(probe.getFirst()).map(partners::of).sum();
  }
}
