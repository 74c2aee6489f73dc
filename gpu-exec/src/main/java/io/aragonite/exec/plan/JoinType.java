package io.aragonite.exec.plan;

/** SQL's joins. "Left" and "right" are the plan's sides, whichever is built. */
public enum JoinType {
  INNER,
  LEFT,
  RIGHT,
  FULL,
  /** Left rows with a match; only left columns. */
  SEMI,
  /** Left rows without a match (NOT EXISTS); only left columns. */
  ANTI,
  /**
   * NOT IN: as ANTI, but a null key on the right matches nothing and hides everything, and a left
   * row with a null key is kept only if the right side is empty. Keys are compared all together.
   */
  NULL_AWARE_ANTI;

  public boolean leftOnly() {
    return this == SEMI || this == ANTI || this == NULL_AWARE_ANTI;
  }

  /** Whether right columns can be null because there was no match. */
  public boolean padsRight() {
    return this == LEFT || this == FULL;
  }

  /** Whether left columns can be null because there was no match. */
  public boolean padsLeft() {
    return this == RIGHT || this == FULL;
  }
}
