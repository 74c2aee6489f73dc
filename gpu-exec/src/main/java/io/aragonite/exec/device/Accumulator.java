package io.aragonite.exec.device;

import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.vector.Column;
import org.jspecify.annotations.Nullable;

/** Not safe for several threads. */
public interface Accumulator extends AutoCloseable {
  /**
   * Takes in a batch of values.
   *
   * @param values null for COUNT of rows; may have an indirection
   * @param groups a 32-bit group number a row; null: all rows belong to group 0
   * @param mask positions of the rows to take in (FILTER), 32-bit; null: all
   * @param count rows of the batch, or of the mask if there is one
   * @param groupCount groups known by now; new ones start empty
   */
  void update(
      ExecContext context,
      @Nullable Column values,
      @Nullable Buffer groups,
      @Nullable Buffer mask,
      int count,
      int groupCount);

  /** The result, a row a group. */
  Column finish(ExecContext context, int groupCount, Allocator allocator);

  /**
   * The result of a part of the rows, a row a group, for an accumulator that merges parts: of the
   * type {@link AggregateFunction#partial}.
   */
  default Column finishPart(ExecContext context, int groupCount, Allocator allocator) {
    return finish(context, groupCount, allocator);
  }

  @Override
  void close();
}
