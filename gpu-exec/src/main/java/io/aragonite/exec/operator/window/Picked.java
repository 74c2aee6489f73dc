package io.aragonite.exec.operator.window;

import org.jspecify.annotations.Nullable;

/**
 * A result that is a value of the input, given by its row.
 *
 * @param column the input column
 * @param rows a row of the collected input for each position, -1 for null
 * @param otherwise an input column whose value at the position's own row is taken where there is no
 *     row at all (LAG's default), or -1
 * @param outside with {@code otherwise}: 1 at the positions where it applies; else null
 */
record Picked(int column, Ints rows, int otherwise, @Nullable Output outside) {
  static Picked of(int column, Ints rows) {
    return new Picked(column, rows, -1, null);
  }
}
