package io.aragonite.spark;

import static java.util.Objects.requireNonNull;

import io.aragonite.spark.ComparisonFigures.Side;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The same statements on several numbers of executors of one size: the time of each beside the time
 * that it would take if it shrank as the executors grow in number, and where the processors' time
 * went.
 */
final class GrowthFigures {
  private final int cores;
  private final TreeMap<Integer, ComparisonFigures> figures;

  /** Statements that ran on all numbers of executors, warm if all are. */
  private final List<String> names;

  /**
   * @param cores of an executor
   * @param figures by the number of executors; there are some
   */
  GrowthFigures(int cores, Map<Integer, ComparisonFigures> figures) {
    this.cores = cores;
    this.figures = new TreeMap<>(figures);
    List<String> warm = everywhere(true);
    this.names = warm.isEmpty() ? everywhere(false) : warm;
  }

  private List<String> everywhere(boolean warm) {
    List<String> everywhere =
        new ArrayList<>(figures.firstEntry().getValue().measured(warm));
    figures.values().forEach(of -> everywhere.retainAll(of.measured(warm)));
    return everywhere;
  }

  /**
   * How many times as long as with perfect growth.
   *
   * @param millis on {@code count} executors
   * @param fewest on the fewest
   */
  private double overPerfect(double millis, int count, double fewest) {
    return millis * count / (fewest * figures.firstKey());
  }

  /** Prints a line a statement, their total, and where the time went. */
  void print(PrintStream out) {
    StringBuilder head = new StringBuilder("query");
    figures.keySet().forEach(count -> head.append(" | ms on ").append(count));
    figures.keySet().stream().skip(1)
        .forEach(count -> head.append(" | over perfect on ").append(count));
    out.println(head);
    for (String name : names) {
      out.println(line(name, List.of(name)));
    }
    out.println(line("total of " + names.size(), names));
    out.println(
        "executors | total ms | over perfect | ms of cores | of these in tasks | in fragments with scans"
            + " | in Spark's shuffles | elsewhere in tasks | without a task");
    boolean compared = theirs(figures.firstKey()).millis() > 0;
    for (int count : figures.keySet()) {
      out.println("%d, Aragonite | %s".formatted(count, shares(count, ours(count), ours(figures.firstKey()))));
      if (compared) {
        out.println("%d, Spark | %s".formatted(count, shares(count, theirs(count), theirs(figures.firstKey()))));
      }
    }
  }

  private Side ours(int count) {
    return requireNonNull(figures.get(count)).ours(names);
  }

  private Side theirs(int count) {
    return requireNonNull(figures.get(count)).theirs(names);
  }

  private String line(String name, List<String> of) {
    StringBuilder line = new StringBuilder(name);
    figures.values().forEach(
        each -> line.append(String.format(Locale.ROOT, " | %.0f", each.ours(of).millis())));
    double fewest = figures.firstEntry().getValue().ours(of).millis();
    figures.tailMap(figures.firstKey(), false)
        .forEach(
            (count, each) ->
                line.append(
                    String.format(
                        Locale.ROOT, " | %.2f", overPerfect(each.ours(of).millis(), count, fewest))));
    return line.toString();
  }

  /** In milliseconds of cores: what grows with the number of executors is what growth costs. */
  private String shares(int count, Side side, Side fewest) {
    TaskShares tasks = side.tasks();
    double all = side.millis() * count * cores;
    double fragments = tasks.inFragments() + tasks.scans();
    double shuffles = tasks.writes() + tasks.inputs();
    return String.format(
        Locale.ROOT,
        "%.0f | %.2f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f",
        side.millis(),
        overPerfect(side.millis(), count, fewest.millis()),
        all,
        tasks.run(),
        fragments,
        shuffles,
        tasks.run() - fragments - shuffles,
        Math.max(0, all - tasks.run() - tasks.early()));
  }
}
