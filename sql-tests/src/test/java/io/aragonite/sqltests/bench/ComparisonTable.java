package io.aragonite.sqltests.bench;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Timings as text: a line for each query with the best time of each engine in milliseconds and its
 * ratio to that of the reference, the last engine; and the totals.
 *
 * @param engines names of the engines
 */
public record ComparisonTable(List<String> engines) {
  /** The names of the columns. */
  public String header() {
    StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-6s", "query"));
    for (int i = 0; i < engines.size(); i++) {
      line.append(String.format(Locale.ROOT, " %12s", engines.get(i)));
      if (i < engines.size() - 1) {
        line.append(String.format(Locale.ROOT, " %7s", "ratio"));
      }
    }
    return line.append("  rows").toString();
  }

  /** The line of one query. */
  public String line(List<Timing> timings) {
    double[] best = timings.stream().mapToDouble(Timing::best).toArray();
    StringBuilder line = new StringBuilder(numbers(timings.get(0).query(), best));
    line.append("  ").append(timings.getFirst().rows());
    for (Timing timing : timings) {
      if (timing.complaint() != null) {
        line.append("  ").append(timing.engine()).append(' ').append(timing.complaint());
      }
    }
    return line.toString();
  }

  /** The sums over those queries that ran on all engines. */
  public String total(List<List<Timing>> all) {
    List<List<Timing>> complete = complete(all);
    double[] sums =
        IntStream.range(0, engines.size())
            .mapToDouble(i -> complete.stream().mapToDouble(row -> row.get(i).best()).sum())
            .toArray();
    return numbers("total", sums) + "  " + complete.size() + " of " + all.size() + " queries";
  }

  /**
   * The geometric mean of the first engine's ratios to the reference, and the queries above a
   * ratio, worst first.
   */
  public static String ratios(List<List<Timing>> all, double above) {
    List<List<Timing>> slow =
        complete(all).stream()
            .filter(row -> ratio(row) > above)
            .sorted(Comparator.comparingDouble(ComparisonTable::ratio).reversed())
            .toList();
    return String.format(
        Locale.ROOT,
        "geometric mean of the ratios: %.2fx; above %.1fx: %d%s",
        meanRatio(all),
        above,
        slow.size(),
        slow.stream()
            .map(row -> String.format(Locale.ROOT, " %s %.1fx", row.getFirst().query(), ratio(row)))
            .collect(Collectors.joining(",", slow.isEmpty() ? "" : ":", "")));
  }

  /** The geometric mean of the first engine's ratios to the reference; 1 if there is none. */
  public static double meanRatio(List<List<Timing>> all) {
    return Math.exp(
        complete(all).stream().mapToDouble(row -> Math.log(ratio(row))).average().orElse(0));
  }

  /** The largest ratio of the first engine to the reference in any query; 0 if there is none. */
  public static double largestRatio(List<List<Timing>> all) {
    return complete(all).stream().mapToDouble(ComparisonTable::ratio).max().orElse(0);
  }

  /** The ratio of the first engine's total to that of the reference; NaN if there is none. */
  public static double totalRatio(List<List<Timing>> all) {
    double first = complete(all).stream().mapToDouble(row -> row.getFirst().best()).sum();
    return first / complete(all).stream().mapToDouble(row -> row.getLast().best()).sum();
  }

  /** All timings as comma-separated values, times in milliseconds. */
  public static String csv(List<List<Timing>> all) {
    StringBuilder text =
        new StringBuilder("query,engine,rows,best_ms,median_ms,worst_ms,problem\n");
    for (List<Timing> row : all) {
      for (Timing timing : row) {
        String complaint = timing.complaint() == null ? "" : timing.complaint();
        text.append(
            String.format(
                Locale.ROOT,
                "%s,%s,%d,%.3f,%.3f,%.3f,\"%s\"%n",
                timing.query(),
                timing.engine(),
                timing.rows(),
                timing.best(),
                timing.median(),
                timing.worst(),
                complaint.replace("\"", "\"\"")));
      }
    }
    return text.toString();
  }

  private static double ratio(List<Timing> row) {
    return row.getFirst().best() / row.getLast().best();
  }

  private static List<List<Timing>> complete(List<List<Timing>> all) {
    return all.stream().filter(row -> row.stream().allMatch(Timing::ran)).toList();
  }

  private static String numbers(String title, double[] best) {
    StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-6s", title));
    double reference = best[best.length - 1];
    for (int i = 0; i < best.length; i++) {
      line.append(String.format(Locale.ROOT, " %9.1f ms", best[i]));
      if (i < best.length - 1) {
        line.append(String.format(Locale.ROOT, " %6.2fx", best[i] / reference));
      }
    }
    return line.toString();
  }
}
