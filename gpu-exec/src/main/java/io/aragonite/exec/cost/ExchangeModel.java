package io.aragonite.exec.cost;

import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.util.List;

/**
 * What it takes to bring rows where they are joined, when several devices run a plan together and
 * each has an equal share of the rows.
 *
 * @param devices how many there are
 * @param profile of one of them
 * @param linkBytesPerNano what a device receives from the others
 */
public record ExchangeModel(int devices, MachineProfile profile, double linkBytesPerNano) {
  /** A text, as far as types can tell. */
  private static final int TEXT_BYTES = 20;

  /** NVLink between H200s: 85 % of the copy rate that was measured. */
  public static final double NVLINK = 335;

  /**
   * Threads that begin, and devices that are opened and closed, for a query. This and what
   * exchanges take is what two H200s took of TPC-H scale 30 over half of what one took and {@link
   * PlanPrice#fixedNanos} (2026-11-22, 60 runs): 0.2, 0.3, 0.2 and 0.3 ms in plans of one, two,
   * three and more exchanges, without those whose sides move much.
   */
  public static final double QUERY_NANOS = 0.1e6;

  /**
   * What operators take of a device whatever rows they have, of which each of several has as many:
   * over what it takes one that works alone (TPC-H scale 100 on four H200s and 30 on two,
   * 2026-11-22: from 1.1 to 1.4 the quicker number of devices is chosen for most queries).
   */
  public static final double FIXED_TOGETHER = 1.2;

  /** Launches, copies and devices that wait for each other, for an exchange of few rows. */
  public static final double EXCHANGE_NANOS = 0.1e6;

  /**
   * What partitioning takes before an exchange by keys, whatever rows there are: a device's part of
   * each other's is laid out by itself.
   */
  public static final double PARTITION_NANOS = 0.2e6;

  /** Bytes of a row of these types. */
  public static double rowBytes(List<DataType> types) {
    double bytes = 0;
    for (DataType type : types) {
      Storage storage = Storage.of(type);
      bytes += storage == Storage.BYTES ? TEXT_BYTES : storage.width();
    }
    return bytes;
  }

  /**
   * Rows to the devices of their keys: partitioned, then all but a device's own part moves.
   *
   * @param topShare share of the rows that have one key, and so go to one device
   */
  public double hashNanos(double bytes, double topShare) {
    double most = Math.max(1.0 / devices, topShare) * bytes;
    double mine = bytes / devices;
    return profile.sequential(4 * mine) + most * (devices - 1) / devices / linkBytesPerNano;
  }

  /** Rows to all devices, each of which builds over all of them instead of its part. */
  public double broadcastNanos(double rows, double bytes) {
    double others = (devices - 1.0) / devices;
    return bytes * others / linkBytesPerNano
        + rows * others * profile.missNanos()
        + profile.sequential(2 * bytes * others);
  }
}
