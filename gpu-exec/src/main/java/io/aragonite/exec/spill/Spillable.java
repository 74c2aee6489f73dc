package io.aragonite.exec.spill;

import io.aragonite.exec.device.ExecContext;

/** Rows that leave a device's memory together, beside the query's work. */
interface Spillable {
  /** See {@link SpillableRowCollection#turn}. */
  long turn();

  /** Bytes of the rows, wherever they are. */
  long bytes();

  /** Whether the rows are in the device's memory. */
  boolean resident();

  /**
   * Begins to move the rows from the device to the host, beside the query's work, if nobody uses
   * them; called by the query's thread.
   */
  boolean startLeaving(ExecContext context);

  /**
   * Frees the device's memory when the rows have come to the host.
   *
   * @param wait whether to wait for that
   * @return whether the rows are not leaving any more
   */
  boolean endLeaving(boolean wait);
}
