package io.aragonite.exec.exchange.host;

import io.aragonite.exec.cost.ExchangeModel;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.ExchangeSettings;

/** How several devices bring the rows of a chunkset into one order. */
public enum SortStrategy {
  /**
   * Rows are partitioned by ranges of keys, exchanged, and sorted where they belong (Maltenberger
   * 2024, section 3.1.2).
   */
  PARTITION,
  /**
   * Each device sorts what it has, pivots over all devices' rows cut the order into parts of equal
   * length, blocks are swapped, and each device merges what it got (section 3.1.1, which does so by
   * pairs of a power of two of devices; here all swap at once).
   */
  MERGE;

  /** Launches for each bit of a key until pivots are known, and one wait. */
  private static final int LAUNCHES = 3;

  /**
   * The one that is set, else the cheaper one.
   *
   * @param rows of a device's share
   * @param keyBytes 4 or 8
   * @param rowBytes of keys and payload
   */
  static SortStrategy cheaper(
      MachineProfile device, double rows, int keyBytes, double rowBytes, int devices) {
    ExchangeSettings.SortExchange wanted = EngineSettings.current().exchange().sort();
    if (wanted != ExchangeSettings.SortExchange.AUTO) {
      return wanted == ExchangeSettings.SortExchange.MERGE ? MERGE : PARTITION;
    }
    return partition(device, rows, keyBytes, rowBytes, devices)
            <= merge(device, rows, keyBytes, rowBytes, devices)
        ? PARTITION
        : MERGE;
  }

  /** Nanoseconds of partitioning, exchange and sort. */
  static double partition(
      MachineProfile device, double rows, int keyBytes, double rowBytes, int devices) {
    return device.sequential(rows * (keyBytes + 3.0 * Long.BYTES))
        + device.partition(rows, rowBytes)
        + exchange(rows, rowBytes, devices)
        + sort(device, rows, keyBytes, rowBytes)
        + device.steps(12, 3);
  }

  /** Nanoseconds of sort, pivots, exchange and merge. */
  static double merge(
      MachineProfile device, double rows, int keyBytes, double rowBytes, int devices) {
    int levels = Integer.SIZE - Integer.numberOfLeadingZeros(devices - 1);
    // Places of each row of one run in the other, then words and numbers go there.
    double level = device.sequential(rows * (4.0 * Long.BYTES + 6 * Integer.BYTES));
    return sort(device, rows, keyBytes, rowBytes)
        + 8.0 * keyBytes * device.steps(LAUNCHES * (devices - 1), 1)
        + exchange(rows, rowBytes, devices)
        + levels * (level + rows * device.mergeNanos() + device.steps(8, 0))
        + device.sequential(rows * (3 * (rowBytes - keyBytes) + Long.BYTES));
  }

  private static double sort(MachineProfile device, double rows, int keyBytes, double rowBytes) {
    return rows * keyBytes * device.sortRowNanos()
        + device.sequential(rows * (3 * (rowBytes - keyBytes) + keyBytes + Long.BYTES));
  }

  private static double exchange(double rows, double rowBytes, int devices) {
    return rows * rowBytes * (devices - 1) / devices / ExchangeModel.NVLINK;
  }
}
