package io.aragonite.exec.plan;

import io.aragonite.exec.expr.Expr;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a window function sees.
 *
 * @param rows ROWS (true) or RANGE (false)
 * @param start where it starts
 * @param end where it ends, inclusive
 * @param exclude what is left out
 */
public record WindowFrame(boolean rows, FrameBound start, FrameBound end, Exclude exclude) {
  /**
   * @param offset a literal or parameter for PRECEDING and FOLLOWING, null for the others
   */
  public record FrameBound(FrameBoundKind kind, @Nullable Expr offset) {}

  /** Kinds of bounds. */
  public enum FrameBoundKind {
    UNBOUNDED_PRECEDING,
    PRECEDING,
    CURRENT_ROW,
    FOLLOWING,
    UNBOUNDED_FOLLOWING
  }

  /** EXCLUDE of a frame. */
  public enum Exclude {
    NO_OTHERS,
    CURRENT_ROW,
    GROUP,
    TIES
  }
}
