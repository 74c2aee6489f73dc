package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.SortKey;
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
   * @param sorter puts rows in orders that functions ask for beside the window's
   * @return what each call yields, in the query's memory
   */
  List<WindowResult> compute(
      ExecContext context,
      Window window,
      ColumnBatch rows,
      Buffer order,
      List<WindowCall> calls,
      RowSorter sorter);

  /** Sorts rows by operations of their device: what is made of operations is above them. */
  @FunctionalInterface
  interface RowSorter {
    /**
     * The order of rows.
     *
     * @return 32-bit rows of the batch, from the query's memory
     */
    Buffer sort(ExecContext context, ColumnBatch rows, List<SortKey> keys);
  }
}
