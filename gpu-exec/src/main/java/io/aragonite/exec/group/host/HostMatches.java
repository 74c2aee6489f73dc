package io.aragonite.exec.group.host;

import io.aragonite.exec.memory.Mem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a join of sides in host memory found. Both sides are in the order of their keys, and each
 * left row's partners are neighbours.
 *
 * @param left key and payload columns in order
 * @param rightKey the same of the right side; null if it was not asked for, since those that have a
 *     partner have its key
 * @param ranges for left rows where their partners are; left rows in no range have none
 * @param keys with many rows, all of which match
 * @param pairs rows of the join
 */
public record HostMatches(
    List<HostColumn> left,
    @Nullable HostColumn rightKey,
    List<HostColumn> rightPayload,
    List<Ranges> ranges,
    List<Whole> keys,
    long pairs) {
  /**
   * Partners of neighbouring left rows.
   *
   * @param firsts address of a 32-bit number a row: the first partner, counted from {@code
   *     rightFrom}; -1: none
   * @param counts address of a 32-bit number a row: how many there are
   */
  public record Ranges(long leftFrom, long rows, long rightFrom, long firsts, long counts) {
    /** The first partner of a row; -1: none. */
    public long first(long row) {
      int first = Mem.getInt(firsts + 4 * (row - leftFrom));
      return first < 0 ? -1 : rightFrom + first;
    }

    public int count(long row) {
      return first(row) < 0 ? 0 : Mem.getInt(counts + 4 * (row - leftFrom));
    }
  }

  /** Rows of one key, each of which matches all of the other side. */
  public record Whole(long leftFrom, long leftRows, long rightFrom, long rightRows) {}
}
