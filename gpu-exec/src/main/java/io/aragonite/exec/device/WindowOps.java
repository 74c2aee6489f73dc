package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.List;

/** Functions of windows, each a pass over the rows in their order. */
public interface WindowOps {
  /**
   * Computes calls of a window, beside each other as far as there are workers.
   *
   * @param rows the input, in any order, with any indirection
   * @param order the 32-bit row at each position: by partition, and in these by ORDER BY
   * @return what each call yields, in the query's memory
   */
  List<WindowResult> compute(
      ExecContext context, Window window, ColumnBatch rows, Buffer order, List<WindowCall> calls);
}
