package io.aragonite.exec.pipeline;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Parallel;

/** Where a pipeline ends: build, aggregate, sort, collect. */
public interface Sink {
  /** Called once a worker, before its first batch. Workers run in parallel. */
  BatchConsumer newWorker(ExecContext context);

  /** Whether one worker must see all rows. */
  default boolean serial() {
    return false;
  }

  /** Called once when all workers have ended without an error; may run work on {@code parallel}. */
  void finish(ExecContext context, Parallel parallel);
}
