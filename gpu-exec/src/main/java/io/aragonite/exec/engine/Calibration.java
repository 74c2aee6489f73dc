package io.aragonite.exec.engine;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.execution.QueryExecution;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Makes the profile of a device: a shipped one, scaled by what a {@link CalibrationRun} measures
 * here over what it measured on the machine that the shipped one was fitted to.
 */
public final class Calibration implements AutoCloseable {
  /** Machines of a kind differ by less; what does not is an accident of the measurement. */
  private static final double MOST_APART = 20;

  // What measure() found, for the figures of MachineProfile in their order, on the machines that
  // the shipped profiles were fitted to: a core of an AMD EPYC (Zen 4), and an H200.

  private static final double[] HOST = {
    30, // sequentialBytesPerNano
    1, // sectorBytes
    1, // nearBytes
    65536, // cacheBytes
    0.46, // nearNanos
    0.83, // hitNanos
    10.3, // missNanos
    1.36, // insertHitNanos
    9.3, // insertMissNanos
    0.98, // insertOrderedNanos
    1.36, // insertPartNanos
    37, // mixedInsertNanos
    37, // mixedPartNanos
    5.9, // mixedProbeNanos
    67, // groupPassNanos
    17, // groupRowNanos
    0.83, // expandNanos
    0.83, // mergeNanos
    10, // strayNanos
    10, // partitionRowNanos
    13.5, // partitionByteNanos
    2.87, // sortRowNanos
    100, // startNanos
    400, // syncNanos
    38, // rankInsertNanos
    2.55, // rankProbeNanos
    5.9, // collisionNanos
    0.82, // valueNanos
    13.5, // partitionValueNanos
    0.83, // searchNanos
    0.0347, // freshByteNanos
    Double.POSITIVE_INFINITY, // hostBytesPerNano
    Double.POSITIVE_INFINITY // pinnedBytesPerNano
  };

  private static final double[] DEVICE = {
    3824, 1, 1, 3.042e7, 0.00208, 0.006196, 0.02094, 0.08827, 0.06453, 0.007203, 0.08827, 0.1652,
    0.1652, 0.01624, 0.1187, 0.03029, 0.006196, 0.006196, 0.01412, 0.01412, 0.02761, 0.01238, 4916,
    1.772e4, 0.1213, 0.01021, 0.01624, 0.007072, 0.02761, 0.006196, 0.0003379, 45, 55
  };

  private final Device device;
  private final MachineProfile shipped;
  private final int smallBits;
  private final int largeBits;
  private final Map<String, Double> curves = new LinkedHashMap<>();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());

  /** With sizes that suit the device; one of the host has one worker: a core is measured. */
  public Calibration(Device device) {
    this(device, shipped(device));
  }

  private Calibration(Device device, MachineProfile shipped) {
    this(device, shipped, shipped.host() ? 14 : 21, shipped.host() ? 23 : 26);
  }

  /**
   * @param device stays the caller's
   * @param smallBits 2 to this power rows make a table that the cache holds
   * @param largeBits 2 to this power rows make one that it does not hold by far
   */
  Calibration(Device device, int smallBits, int largeBits) {
    this(device, shipped(device), smallBits, largeBits);
  }

  private Calibration(Device device, MachineProfile shipped, int smallBits, int largeBits) {
    this.device = device;
    this.shipped = shipped;
    this.smallBits = smallBits;
    this.largeBits = largeBits;
  }

  /** What a device of this kind is assumed to do before it is measured. */
  private static MachineProfile shipped(Device device) {
    return device.traits().morselDriven() ? MachineProfile.CORE : MachineProfile.H200;
  }

  /**
   * Measures everything: the shipped profile, each figure as many times as large as what stands for
   * it is, here, over the same on the machine that the shipped one was fitted to.
   */
  public MachineProfile run() {
    return scaled(shipped, measure(), shipped.host() ? HOST : DEVICE);
  }

  /**
   * What was measured by size or width, in the order of its measurement: bytes a nanosecond of
   * values gathered from working sets of so many bytes, nanoseconds of a lookup and of an insert by
   * bytes of the table, of a row of a partition pass by its bytes, and of a row of a whole sort.
   */
  public Map<String, Double> curves() {
    return Collections.unmodifiableMap(curves);
  }

  /** What stands for each figure of a profile, in their order. */
  public double[] measure() {
    curves.clear();
    try (QueryExecution query =
        new QueryExecution(device, threads, QueryOptions.DEFAULT, new QueryMetrics())) {
      return query.work(context ->
          new CalibrationRun(device, shipped.host(), smallBits, largeBits, curves, context)
              .measure());
    }
  }

  /**
   * @param measured figures of this machine
   * @param reference those of the machine that the shipped profile was fitted to
   */
  static MachineProfile scaled(MachineProfile shipped, double[] measured, double[] reference) {
    double[] figures = shipped.figures();
    for (int i = 0; i < figures.length; i++) {
      double ratio = measured[i] / reference[i];
      if (ratio > 0 && Double.isFinite(ratio)) {
        figures[i] *= Math.clamp(ratio, 1 / MOST_APART, MOST_APART);
      }
    }
    figures[5] = Math.max(figures[4], figures[5]);
    figures[6] = Math.max(figures[5], figures[6]);
    return MachineProfile.of("calibrated", figures);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
