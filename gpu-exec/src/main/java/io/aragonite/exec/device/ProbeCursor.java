package io.aragonite.exec.device;

import org.jspecify.annotations.Nullable;

/** Where {@link HashTable#probe} stopped. Whoever stops before it is done closes it. */
public final class ProbeCursor implements AutoCloseable {
  /** The probe row to go on with. */
  public int row;

  /** The device's own place within that row's matches. */
  public long place = -1;

  /** Whether all rows are done. */
  public boolean done;

  /** The device's own; null if it keeps nothing. */
  public @Nullable ProbeState state;

  /** Gives back what the device keeps. */
  @Override
  public void close() {
    ProbeState kept = state;
    state = null;
    if (kept != null) {
      kept.close();
    }
  }
}
