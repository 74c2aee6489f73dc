package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What multi-predicate joins are made of: levels of tries over sorted words, and what several of
 * them have in common. What {@link ScanOps} says of words, ids and outputs holds here too.
 */
public interface TrieOps {
  /**
   * A level of a trie: the runs of sorted words without their low bits.
   *
   * @param words 64-bit, ascending
   * @param shift low bits to leave out
   * @param bits of the rest the low bits that are the level's value, 32 at most
   * @param min what is added to them
   * @param outWords the rest of each run, 64-bit; room for {@code count}; not {@code words}
   * @param outValues its value, 32-bit; room for {@code count}
   * @param outStarts where it begins, 32-bit, and {@code count} at the end; room for {@code count +
   *     1}
   * @return how many runs
   */
  int level(
      ExecContext context,
      Buffer words,
      int count,
      int shift,
      int bits,
      int min,
      Buffer outWords,
      Buffer outValues,
      Buffer outStarts);

  /**
   * The starts of a dense level: {@code out[i]} is the number of words that are smaller than i
   * without their low bits, for i in 0..size.
   *
   * @param words 64-bit, ascending
   * @param shift low bits to leave out, less than 64
   */
  void starts(ExecContext context, Buffer words, int count, int shift, int size, Buffer outStarts);

  /**
   * Chooses for each binding the side with the fewest values, whose values are to be tried.
   *
   * @param outSides which side, 32-bit
   * @param outFirsts the first of its positions that the bounds allow, 32-bit
   * @param outCounts how many there are from there on, 32-bit
   */
  void ranges(
      ExecContext context, TrieStep step, Buffer outSides, Buffer outFirsts, Buffer outCounts);

  /**
   * Tries values, in pieces: those that all sides have, and that fulfil the bounds, come out, in
   * any order.
   *
   * @param sides what {@link #ranges} chose
   * @param firsts where that begins
   * @param sums the result of {@link ScanOps#exclusiveSum} over its counts
   * @param from the first of all values to try
   * @param candidates how many
   * @param outBindings the binding of each value, 32-bit; room for {@code candidates}
   * @param outPositions for each side the value's position in its level, 32-bit; null for a side
   *     whose position is not wanted
   * @param outValues the value, 32-bit; null if it is not wanted
   * @return how many come out
   */
  int match(
      ExecContext context,
      TrieStep step,
      Buffer sides,
      Buffer firsts,
      Buffer sums,
      long from,
      int candidates,
      Buffer outBindings,
      List<@Nullable Buffer> outPositions,
      @Nullable Buffer outValues);

  /**
   * Counts for each binding the values that all sides have and that fulfil the bounds, each as
   * often as its rows in the counted sides, and the whole as often as the weights say.
   *
   * @param outCounts a 64-bit number a binding
   * @return how many values were tried one by one
   * @throws io.aragonite.exec.error.AragoniteException NUMERIC_OVERFLOW if a count has more than 63
   *     bits
   */
  long count(ExecContext context, TrieStep step, List<TrieWeight> weights, Buffer outCounts);

  /** Whether {@link #walk} can be used for a join. */
  boolean canWalk(TrieWalk walk);

  /**
   * Walks the rest of a join depth first: with memory for what one path needs, and what its lists
   * have in common.
   *
   * @param start the bindings, and the values that their next level is to try
   * @param from the first of all these values
   * @param to behind the last
   * @param output where rows go; null if they are only counted
   * @return how many there are
   * @throws io.aragonite.exec.error.AragoniteException NUMERIC_OVERFLOW if these are more than 63
   *     bits
   */
  long walk(
      ExecContext context,
      TrieWalk walk,
      TrieWalk.Start start,
      long from,
      long to,
      TrieWalk.@Nullable WalkOutput output);
}
