package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import org.jspecify.annotations.Nullable;

/** What a function of a window was found to be. */
public sealed interface WindowResult permits WindowResult.Computed, WindowResult.Picked {
  /**
   * Values that were computed.
   *
   * @param data without an indirection
   * @param rows the 32-bit row of the data that each position takes; null: its own
   */
  record Computed(Column data, @Nullable Buffer rows) implements WindowResult {}

  /**
   * Values of the input, given by their rows.
   *
   * @param column the input column
   * @param rows a 32-bit row of the collected input for each position, -1 for null
   * @param otherwise an input column whose value at the position's own row is taken where there is
   *     no row at all (LAG's default), or -1
   * @param outside with {@code otherwise}: true at the positions where it applies; else null
   */
  record Picked(int column, Buffer rows, int otherwise, @Nullable Column outside)
      implements WindowResult {
    public static Picked of(int column, Buffer rows) {
      return new Picked(column, rows, -1, null);
    }
  }
}
