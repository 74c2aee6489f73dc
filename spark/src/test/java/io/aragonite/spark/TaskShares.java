package io.aragonite.spark;

import java.util.Locale;

/**
 * Where the time of a query's tasks went, in milliseconds.
 *
 * @param processors of these, with scans
 * @param withoutScans all but that in readers of files, Spark's and ours
 * @param fragments of that, in fragments
 * @param slices in making slices of their columns
 * @param writes in compressing and writing these
 * @param inputs in what fragments read that is no file: fetched, decompressed and converted
 * @param collector in the JVM's garbage collector, which is in all of these
 * @param early in tasks that Spark ended before they were done
 */
record TaskShares(
    double processors,
    double withoutScans,
    double fragments,
    double slices,
    double writes,
    double inputs,
    double collector,
    double early) {
  static final TaskShares NONE = new TaskShares(0, 0, 0, 0, 0, 0, 0, 0);

  TaskShares plus(TaskShares other) {
    return new TaskShares(
        processors + other.processors,
        withoutScans + other.withoutScans,
        fragments + other.fragments,
        slices + other.slices,
        writes + other.writes,
        inputs + other.inputs,
        collector + other.collector,
        early + other.early);
  }

  /** In fragments and in making slices of their columns. */
  double inFragments() {
    return fragments + slices;
  }

  /** The shares as a sentence. */
  String text() {
    double all = Math.max(withoutScans, 1) / 100;
    return String.format(
        Locale.ROOT,
        "of the time of tasks but for scans %.0f %% in fragments, %.0f %% of that but for shuffles: %.1f %% in operators,"
            + " %.1f %% in making slices, %.1f %% in compressing and writing these, %.1f %% in reading these,"
            + " %.1f %% elsewhere; of all %.1f %% in the garbage collector; tasks that Spark ended early took %.0f ms",
        inFragments() / all,
        100 * inFragments() / Math.max(withoutScans - writes - inputs, 1),
        fragments / all,
        slices / all,
        writes / all,
        inputs / all,
        (withoutScans - inFragments() - writes - inputs) / all,
        collector / all,
        early);
  }
}
