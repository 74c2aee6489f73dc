package io.aragonite.bench.fuzz;

/**
 * What became of a statement.
 *
 * @param kind what it is
 * @param message the difference or the error; empty where there is none
 */
record FuzzOutcome(FuzzOutcome.Kind kind, String message) {
  /** Kinds of outcomes. */
  enum Kind {
    /** The answers are the same. */
    AGREED,
    /** The other engine does not take it, or its answer is too large to look at. */
    NOT_COMPARED,
    /** We say that we cannot do it. */
    REFUSED,
    /** One engine or both stop at a value: an overflow, a cast. Which values are looked at is open. */
    DATA_ERROR,
    /** Memory or time ended. */
    NO_RESOURCES,
    /** The answers differ. */
    WRONG,
    /** An error that no user can understand. */
    BROKEN
  }

  /** Whether someone has to look at it. */
  boolean isFinding() {
    return kind == Kind.WRONG || kind == Kind.BROKEN;
  }
}
