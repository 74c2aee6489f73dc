package io.aragonite.spark.execution;

import io.aragonite.exec.table.BatchSource.BatchReader;

/** Where a task has the rows of a fragment's input from. */
sealed interface InputSource {
  /** Batches that this task reads, once. */
  record TaskBatches(BatchReader reader) implements InputSource {}

  /** A table that all tasks of the executor share. */
  record SharedTable(BroadcastTable table) implements InputSource {}
}
