package io.aragonite.exec.device;

/**
 * A column that stays in a device's memory until the claim is closed, once it is there. Used by one
 * thread at a time.
 */
public interface ColumnClaim extends AutoCloseable {
  /** Whether it is this claim's to {@link #load} it; else it is there, or somebody else does. */
  boolean mine();

  /**
   * Brings it to the device.
   *
   * @throws io.aragonite.exec.error.AragoniteException if that fails; it is left to others then
   */
  void load(ExecContext context);

  /** If it is not there, whoever waits for it loads it. */
  @Override
  void close();
}
