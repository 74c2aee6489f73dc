package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.ColumnBatch;

/** A predicate made ready for a device. Safe for several threads. */
public interface CompiledPredicate {
  /**
   * Finds the rows for which the predicate is true (neither false nor null).
   *
   * @param out room for {@code batch.rows()} 32-bit row numbers of the batch; filled in ascending
   *     order
   * @return how many
   */
  int select(ExecContext context, ColumnBatch batch, Buffer out);
}
