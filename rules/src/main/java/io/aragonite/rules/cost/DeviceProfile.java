package io.aragonite.rules.cost;

import io.aragonite.exec.profile.MachineProfile;

/**
 * What a device takes for the elementary things that operators other than joins are made of. A
 * GPU's follow from its {@link MachineProfile}, which a calibration measures; those of the CPU are
 * fixed, as two cores of a server have them.
 *
 * @param sequentialBytesPerNano bandwidth of reading or writing in order
 * @param randomBytesPerNano useful bandwidth of reading or writing at random places of something
 *     larger than a cache
 * @param cacheBytes what fits a cache: random access within it costs as sequential access
 * @param expressionNanos one operation of an expression on one row
 * @param buildNanos inserting a row in a hash table, memory aside
 * @param probeNanos looking a row up in a hash table, memory aside
 * @param compareNanos one comparison and move of a sort
 * @param rowOutNanos handing one value of a row out to Calcite's Enumerable convention
 * @param startNanos starting an operator
 */
public record DeviceProfile(
    double sequentialBytesPerNano,
    double randomBytesPerNano,
    double cacheBytes,
    double expressionNanos,
    double buildNanos,
    double probeNanos,
    double compareNanos,
    double rowOutNanos,
    double startNanos) {
  /** Two cores of a server. */
  public static final DeviceProfile CPU = new DeviceProfile(16, 1.5, 2 << 20, 0.5, 4, 2, 1, 3, 1);

  /** Bytes that a GPU reads and writes for an operation of an expression on a row. */
  private static final double EXPRESSION_BYTES = 16;

  /** Passes of a GPU's sort, and the comparisons of a sort of a million rows. */
  private static final double PASSES = 8;

  private static final double COMPARES = 20;

  /**
   * As a device was measured: a GPU's memory and caches are what joins reckon with. Whatever it is,
   * rows are handed out by the host.
   */
  public static DeviceProfile of(MachineProfile device) {
    return device.host()
        ? CPU
        : new DeviceProfile(
            device.sequentialBytesPerNano(),
            Long.BYTES / device.missNanos(),
            device.cacheBytes(),
            device.sequential(EXPRESSION_BYTES),
            device.insertHitNanos(),
            device.hitNanos(),
            PASSES * device.sortRowNanos() / COMPARES,
            CPU.rowOutNanos,
            CPU.startNanos);
  }

  /** Time to touch {@code bytes} in order. */
  public double sequential(double bytes) {
    return bytes / sequentialBytesPerNano;
  }

  /** Time of {@code accesses} of {@code bytes} each to random places of {@code space} bytes. */
  public double random(double accesses, double bytes, double space) {
    double bandwidth = space <= cacheBytes ? sequentialBytesPerNano : randomBytesPerNano;
    return accesses * Math.max(bytes, 8) / bandwidth;
  }
}
