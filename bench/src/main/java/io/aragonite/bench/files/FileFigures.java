package io.aragonite.bench.files;

import com.sun.management.OperatingSystemMXBean;
import io.aragonite.bench.data.CsvColumns;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * What one engine took for one thing.
 *
 * @param what that is done
 * @param bytes of the values, not of files; 0: no rate is meant
 * @param times of runs, in their order
 */
record FileFigures(String what, String engine, long bytes, List<RunTime> times) {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private static final String ROW = "%-34s %-10s %11s %11s %9s %9s %9s%n";

  /**
   * How long a run took.
   *
   * @param cpu nanoseconds of all of the process's threads, in which other work does not count
   */
  record RunTime(double wall, double cpu) {
    /** Runs something once. */
    static RunTime of(TimedTask task) throws SQLException {
      long start = System.nanoTime();
      long cpu = SYSTEM.getProcessCpuTime();
      task.run();
      return new RunTime(System.nanoTime() - start, SYSTEM.getProcessCpuTime() - cpu);
    }
  }

  /** What is timed. */
  @FunctionalInterface
  interface TimedTask {
    void run() throws SQLException;
  }

  /** Runs something several times after a first time. */
  static FileFigures of(String what, String engine, long bytes, int repeat, TimedTask task)
      throws SQLException {
    List<RunTime> times = new ArrayList<>();
    for (int i = 0; i <= repeat; i++) {
      times.add(RunTime.of(task));
    }
    return new FileFigures(what, engine, bytes, times);
  }

  private double median(ToDoubleFunction<RunTime> time) {
    double[] sorted = times.stream().skip(1).mapToDouble(time).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  private double wall() {
    return median(RunTime::wall);
  }

  private double cpu() {
    return median(RunTime::cpu);
  }

  static String heading() {
    return String.format(
        Locale.ROOT, ROW, "what", "engine", "first, CPU", "then, wall", "CPU", "GB/s", "GB/s CPU");
  }

  String row() {
    return String.format(
        Locale.ROOT,
        ROW,
        what,
        engine,
        millis(times.getFirst().cpu),
        millis(wall()),
        millis(cpu()),
        rate(wall()),
        rate(cpu()));
  }

  private static String millis(double nanos) {
    return String.format(Locale.ROOT, "%,.0f ms", nanos / 1e6);
  }

  private String rate(double nanos) {
    return bytes == 0 ? "" : String.format(Locale.ROOT, "%.3f", bytes / nanos);
  }

  /** All figures as CSV. */
  static String csv(List<FileFigures> all) {
    return new CsvColumns<FileFigures>()
        .add("what", FileFigures::what)
        .add("engine", FileFigures::engine)
        .add("bytes", FileFigures::bytes)
        .add("first_cpu_ms", "%.1f", one -> one.times.getFirst().cpu / 1e6)
        .add("wall_ms", "%.1f", one -> one.wall() / 1e6)
        .add("cpu_ms", "%.1f", one -> one.cpu() / 1e6)
        .add("gb_s", one -> one.rate(one.wall()))
        .add("gb_cpu_s", one -> one.rate(one.cpu()))
        .text(all);
  }
}
