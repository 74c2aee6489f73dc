package io.aragonite.exec.pipeline;

import io.aragonite.exec.vector.ColumnBatch;

/** Takes batches, one after the other, on one worker's thread. */
public interface BatchConsumer {
  /** The batch and its scratch memory are the caller's again when this returns. */
  void accept(ColumnBatch batch);

  /** Called once after the worker's last batch (not after an error); operators pass it on. */
  default void finish() {}

  /** Whether no further rows are wanted, so that the source can stop early. */
  default boolean done() {
    return false;
  }
}
