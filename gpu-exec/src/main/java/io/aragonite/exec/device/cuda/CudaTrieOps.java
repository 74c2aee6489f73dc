package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.TrieOps;
import io.aragonite.exec.device.TrieStep;
import io.aragonite.exec.device.TrieWalk;
import io.aragonite.exec.device.TrieWeight;
import io.aragonite.exec.memory.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What multi-predicate joins are made of, as kernels. */
final class CudaTrieOps implements TrieOps {
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
    return CudaTrie.level(context, words, count, shift, bits, min, outWords, outValues, outStarts);
  }

  @Override
  public void starts(
      ExecContext context, Buffer words, int count, int shift, int size, Buffer outStarts) {
    CudaTrie.starts(context, words, count, shift, size, outStarts);
  }

  @Override
  public void ranges(
      ExecContext context, TrieStep step, Buffer outSides, Buffer outFirsts, Buffer outCounts) {
    CudaTrie.ranges(context, step, outSides, outFirsts, outCounts);
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
    return CudaTrie.match(
        context, step, sides, firsts, sums, from, candidates, outBindings, outPositions, outValues);
  }

  @Override
  public long count(
      ExecContext context, TrieStep step, List<TrieWeight> weights, Buffer outCounts) {
    return CudaTrie.count(context, step, weights, outCounts);
  }

  @Override
  public boolean canWalk(TrieWalk walk) {
    return CudaTrieWalk.fits(walk);
  }

  @Override
  public long walk(
      ExecContext context,
      TrieWalk walk,
      TrieWalk.Start start,
      long from,
      long to,
      TrieWalk.@Nullable WalkOutput output) {
    return CudaTrieWalk.walk(context, walk, start, from, to, output);
  }
}
