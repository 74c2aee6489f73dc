package io.aragonite.exec.device;

import io.aragonite.exec.expr.KeyHash;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Numbers groups and folds their values. What {@link ScanOps} says of words, ids and outputs holds
 * here too.
 */
public interface AggregateOps {
  /**
   * New words for rows whose word was taken: {@code out[i]} is made of the word and the group of
   * row {@code positions[i]}, and of nothing else: {@code combine(word, ofLong(group + 1))} of
   * {@link KeyHash}.
   */
  void rehash(
      ExecContext context, Buffer words, Buffer groups, Buffer positions, int count, Buffer out);

  /**
   * Reduces segments of neighbouring rows.
   *
   * @param starts segments + 1 32-bit positions
   * @return one row a segment, of the function's result type {@code type}
   */
  Column segmentedReduce(
      ExecContext context,
      AggregateFunction function,
      Column values,
      Buffer starts,
      int segments,
      DataType type,
      Allocator allocator);

  /** An empty table that numbers distinct words from 0 in the order of their first appearance. */
  GroupTable newGroupTable(ExecContext context, QueryMemory memory);

  /** State for one aggregate function over any number of groups. */
  Accumulator newAccumulator(
      ExecContext context,
      AggregateFunction function,
      @Nullable ColumnShape input,
      DataType type,
      QueryMemory memory);

  /**
   * The results of several accumulators, a row a group, as each gives its own: a device that must
   * look at groups before it makes columns of them looks at those of all at once.
   *
   * @param groups how many, by accumulator
   * @param parts whether as {@link Accumulator#finishPart}, else as {@link Accumulator#finish}
   */
  default List<Column> finish(
      ExecContext context,
      List<Accumulator> accumulators,
      List<Integer> groups,
      boolean parts,
      Allocator allocator) {
    List<Column> results = new ArrayList<>();
    for (int i = 0; i < accumulators.size(); i++) {
      Accumulator one = accumulators.get(i);
      results.add(
          parts
              ? one.finishPart(context, groups.get(i), allocator)
              : one.finish(context, groups.get(i), allocator));
    }
    return results;
  }

  /**
   * Adds entries of a table of sums to those of another one, for which that one has {@linkplain
   * SumTable#reserve(SumTable) reserved} room. Only a device several of whose workers have tables
   * needs it.
   *
   * @param first entry
   * @param end behind the last entry
   */
  default void addSums(ExecContext context, SumTable table, SumTable to, int first, int end) {
    throw new IllegalStateException("A device of one worker has one table.");
  }
}
