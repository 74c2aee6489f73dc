package io.aragonite.spark;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the runs of a comparison took, a line a statement, and all of them together. */
final class ComparisonFigures {
  private static final String HEAD =
      "query | runs | Spark ms | Aragonite ms | ratio | ms of processors by Spark | by Aragonite"
          + " | ratio | shuffled KiB by Spark | by Aragonite | ms of tasks but for scans"
          + " | of that in fragments | left with Spark";

  private final Map<String, StatementRuns> statements = new LinkedHashMap<>();

  /**
   * What a query took in one of the two ways.
   *
   * @param shuffled KiB
   * @param process milliseconds of processors in all threads of this process
   */
  record Side(double millis, double shuffled, double process, TaskShares tasks) {
    static final Side NONE = new Side(0, 0, 0, TaskShares.NONE);

    Side plus(Side other) {
      return new Side(
          millis + other.millis,
          shuffled + other.shuffled,
          process + other.process,
          tasks.plus(other.tasks));
    }
  }

  /** All runs of a statement so far. */
  private static final class StatementRuns {
    private final List<Side> theirs = new ArrayList<>();
    private final List<Side> ours = new ArrayList<>();
    private List<String> left = List.of();
    private String error = "";
    private boolean right = true;
  }

  /**
   * Takes a run of both.
   *
   * @param theirs null: Spark did not run
   * @param same whether the answers were
   * @param left what stayed with Spark
   * @param error of the run with Aragonite; empty if there was none
   */
  void add(
      String statement,
      @Nullable Side theirs,
      Side ours,
      boolean same,
      List<String> left,
      String error) {
    StatementRuns runs = statements.computeIfAbsent(statement, name -> new StatementRuns());
    if (theirs != null) {
      runs.theirs.add(theirs);
    }
    runs.ours.add(ours);
    runs.right &= same;
    runs.left = left;
    runs.error = error;
  }

  /**
   * The run whose time is in the middle, the later of two; the first, which is cold, if it is the
   * only one.
   */
  static Side median(List<Side> runs) {
    List<Side> warm = runs.size() > 1 ? runs.subList(1, runs.size()) : runs;
    return warm.stream()
        .sorted(Comparator.comparingDouble(Side::millis))
        .skip(warm.size() / 2)
        .findFirst()
        .orElse(Side.NONE);
  }

  /**
   * Statements in their order.
   *
   * @param warm whether only those that ran again behind their first, cold run
   */
  List<String> measured(boolean warm) {
    return statements.entrySet().stream()
        .filter(entry -> !warm || entry.getValue().ours.size() > 1)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Of some statements together, in Spark alone. */
  Side theirs(List<String> names) {
    return names.stream().map(name -> median(runs(name).theirs)).reduce(Side.NONE, Side::plus);
  }

  /** Of some statements together, with Aragonite. */
  Side ours(List<String> names) {
    return names.stream().map(name -> median(runs(name).ours)).reduce(Side.NONE, Side::plus);
  }

  private StatementRuns runs(String name) {
    return statements.getOrDefault(name, new StatementRuns());
  }

  /**
   * Prints it.
   *
   * @param wanted how many statements there are to run
   */
  void print(PrintStream out, int wanted) {
    out.println(HEAD);
    Side theirs = Side.NONE;
    Side ours = Side.NONE;
    int right = 0;
    int runs = 0;
    Map<String, Integer> left = new TreeMap<>();
    for (Map.Entry<String, StatementRuns> entry : statements.entrySet()) {
      StatementRuns of = entry.getValue();
      Side their = median(of.theirs);
      Side our = median(of.ours);
      theirs = theirs.plus(their);
      ours = ours.plus(our);
      right += of.right ? 1 : 0;
      runs += of.ours.size();
      of.left.forEach(reason -> left.merge(reason, 1, Integer::sum));
      out.printf(
          "%s | %s | %s%s%s%n",
          entry.getKey(),
          columns(of.ours.size(), their, our),
          String.join("; ", of.left.stream().distinct().toList()),
          of.right ? "" : " WRONG",
          of.error.isEmpty() ? "" : " ends with " + of.error);
    }
    out.printf("total | %s |%n", columns(runs, theirs, ours));
    out.printf(
        "%d of %d right%s%n",
        right,
        wanted,
        statements.size() < wanted ? "; %d did not run".formatted(wanted - statements.size()) : "");
    out.println(ours.tasks().text());
    out.printf(
        Locale.ROOT,
        "ms of processors in all threads of this process: %.0f by Spark, %.0f by Aragonite%n",
        theirs.process(),
        ours.process());
    left.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .forEach(entry -> out.println(entry.getValue() + " | " + entry.getKey()));
  }

  private static String columns(int runs, Side theirs, Side ours) {
    return String.format(
        Locale.ROOT,
        "%d | %.0f | %.0f | %s | %.0f | %.0f | %s | %.0f | %.0f | %.0f | %.0f",
        runs,
        theirs.millis(),
        ours.millis(),
        ratio(ours.millis(), theirs.millis()),
        theirs.tasks().processors(),
        ours.tasks().processors(),
        ratio(ours.tasks().processors(), theirs.tasks().processors()),
        theirs.shuffled(),
        ours.shuffled(),
        ours.tasks().withoutScans(),
        ours.tasks().inFragments());
  }

  private static String ratio(double ours, double theirs) {
    return theirs <= 0 ? "" : String.format(Locale.ROOT, "%.2f", ours / theirs);
  }
}
