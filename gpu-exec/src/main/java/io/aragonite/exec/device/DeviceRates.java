package io.aragonite.exec.device;

/**
 * What a device's time goes into, to choose one for a query before it runs; see {@link
 * io.aragonite.exec.DevicePolicy}.
 *
 * @param startNanos what a query costs there at least
 * @param bytesPerSecond how fast it gets through a query's columns, all operators taken together
 * @param loadBytesPerSecond how fast columns that are not in its memory are brought there
 */
public record DeviceRates(double startNanos, double bytesPerSecond, double loadBytesPerSecond) {
  /** Nanoseconds of a query over columns that are there. */
  public double hotNanos(double bytes) {
    return startNanos + bytes / bytesPerSecond * 1e9;
  }

  /** Nanoseconds to bring columns there. */
  public double loadNanos(double bytes) {
    return bytes / loadBytesPerSecond * 1e9;
  }
}
