package io.aragonite.rules.runtime;

import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.runtime.BatchResult;
import org.apache.calcite.DataContext;
import org.jspecify.annotations.Nullable;

/**
 * Where and how the queries of a connection run. The planner's context ({@code
 * planner.getContext().unwrap(EngineProvider.class)}) is asked first, then the first table of the
 * query. Safe for several threads.
 */
public interface EngineProvider {
  Engine engine();

  /** Threads at most for a query; 0: the device's own number. */
  default int workers() {
    return 0;
  }

  /** Bytes at most for a query of a run, on each device; 0: the whole budget. */
  default long memoryBytes(DataContext context) {
    return 0;
  }

  /**
   * Called when a query has been started, before its rows are read. What is returned takes the
   * place of the result: a listener may wrap it to hear of its end, to keep its metrics, or to hand
   * its columns to somebody else.
   */
  default BatchResult started(GpuQuery query, DataContext context, BatchResult result) {
    return result;
  }

  /** The algorithm that joins on equal keys must use; null: the plan's. */
  default @Nullable JoinAlgorithm join() {
    return null;
  }

  /** When joins whose equalities close a cycle run as one node over tries. */
  default MultiwayMode multiway() {
    return MultiwayMode.AUTO;
  }
}
