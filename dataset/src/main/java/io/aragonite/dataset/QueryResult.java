package io.aragonite.dataset;

import org.jspecify.annotations.Nullable;

/**
 * What came of one query.
 *
 * @param query its name
 * @param status whether it ran and was right
 * @param millis the best time of the repeats, from sending the statement to the last row, in
 *     milliseconds; NaN if it did not run
 * @param rows rows of the result
 * @param message what is wrong, for {@link Status#WRONG} and {@link Status#FAILED}; else null
 */
public record QueryResult(
    String query, Status status, double millis, long rows, @Nullable String message) {
  /** Outcome of a query. */
  public enum Status {
    /** The answer is right. */
    OK,
    /** It ran; no check was asked for. */
    UNCHECKED,
    /** It ran; there is no answer to check against. */
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
