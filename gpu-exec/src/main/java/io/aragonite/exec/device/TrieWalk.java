package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A join over tries that binds one variable after the other, depth first (leapfrog triejoin:
 * Veldhuizen, "Leapfrog Triejoin: a worst-case optimal join algorithm", 2014; Wu, Zinn, Aref and
 * Yalamanchili, section 3.2).
 *
 * @param cursors the places in tries that are visited; relations of one table that came the same
 *     way share one
 * @param levels what is bound, in this order; the levels before the first one that is walked are
 *     bound already
 */
public record TrieWalk(List<TrieCursor> cursors, List<WalkLevel> levels) {
  /** Levels at most. */
  public static final int MAX_LEVELS = 40;

  /**
   * A level of a trie, as {@link TrieInput} has it.
   *
   * @param values null for a dense level
   * @param parents where the children of each position of the cursor above begin; null: there is
   *     none above
   * @param parent the cursor above, -1 if there is none
   * @param starts where the rows or children of each position begin; null if nobody wants to know
   * @param weight how often the number of its rows is a factor of what is counted
   * @param boundAt the level that sets its position
   */
  public record TrieCursor(
      @Nullable Buffer values,
      int min,
      int size,
      @Nullable Buffer parents,
      int parent,
      @Nullable Buffer starts,
      int weight,
      int boundAt) {}

  /**
   * A variable, or the choice of a row.
   *
   * @param cursors whose values it takes, one at least
   * @param bounds what else its value must fulfil
   */
  public record WalkLevel(List<Integer> cursors, List<LevelBound> bounds) {}

  /**
   * A comparison with the value of an earlier level.
   *
   * @param kind how the new value must compare with the old one
   */
  public record LevelBound(TrieBound.BoundKind kind, int level) {}

  /**
   * Where a walk begins.
   *
   * @param level the first level that is walked
   * @param positions for each cursor that is bound before it the position of each binding, 32-bit;
   *     null for others, and where nobody wants to know
   * @param values for each level before it the value of each binding, 32-bit; null where nobody
   *     wants to know
   * @param bindings how many
   * @param sides for each binding which side offers the values to try, 32-bit
   * @param places for each side the place of its cursor among the level's
   * @param firsts the first of its positions, 32-bit
   * @param sums the result of exclusiveSum over the numbers of values to try
   */
  public record Start(
      int level,
      List<@Nullable Buffer> positions,
      List<@Nullable Buffer> values,
      int bindings,
      Buffer sides,
      List<Integer> places,
      Buffer firsts,
      Buffer sums) {}

  /**
   * What is to come of each row of the join.
   *
   * @param cursors whose positions tell rows
   * @param rows for each of them the row at each position, 32-bit
   * @param out for each of them room for {@code capacity} rows
   */
  public record WalkOutput(
      List<Integer> cursors, List<Buffer> rows, List<Buffer> out, int capacity, Full full) {
    /** Takes rows away when there is no room for more, and at the end. */
    @FunctionalInterface
    public interface Full {
      /**
       * Uses so many rows, from the first on.
       *
       * @return whether more are wanted
       */
      boolean take(int rows);
    }
  }
}
