package io.aragonite.exec.pipeline;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/** An operator that passes rows on as they come: filter, project, probe. */
public interface StreamOperator {
  /** Shapes of the output columns. */
  List<ColumnShape> shapes();

  /** The operator's part in one worker. */
  BatchConsumer newWorker(ExecContext context, BatchConsumer downstream);

  /**
   * Whether many more rows can come out than went in (a join that is not on a key), so that even a
   * small input is better not collected whole.
   */
  default boolean expands() {
    return false;
  }

  /**
   * Called once when the pipeline has ended well and its sink too: what the operator holds may be
   * freed. (What is still held when the query ends is freed then.)
   */
  default void close() {}

  /** Whether rows come out in the order in which they came in. */
  default boolean keepsOrder() {
    return true;
  }

  /** Whether some of the rows that went in come out, as they are. */
  default boolean selects() {
    return false;
  }

  /** Whether as many rows come out as went in. */
  default boolean keepsRows() {
    return false;
  }
}
