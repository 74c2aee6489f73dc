package io.aragonite.spark;

import io.aragonite.dataset.DatasetCache;
import io.aragonite.spark.ComparisonFigures.Side;
import io.aragonite.spark.SparkBenchmark.SparkStatement;
import io.aragonite.spark.execution.ExecutorEngine;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.SparkThrowable;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/**
 * A benchmark with Aragonite in Spark beside Spark alone: the same files, the same cores, the same
 * process; answers are compared. All statements run once, and then again: what has run when the time
 * is over is in the table that it prints last.
 */
public final class SparkComparison {
  /** How much of a float's value may differ: sums follow the order of rows. */
  private static final double TOLERANCE = 1e-9;

  private static final long LOOK_MILLIS = 500;

  private static final int WRONG_ARGUMENTS = 2;

  private final ComparisonOptions options;
  private final SparkSide spark;
  private final TaskTimes times = new TaskTimes();
  private final ThreadTimes threads = new ThreadTimes();
  private final ComparisonFigures figures = new ComparisonFigures();
  private volatile boolean over;
  private boolean printed;

  private SparkComparison(ComparisonOptions options, SparkSide spark) {
    this.options = options;
    this.spark = spark;
    spark.session().sparkContext().addSparkListener(times);
  }

  /**
   * @param args see {@link ComparisonOptions#of}
   */
  public static void main(String[] args) {
    if (ComparisonOptions.isHelp(args)) {
      System.out.println(ComparisonOptions.USAGE);
      return;
    }
    long start = System.nanoTime();
    ComparisonOptions options;
    SparkBenchmark benchmark;
    List<SparkStatement> statements;
    try {
      options = ComparisonOptions.of(args);
      benchmark = SparkBenchmark.of(options.benchmark(), options.scale());
      statements =
          options.numbers().isEmpty() ? benchmark.statements() : benchmark.of(options.numbers());
    } catch (IllegalArgumentException e) {
      System.err.printf("spark-%s: %s%n", args.length == 0 ? "" : args[0], e.getMessage());
      System.exit(WRONG_ARGUMENTS);
      return;
    }
    Path folder =
        DatasetCache.defaultRoot()
            .resolve("spark-" + options.benchmark())
            .resolve(String.valueOf(options.scale()));
    if (!SparkTables.complete(benchmark.data(), folder)) {
      System.out.printf("Making %s at scale %s in %s%n", options.benchmark(), options.scale(), folder);
      make(benchmark, folder);
      System.out.printf("Made in %.0f s%n", (System.nanoTime() - start) / 1e9);
    }
    if (options.runs() == 0) {
      return;
    }
    ComparedTables tables = new ComparedTables(benchmark, statements, folder);
    if (options.executors().isEmpty()) {
      compared(options, tables, start);
    } else {
      grown(options, tables, start);
    }
  }

  /** What is compared, and the files of the data. */
  private record ComparedTables(
      SparkBenchmark benchmark, List<SparkStatement> statements, Path folder) {}

  /** Runs all in one Spark, and prints their table. */
  private static ComparisonFigures compared(
      ComparisonOptions options, ComparedTables tables, long start) {
    try (SparkSide spark = new SparkSide(options.master())) {
      SparkTables.open(spark.session(), tables.benchmark().data(), tables.folder());
      SparkComparison comparison = new SparkComparison(options, spark);
      comparison.begin(tables.statements().size());
      comparison.runAll(tables.statements(), start);
      comparison.print(tables.statements().size());
      return comparison.figures;
    }
  }

  /**
   * Runs all on each number of executors, an equal share of the time each. The largest comes first:
   * this process, which plans and schedules, is warmest for the smallest, so growth is not told
   * better than it is.
   */
  private static void grown(ComparisonOptions options, ComparedTables tables, long start) {
    List<Integer> counts = options.executors().stream().distinct().sorted().toList();
    Map<Integer, ComparisonFigures> figures = new TreeMap<>();
    for (int i = counts.size() - 1; i >= 0; i--) {
      long now = System.nanoTime();
      long passed = TimeUnit.NANOSECONDS.toSeconds(now - start);
      int limit =
          options.seconds() == 0 ? 0 : (int) Math.max(1, (options.seconds() - passed) / (i + 1));
      ComparisonOptions sized = options.on(counts.get(i), limit);
      figures.put(counts.get(i), compared(sized, tables, now));
    }
    new GrowthFigures(options.cores(), figures).print(System.out);
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

  /** Says what will run where. The executors answer, so they are there. */
  private void begin(int statements) {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.session().sparkContext());
    List<Integer> tasks = IntStream.range(0, context.defaultParallelism()).boxed().toList();
    List<String> devices =
        context.parallelize(tasks, tasks.size()).map(task -> ExecutorEngine.get().deviceName())
            .distinct().collect();
    System.out.printf(
        Locale.ROOT,
        "%s at scale %s, %d statements, %d runs each, in %s of Spark %s, %d tasks at once on Java %s;"
            + " Aragonite runs on %s%s%s%n",
        options.benchmark(),
        options.scale(),
        statements,
        options.runs(),
        options.master(),
        context.version(),
        tasks.size(),
        Runtime.version(),
        String.join(", ", devices),
        options.alone() ? "; Spark alone does not run" : "; Spark alone runs each before it",
        options.seconds() > 0 ? "; ends after %d s".formatted(options.seconds()) : "");
  }

  /** Runs all, as often as is wanted, until the time is over. */
  private void runAll(List<SparkStatement> statements, long start) {
    // A process that is told to end has Spark end the query that runs, which says nothing then.
    Runtime.getRuntime().addShutdownHook(
        new Thread(
            () -> {
              over = true;
              print(statements.size());
            }));
    try (ScheduledExecutorService clock =
        Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory())) {
      if (options.seconds() > 0) {
        long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        long left = Math.max(0, TimeUnit.SECONDS.toMillis(options.seconds()) - passed);
        // Again and again, since a query may be between two of its jobs.
        clock.scheduleAtFixedRate(this::end, left, LOOK_MILLIS, TimeUnit.MILLISECONDS);
      }
      for (int run = 0; run < options.runs(); run++) {
        for (SparkStatement statement : statements) {
          if (!over) {
            compareUntilOver(statement);
          }
        }
      }
      clock.shutdownNow();
    }
  }

  private void compareUntilOver(SparkStatement statement) {
    try {
      compare(statement);
    } catch (RuntimeException e) {
      if (!over) { // else Spark is no longer there
        throw e;
      }
    }
  }

  /** Prints the table, once. */
  private synchronized void print(int wanted) {
    if (!printed) {
      printed = true;
      figures.print(System.out, wanted);
    }
  }

  private void end() {
    over = true;
    spark.session().sparkContext().cancelAllJobs();
  }

  /**
   * A query that has run, and its rows, or the condition of its error.
   *
   * @param query null: it could not be planned
   * @param error empty if there was none
   */
  private record Outcome(
      @Nullable Dataset<Row> query, List<Row> rows, String error, double millis) {
    boolean sameAs(Outcome other) {
      return error.equals(other.error) && SparkSide.same(rows, other.rows, TOLERANCE);
    }
  }

  private Outcome run(String sql) {
    spark.awaitEvents();
    times.reset();
    threads.reset();
    long start = System.nanoTime();
    Dataset<Row> query = null;
    List<Row> rows = List.of();
    String error = "";
    try {
      query = spark.session().sql(sql);
      start = System.nanoTime();
      rows = query.collectAsList();
    } catch (Exception e) { // Spark's methods throw what they do not declare
      error = e instanceof SparkThrowable known && known.getCondition() != null
          ? known.getCondition()
          : e.toString();
    }
    return new Outcome(query, rows, error, (System.nanoTime() - start) / 1e6);
  }

  private <T> T without(Supplier<T> work) {
    return spark.with(List.of("spark.aragonite.enabled=false"), work);
  }

  private Side side(Outcome outcome) {
    spark.awaitEvents();
    Dataset<Row> query = outcome.query();
    return new Side(
        outcome.millis(),
        query == null ? 0 : SparkSide.shuffled(query) / 1024.0,
        threads.processor(),
        times.shares());
  }

  private void compare(SparkStatement statement) {
    Outcome expected = options.alone() ? null : without(() -> run(statement.sql()));
    Side theirs = expected == null ? null : side(expected);
    Outcome actual = run(statement.sql());
    Side ours = side(actual);
    boolean same =
        expected == null
            ? actual.error().isEmpty()
            : expected.sameAs(actual) || sameUnlimited(statement, expected, actual);
    if (over) {
      return; // one of the two may have ended early
    }
    Dataset<Row> query = actual.query();
    List<String> left = query == null ? List.of() : SparkSide.leftWithReasons(query);
    synchronized (this) {
      figures.add(statement.name(), theirs, ours, same, left, actual.error());
    }
    System.out.printf(
        Locale.ROOT,
        "%s: %s %.0f ms by Aragonite, %.0f of processors%s%n",
        statement.name(),
        theirs == null
            ? ""
            : "%.0f ms by Spark, %.0f of processors;"
                .formatted(theirs.millis(), theirs.tasks().processors()),
        ours.millis(),
        ours.tasks().processors(),
        same ? "" : "; WRONG: %s, %s".formatted(text(expected), text(actual)));
  }

  private static String text(@Nullable Outcome outcome) {
    if (outcome == null) {
      return "not run";
    }
    return outcome.error().isEmpty() ? outcome.rows().size() + " rows" : outcome.error();
  }

  /** Of rows that are equal for the ORDER BY any may be the last. */
  private boolean sameUnlimited(SparkStatement statement, Outcome expected, Outcome actual) {
    return expected.error().equals(actual.error())
        && expected.rows().size() == actual.rows().size()
        && !statement.unlimited().equals(statement.sql())
        && without(() -> run(statement.unlimited())).sameAs(run(statement.unlimited()));
  }
}
