package io.aragonite.exec.plan;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import java.io.Serializable;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a window function sees.
 *
 * @param rows ROWS (true) or RANGE (false)
 * @param start where it starts
 * @param end where it ends, inclusive
 * @param exclude what is left out
 */
public record WindowFrame(boolean rows, FrameBound start, FrameBound end, Exclude exclude)
    implements Serializable {
  /**
   * @param offset a literal or parameter for PRECEDING and FOLLOWING, null for the others
   */
  public record FrameBound(FrameBoundKind kind, @Nullable Expr offset) implements Serializable {
    /**
     * The offset of a ROWS bound.
     *
     * @throws AragoniteException INVALID_ARGUMENT if it is no number, or negative
     */
    public long rows() {
      Object value = offset instanceof Expr.Literal literal ? literal.value() : null;
      long rows =
          switch (value) {
            case Long l -> l;
            case BigDecimal d -> d.longValue();
            case null, default -> -1;
          };
      if (rows < 0) {
        throw invalid(value);
      }
      // Far beyond any position, so that sums stay in range.
      return Math.min(rows, Integer.MAX_VALUE);
    }

    /** What an offset gets that no bound can have. */
    public static AragoniteException invalid(@Nullable Object value) {
      return new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "The offset of a window frame must be a number that is not negative, not " + value + ".");
    }
  }

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
