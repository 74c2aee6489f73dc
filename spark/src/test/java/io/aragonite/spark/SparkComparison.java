package io.aragonite.spark;

import io.aragonite.dataset.DatasetCache;
import io.aragonite.spark.SparkBenchmark.SparkStatement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/**
 * A benchmark with Aragonite in Spark beside Spark alone: the same files, the same cores, the same
 * process, warm; answers are compared. Prints a line a statement, how many were right, and what was
 * left with Spark, by how often.
 */
public final class SparkComparison {
  /** How much of a float's value may differ: sums follow the order of rows. */
  private static final double TOLERANCE = 1e-9;

  private final SparkSide spark;
  private final TaskTimes times = new TaskTimes();
  private final ThreadTimes threads = new ThreadTimes();
  private final Map<String, Integer> left = new TreeMap<>();
  private Side theirTotal = Side.NONE;
  private Side ourTotal = Side.NONE;
  private int right;

  private SparkComparison(SparkSide spark) {
    this.spark = spark;
    spark.session().sparkContext().addSparkListener(times);
  }

  /**
   * @param args tpch or tpcds; scale, runs, master and numbers of queries may be left out
   */
  public static void main(String[] args) {
    double scale = args.length > 1 ? Double.parseDouble(args[1]) : 0.1;
    int runs = args.length > 2 ? Integer.parseInt(args[2]) : 3;
    String master = args.length > 3 ? args[3] : "local[*]";
    SparkBenchmark benchmark = SparkBenchmark.of(args[0], scale);
    List<SparkStatement> statements =
        args.length > 4
            ? benchmark.of(Arrays.stream(args[4].split(",", -1)).map(Integer::valueOf).toList())
            : benchmark.statements();
    Path folder =
        DatasetCache.defaultRoot().resolve("spark-" + args[0]).resolve(String.valueOf(scale));
    if (!SparkTables.complete(benchmark.data(), folder)) {
      make(benchmark, folder);
    }
    try (SparkSide spark = new SparkSide(master)) {
      SparkTables.open(spark.session(), benchmark.data(), folder);
      System.out.println(
          "query | Spark ms | Aragonite ms | ms of processors by Spark | by Aragonite | shuffled KiB by Spark | by Aragonite | ms of tasks but for scans | of that in fragments | left with Spark");
      SparkComparison comparison = new SparkComparison(spark);
      for (SparkStatement statement : statements) {
        comparison.compare(statement, runs);
      }
      comparison.summary(statements.size());
    }
  }

  /**
   * Makes the data in this process, whose rows executors of a cluster do not have, and with none of
   * the settings that are meant for the comparison.
   */
  private static void make(SparkBenchmark benchmark, Path folder) {
    Properties told = System.getProperties();
    Properties without = new Properties();
    told.stringPropertyNames().stream()
        .filter(name -> !name.startsWith("spark."))
        .forEach(name -> without.setProperty(name, told.getProperty(name)));
    System.setProperties(without);
    try (SparkSide local = new SparkSide("local[*]")) {
      SparkTables.open(local.session(), benchmark.data(), folder);
    } finally {
      System.setProperties(told);
    }
  }

  private void summary(int statements) {
    System.out.printf(
        Locale.ROOT,
        "total | %s | %d of %d right; %.0f %% of the time in fragments, %.0f %% of the time but for shuffles; tasks that Spark ended early took %.0f ms; ms of processors in all threads of this process: %.0f by Spark, %.0f by Aragonite%n",
        columns(theirTotal, ourTotal),
        right,
        statements,
        100 * ourTotal.fragments() / Math.max(ourTotal.tasks(), 1),
        100 * ourTotal.fragments() / Math.max(ourTotal.tasks() - ourTotal.shuffles(), 1),
        ourTotal.early(),
        theirTotal.process(),
        ourTotal.process());
    left.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .forEach(entry -> System.out.println(entry.getValue() + " | " + entry.getKey()));
  }

  /**
   * A query that has run, and its rows, or the condition of its error.
   *
   * @param error empty if there was none
   */
  private record Outcome(Dataset<Row> query, List<Row> rows, String error, double millis) {
    boolean sameAs(Outcome other) {
      return error.equals(other.error) && SparkSide.same(rows, other.rows, TOLERANCE);
    }
  }

  private Outcome run(String sql) {
    spark.awaitEvents();
    times.reset();
    threads.reset();
    Dataset<Row> query = spark.session().sql(sql);
    long start = System.nanoTime();
    List<Row> rows = List.of();
    String error = "";
    try {
      rows = query.collectAsList();
    } catch (RuntimeException e) {
      error = e instanceof SparkThrowable known ? known.getCondition() : e.toString();
    }
    return new Outcome(query, rows, error, (System.nanoTime() - start) / 1e6);
  }

  private <T> T without(Supplier<T> work) {
    return spark.with(List.of("spark.aragonite.enabled=false"), work);
  }

  /**
   * What a query took in one of the two ways.
   *
   * @param processors milliseconds of processors in its tasks
   * @param shuffled KiB
   * @param tasks milliseconds of its tasks but for scans
   * @param fragments of these, in fragments
   * @param shuffles of these, in Spark's shuffles of columns
   * @param early milliseconds of tasks that Spark ended early
   * @param process milliseconds of processors in all threads of this process
   */
  private record Side(
      double millis,
      double processors,
      double shuffled,
      double tasks,
      double fragments,
      double shuffles,
      double early,
      double process) {
    static final Side NONE = new Side(0, 0, 0, 0, 0, 0, 0, 0);

    Side plus(Side other) {
      return new Side(
          millis + other.millis,
          processors + other.processors,
          shuffled + other.shuffled,
          tasks + other.tasks,
          fragments + other.fragments,
          shuffles + other.shuffles,
          early + other.early,
          process + other.process);
    }
  }

  private Side side(Outcome outcome) {
    spark.awaitEvents();
    return new Side(
        outcome.millis(),
        times.processor(),
        SparkSide.shuffled(outcome.query()) / 1024.0,
        times.withoutScans(),
        times.inFragments(),
        times.inShuffles(),
        times.endedEarly(),
        threads.processor());
  }

  private void compare(SparkStatement statement, int runs) {
    List<Side> theirs = new ArrayList<>();
    List<Side> ours = new ArrayList<>();
    boolean same = true;
    Outcome last = null;
    for (int run = 0; run < runs; run++) {
      Outcome expected = without(() -> run(statement.sql()));
      theirs.add(side(expected));
      Outcome actual = run(statement.sql());
      ours.add(side(actual));
      same &= expected.sameAs(actual) || sameUnlimited(statement, expected, actual);
      last = actual;
    }
    print(statement, same, median(theirs), median(ours), last);
  }

  /** Of rows that are equal for the ORDER BY any may be the last. */
  private boolean sameUnlimited(SparkStatement statement, Outcome expected, Outcome actual) {
    return expected.error().equals(actual.error())
        && expected.rows().size() == actual.rows().size()
        && !statement.unlimited().equals(statement.sql())
        && without(() -> run(statement.unlimited())).sameAs(run(statement.unlimited()));
  }

  private void print(
      SparkStatement statement, boolean same, Side theirs, Side ours, @Nullable Outcome last) {
    right += same ? 1 : 0;
    theirTotal = theirTotal.plus(theirs);
    ourTotal = ourTotal.plus(ours);
    List<String> reasons = last == null ? List.of() : SparkSide.leftWithReasons(last.query());
    for (String reason : reasons) {
      left.merge(reason, 1, Integer::sum);
    }
    System.out.printf(
        "%s | %s | %s%s%n",
        statement.name(),
        columns(theirs, ours),
        String.join("; ", reasons.stream().distinct().toList()),
        same ? "" : " WRONG");
    if (last != null && !last.error().isEmpty()) {
      System.out.println("  both end with " + last.error());
    }
  }

  private static String columns(Side theirs, Side ours) {
    return String.format(
        Locale.ROOT,
        "%.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f",
        theirs.millis(),
        ours.millis(),
        theirs.processors(),
        ours.processors(),
        theirs.shuffled(),
        ours.shuffled(),
        ours.tasks(),
        ours.fragments());
  }

  /** The run whose time is in the middle. */
  private static Side median(List<Side> runs) {
    return runs.stream().sorted(Comparator.comparingDouble(Side::millis)).toList().get(runs.size() / 2);
  }
}
