package io.aragonite.tpch;

import org.jspecify.annotations.Nullable;

/**
 * What came of one query.
 *
 * @param query number of the query, 1 to 22
 * @param status whether it ran and was right
 * @param millis the best time of the repeats, from sending the statement to the last row, in
 *     milliseconds; NaN if it did not run
 * @param rows rows of the result
 * @param message what is wrong, for {@link Status#WRONG} and {@link Status#FAILED}; else null
 */
public record QueryResult(
    int query, Status status, double millis, long rows, @Nullable String message) {
  /** Outcome of a query. */
  public enum Status {
    /** The answer equals the stored one. */
    OK,
    /** It ran; no check was asked for. */
    UNCHECKED,
    /** It ran; there is no stored answer for the scale. */
    NO_ANSWER,
    /** The answer differs. */
    WRONG,
    /** The engine refused or failed. */
    FAILED
  }

  /** The word or sentence that a report shows. */
  public String verdict() {
    return switch (status) {
      case OK -> "ok";
      case UNCHECKED -> "";
      case NO_ANSWER -> "no answer stored for this scale";
      case WRONG -> "WRONG: " + message;
      case FAILED -> "FAILED: " + message;
    };
  }
}
