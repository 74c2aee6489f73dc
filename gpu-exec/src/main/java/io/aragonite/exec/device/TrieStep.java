package io.aragonite.exec.device;

import java.util.List;

/**
 * The binding of one more variable, or the choice of a row: for each of the bindings so far, the
 * values that all sides have.
 *
 * @param sides the relations that have the variable, one at least, {@link #MAX} at most
 * @param bounds what else the value must fulfil, {@link #MAX} at most
 * @param bindings how many there are
 */
public record TrieStep(List<TrieInput> sides, List<TrieBound> bounds, int bindings) {
  /** Sides, bounds or weights of a step at most. */
  public static final int MAX = 16;
}
