package io.aragonite.dataset;

import io.aragonite.dataset.QueryResult.Status;
import io.aragonite.dataset.QueryRunner.RunOptions;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Runs streams of queries, each through a connection of its own: one stream after the other, then
 * all at once. So it tells what sharing an engine costs. It prints a line for each stream, or the
 * queries that were not right, whose times mean nothing.
 *
 * <p>The streams at once are the query streams of TPC-H's throughput test (clause 5.3.4), without
 * the stream of refreshes.
 */
public final class QueryStreams implements BenchmarkRun {
  private static final double MILLIS_PER_HOUR = 3_600_000;

  /**
   * What came of a stream.
   *
   * @param millis from its first query to its last
   */
  private record Timed(RunReport report, double millis) {}

  /**
   * What came of running all streams in one of the two ways.
   *
   * @param streams in their order
   * @param elapsed milliseconds from the first query of any stream to the last of any
   */
  private record Round(List<Timed> streams, double elapsed) {}

  private final List<Connection> connections;
  private final List<List<BenchmarkQuery>> streams;
  private final boolean check;
  private final int repeats;
  private final PrintStream out;
  private final Object lock = new Object();
  private final List<QueryRunner> running = new ArrayList<>();
  private boolean cancelled;

  /**
   * Streams to run. The connections stay the caller's to close.
   *
   * @param connections one for each stream
   * @param streams the queries of each, in order
   * @param check whether to compare with the right answers, in each run of a query
   * @param repeats how often both ways are measured, at least 1; the best time of each counts.
   *     Before that each stream runs once, unmeasured.
   */
  public QueryStreams(
      List<Connection> connections,
      List<List<BenchmarkQuery>> streams,
      boolean check,
      int repeats,
      PrintStream out) {
    if (connections.size() != streams.size() || streams.isEmpty()) {
      throw new IllegalArgumentException(
          "%d connections for %d streams".formatted(connections.size(), streams.size()));
    }
    if (repeats < 1) {
      throw new IllegalArgumentException("repeats must be at least 1, but is " + repeats);
    }
    this.connections = List.copyOf(connections);
    this.streams = streams.stream().map(List::copyOf).toList();
    this.check = check;
    this.repeats = repeats;
    this.out = out;
  }

  @Override
  public RunReport run() {
    List<QueryResult> results = new ArrayList<>();
    Round first = alone();
    collect(first, results);
    @Nullable Round alone = null;
    @Nullable Round together = null;
    for (int i = 0; i < repeats && !isCancelled(); i++) {
      alone = better(alone, alone(), results);
      if (!isCancelled()) {
        together = better(together, together(), results);
      }
    }
    RunReport report = new RunReport(results, isCancelled());
    boolean failed = report.count(Status.FAILED) + report.count(Status.WRONG) > 0;
    if (alone != null && together != null && !failed && !report.interrupted()) {
      print(alone, together);
    }
    out.println(summary(report));
    return report;
  }

  @Override
  public void cancel() {
    List<QueryRunner> all;
    synchronized (lock) {
      cancelled = true;
      all = List.copyOf(running);
    }
    all.forEach(QueryRunner::cancel);
  }

  private boolean isCancelled() {
    synchronized (lock) {
      return cancelled || Thread.currentThread().isInterrupted();
    }
  }

  private Round better(@Nullable Round best, Round now, List<QueryResult> results) {
    collect(now, results);
    return best == null || now.elapsed < best.elapsed ? now : best;
  }

  private Round alone() {
    List<Timed> timed = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < streams.size() && !isCancelled(); i++) {
      timed.add(stream(i));
    }
    return new Round(timed, millisSince(start));
  }

  private Round together() {
    List<FutureTask<Timed>> tasks = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < streams.size(); i++) {
      int stream = i;
      FutureTask<Timed> task = new FutureTask<>(() -> stream(stream));
      tasks.add(task);
      threads.add(Thread.ofPlatform().name("aragonite-stream-" + (i + 1)).start(task));
    }
    threads.forEach(this::join);
    double elapsed = millisSince(start);
    return new Round(tasks.stream().map(FutureTask::resultNow).toList(), elapsed);
  }

  /** Waits for a stream; an interrupt cancels all of them first. */
  private void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
        cancel();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Timed stream(int stream) {
    PrintStream quiet =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    QueryRunner runner =
        new QueryRunner(
            connections.get(stream), new RunOptions(streams.get(stream), check, 1), quiet);
    synchronized (lock) {
      if (cancelled) {
        runner.cancel();
      }
      running.add(runner);
    }
    try {
      long start = System.nanoTime();
      return new Timed(runner.run(), millisSince(start));
    } finally {
      synchronized (lock) {
        running.remove(runner);
      }
    }
  }

  private static double millisSince(long start) {
    return (System.nanoTime() - start) / 1e6;
  }

  /** Keeps all results under names that say the stream, and prints those that are not right. */
  private void collect(Round round, List<QueryResult> results) {
    for (int i = 0; i < round.streams.size(); i++) {
      for (QueryResult result : round.streams.get(i).report.results()) {
        String name = "stream " + (i + 1) + ", " + result.query();
        results.add(
            new QueryResult(
                name, result.status(), result.millis(), result.rows(), result.message()));
        if (result.status() == Status.WRONG || result.status() == Status.FAILED) {
          out.println(name + " " + result.verdict());
        }
      }
    }
  }

  private void print(Round alone, Round together) {
    out.printf(Locale.ROOT, "%6s %12s %12s%n", "stream", "alone, ms", "at once, ms");
    for (int i = 0; i < streams.size(); i++) {
      out.printf(
          Locale.ROOT,
          "%6d %12.1f %12.1f%n",
          i + 1,
          alone.streams.get(i).millis,
          together.streams.get(i).millis);
    }
    int queries = streams.stream().mapToInt(List::size).sum();
    out.printf(
        Locale.ROOT,
        "one after the other %.1f ms, at once %.1f ms: %.2f times; %,.0f queries an hour%n",
        alone.elapsed,
        together.elapsed,
        together.elapsed / alone.elapsed,
        queries * MILLIS_PER_HOUR / together.elapsed);
  }

  private String summary(RunReport report) {
    StringBuilder text = new StringBuilder();
    text.append(streams.size()).append(" streams, ");
    text.append(report.results().size()).append(" queries run");
    if (check) {
      text.append(", ").append(report.count(Status.OK)).append(" right");
    }
    if (report.count(Status.FAILED) > 0) {
      text.append(", ").append(report.count(Status.FAILED)).append(" failed");
    }
    return text.append(report.interrupted() ? ", interrupted" : "").toString();
  }
}
