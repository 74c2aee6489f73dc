package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Trie operations of a device with memory of its own, run by its host; see {@link DiscreteDevice}.
 */
final class HostBackedTrieOps implements TrieOps {
  @Override
  public int level(
      ExecContext context,
      Buffer words,
      int count,
      int shift,
      int bits,
      int min,
      Buffer outWords,
      Buffer outValues,
      Buffer outStarts) {
    return HostBackedTries.level(
        context, words, count, shift, bits, min, outWords, outValues, outStarts);
  }

  @Override
  public void starts(
      ExecContext context, Buffer words, int count, int shift, int size, Buffer outStarts) {
    HostBackedTries.starts(context, words, count, shift, size, outStarts);
  }

  @Override
  public void ranges(
      ExecContext context, TrieStep step, Buffer outSides, Buffer outFirsts, Buffer outCounts) {
    HostBackedTries.ranges(context, step, outSides, outFirsts, outCounts);
  }

  @Override
  public int match(
      ExecContext context,
      TrieStep step,
      Buffer sides,
      Buffer firsts,
      Buffer sums,
      long from,
      int candidates,
      Buffer outBindings,
      List<@Nullable Buffer> outPositions,
      @Nullable Buffer outValues) {
    return HostBackedTries.match(
        context, step, sides, firsts, sums, from, candidates, outBindings, outPositions, outValues);
  }

  @Override
  public long count(
      ExecContext context, TrieStep step, List<TrieWeight> weights, Buffer outCounts) {
    return HostBackedTries.count(context, step, weights, outCounts);
  }

  @Override
  public boolean canWalk(TrieWalk walk) {
    return true;
  }

  @Override
  public long walk(
      ExecContext context,
      TrieWalk walk,
      TrieWalk.Start start,
      long from,
      long to,
      TrieWalk.@Nullable WalkOutput output) {
    return HostBackedTries.walk(context, walk, start, from, to, output);
  }
}
