package io.aragonite.exec.exchange.host;

import io.aragonite.exec.device.RangeMarks;
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
   * @param leftFrom the first one
   * @param rows how many
   * @param rightFrom the right row that is the marks' first
   * @param marks of a part of both sides that was joined at once
   * @param markFrom the first left row's place in the marks
   */
  public record Ranges(long leftFrom, long rows, long rightFrom, RangeMarks marks, int markFrom) {
    /** Rows of both sides, all of which match each other: from a row on, and before another. */
    @FunctionalInterface
    public interface Visitor {
      void range(long leftFrom, long leftTo, long rightFrom, long rightTo);
    }

    private int mark(long row) {
      return (int) (row - leftFrom) + markFrom;
    }

    /** The first partner of a row; -1: none. */
    public long first(long row) {
      int first = marks.first(mark(row));
      return first < 0 ? -1 : rightFrom + first;
    }

    public int count(long row) {
      return marks.count(mark(row));
    }

    /** Visits the ranges that begin with one of some rows, in order: quicker than row by row. */
    public void forEach(long from, long to, Visitor visitor) {
      long left = leftFrom - markFrom;
      marks.forEach(
          mark(from),
          mark(to),
          (leftBegin, leftEnd, rightBegin, rightEnd) ->
              visitor.range(
                  left + leftBegin, left + leftEnd, rightFrom + rightBegin, rightFrom + rightEnd));
    }
  }

  /** Rows of one key, each of which matches all of the other side. */
  public record Whole(long leftFrom, long leftRows, long rightFrom, long rightRows) {}
}
