package io.aragonite.exec.expr;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;

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
