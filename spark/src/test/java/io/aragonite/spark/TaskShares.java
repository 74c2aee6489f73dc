package io.aragonite.spark;

import java.util.Locale;

/**
 * Where the time of a query's tasks went, in milliseconds.
 *
 * @param processors of these
 * @param run all of it: operators of both, shuffles, rows that are collected, waiting for a core
 * @param sparkScans of that, in Spark's readers of files
 * @param scans in fragments' readers of files
 * @param fragments in fragments but for their inputs
 * @param slices in making slices of their columns
 * @param columns in making columns of slices
 * @param writes in compressing and writing slices, which Spark does
 * @param inputs in what fragments read that is no file, but for making columns of slices: fetched
 *     and decompressed by Spark, or rows of Spark's that become columns
 * @param collector in the JVM's garbage collector, which is in all of these
 * @param early in tasks that Spark ended before they were done
 * @param sparkFiles files, or splits of them, that Spark reads for fragments; their time is with scans
 */
record TaskShares(
    double processors,
    double run,
    double sparkScans,
    double scans,
    double fragments,
    double slices,
    double columns,
    double writes,
    double inputs,
    double collector,
    double early,
    long sparkFiles) {
  static final TaskShares NONE = new TaskShares(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  TaskShares plus(TaskShares other) {
    return new TaskShares(
        processors + other.processors,
        run + other.run,
        sparkScans + other.sparkScans,
        scans + other.scans,
        fragments + other.fragments,
        slices + other.slices,
        columns + other.columns,
        writes + other.writes,
        inputs + other.inputs,
        collector + other.collector,
        early + other.early,
        sparkFiles + other.sparkFiles);
  }

  /** All but that in readers of files, Spark's and ours. */
  double withoutScans() {
    return Math.max(0, run - sparkScans - scans);
  }

  /** Of {@link #withoutScans}, in fragments, with making slices of columns and columns of slices. */
  double inFragments() {
    return fragments + slices + columns;
  }

  private static double percent(double part, double of) {
    return 100 * part / Math.max(of, 1);
  }

  /** The shares as lines of text. */
  String text() {
    double shuffles = writes + inputs;
    double but = withoutScans();
    return String.format(
        Locale.ROOT,
        "of the time of tasks %.1f %% in fragments with their scans, %.1f %% of it but for Spark's shuffles;"
            + " %.1f %% in their scans, %.1f %% in Spark's; %d files of fragments were read by Spark%n"
            + "but for scans %.1f %% in fragments, %.1f %% of that but for Spark's shuffles: %.1f %% in operators,"
            + " %.1f %% in making slices, %.1f %% in reading these; %.1f %% in compressing and writing these,"
            + " %.1f %% in fetching and decompressing these, %.1f %% elsewhere; of all %.1f %% in the garbage collector;"
            + " tasks that Spark ended early took %.0f ms",
        percent(inFragments() + scans, run),
        percent(inFragments() + scans, run - shuffles),
        percent(scans, run),
        percent(sparkScans, run),
        sparkFiles,
        percent(inFragments(), but),
        percent(inFragments(), but - shuffles),
        percent(fragments, but),
        percent(slices, but),
        percent(columns, but),
        percent(writes, but),
        percent(inputs, but),
        percent(but - inFragments() - shuffles, but),
        percent(collector, but),
        early);
  }
}
