package io.aragonite.exec.codegen;

/**
 * Counts and sums that all threads add to, in a table that groups address. This is Java to be
 * translated.
 */
public final class TableSums {
  private TableSums() {}

  /** Counts a row. */
  static void count(int group) {
    throw new UnsupportedOperationException("a row of group " + group + " was to be counted");
  }

  /** Adds to a sum. */
  static void add(int group, int sum, long value) {
    throw new UnsupportedOperationException(
        value + " was to be added to sum " + sum + " of group " + group);
  }
}
