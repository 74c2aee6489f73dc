package io.aragonite.bench.join;

import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.operator.join.BatchJoin.Algorithm;
import io.aragonite.exec.operator.join.BatchJoin.Phase;
import io.aragonite.exec.operator.join.BatchJoin.Side;
import io.aragonite.exec.memory.Buffer;
import java.util.List;
import java.util.function.Consumer;

/** Data in a device's memory, and a join of them or several. */
interface BenchWork {
  /**
   * Joins.
   *
   * @param clock told when a phase begins
   * @param out gets the output in pieces, which it may not keep
   */
  void join(
      ExecContext context, Algorithm algorithm, Consumer<Phase> clock, Consumer<ColumnBatch> out);

  /** R and S, of a single join; else none. */
  default List<Side> sides() {
    return List.of();
  }

  /** Takes the output of one run. */
  BenchCheck newCheck();

  /** Something that was made last. */
  Buffer last();
}
