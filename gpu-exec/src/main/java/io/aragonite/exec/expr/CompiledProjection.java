package io.aragonite.exec.expr;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.device.ExecContext;
import java.util.List;

/** A list of expressions made ready for a device. Safe for several threads. */
public interface CompiledProjection {
  /** Shapes of the results, one an expression, as tight as analysis makes them. */
  List<ColumnShape> shapes();

  /**
   * Evaluates all expressions over a batch. A bare column reference is passed through untouched,
   * with its indirection; other results are new columns from the context's allocator.
   */
  ColumnBatch evaluate(ExecContext context, ColumnBatch batch);
}
