package io.aragonite.exec.device;

import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
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
