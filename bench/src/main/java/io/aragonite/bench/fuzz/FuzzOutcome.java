package io.aragonite.bench.fuzz;

import io.aragonite.bench.fuzz.FuzzConfiguration.FuzzVariation;

/**
 * What became of a statement.
 *
 * @param kind what it is
 * @param message the difference or the error; empty where there is none
 * @param checks how many answers were compared and right
 */
record FuzzOutcome(FuzzOutcome.OutcomeKind kind, String message, int checks) {
  /** Kinds of outcomes. */
  enum OutcomeKind {
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
    /** An error that no user can understand, or something that is left behind. */
    BROKEN
  }

  static FuzzOutcome agreed(int checks) {
    return new FuzzOutcome(OutcomeKind.AGREED, "", checks);
  }

  FuzzOutcome(OutcomeKind kind, String message) {
    this(kind, message, 0);
  }

  /** The same, as what a variation of the configuration gave. */
  FuzzOutcome in(FuzzVariation variation) {
    return variation.name().isEmpty() ? this : new FuzzOutcome(kind, message + "\n" + variation, checks);
  }

  /** Whether someone has to look at it. */
  boolean isFinding() {
    return kind == OutcomeKind.WRONG || kind == OutcomeKind.BROKEN;
  }

  /** Both, for a statement that is checked several times: findings count most, then right answers. */
  FuzzOutcome and(FuzzOutcome next) {
    boolean first = isFinding() || !next.isFinding() && (kind == OutcomeKind.AGREED || next.kind != OutcomeKind.AGREED);
    FuzzOutcome more = first ? this : next;
    return new FuzzOutcome(more.kind, more.message, checks + next.checks);
  }
}
