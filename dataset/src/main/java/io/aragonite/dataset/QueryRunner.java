package io.aragonite.dataset;

import io.aragonite.dataset.QueryResult.Status;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs queries through a JDBC connection of any engine that has the tables under their plain names,
 * and prints a line for each: time, rows, and whether the answer is right.
 */
public final class QueryRunner implements BenchmarkRun {
  /**
   * What to run.
   *
   * @param queries the queries, in order
   * @param check whether to compare with their right answers
   * @param repeats how often each query is run, at least 1; the best time counts
   */
  public record RunOptions(List<BenchmarkQuery> queries, boolean check, int repeats) {
    /** Checks and copies. */
    public RunOptions {
      queries = List.copyOf(queries);
      if (repeats < 1) {
        throw new IllegalArgumentException("repeats must be at least 1, but is " + repeats);
      }
    }
  }

  private static final String DIVISION_BY_ZERO = "22012";

  private final Connection connection;
  private final RunOptions options;
  private final PrintStream out;
  private final Object lock = new Object();
  private @Nullable Statement running;
  private boolean cancelled;

  /** The connection stays the caller's to close. */
  public QueryRunner(Connection connection, RunOptions options, PrintStream out) {
    this.connection = connection;
    this.options = options;
    this.out = out;
  }

  @Override
  public RunReport run() {
    List<QueryResult> results = new ArrayList<>();
    out.printf(Locale.ROOT, "%5s %10s %8s  %s%n", "query", "ms", "rows", "answer");
    for (BenchmarkQuery query : options.queries) {
      QueryResult result = isCancelled() ? null : run(query);
      if (result == null || isCancelled()) {
        break;
      }
      results.add(result);
      out.printf(
          Locale.ROOT,
          "%5s %10.1f %8d  %s%n",
          query.name(),
          result.millis(),
          result.rows(),
          result.verdict());
    }
    RunReport report = new RunReport(results, isCancelled());
    out.println(summary(report));
    return report;
  }

  @Override
  public void cancel() {
    Statement statement;
    synchronized (lock) {
      cancelled = true;
      statement = running;
    }
    if (statement != null) {
      try {
        statement.cancel();
      } catch (SQLException e) {
        // it may just have ended; the run ends in any case
      }
    }
  }

  private boolean isCancelled() {
    synchronized (lock) {
      return cancelled || Thread.currentThread().isInterrupted();
    }
  }

  private QueryResult run(BenchmarkQuery query) {
    double best = Double.NaN;
    long rows = 0;
    try {
      Optional<ExpectedAnswer> expected = Optional.empty();
      try {
        expected = options.check ? query.source().answer() : expected;
      } catch (SQLException e) {
        if (DIVISION_BY_ZERO.equals(e.getSQLState())) {
          return divided(query);
        }
        throw new SQLException("there is no answer to check against: " + ErrorText.brief(e), e);
      }
      for (int i = 0; i < options.repeats && !isCancelled(); i++) {
        long start = System.nanoTime();
        Answer answer = execute(query.sql());
        double millis = (System.nanoTime() - start) / 1e6;
        best = i == 0 ? millis : Math.min(best, millis);
        rows = answer.rows().size();
        Optional<String> difference =
            expected.flatMap(wanted -> AnswerCheck.compare(wanted, answer));
        if (difference.isPresent()) {
          return new QueryResult(query.name(), Status.WRONG, best, rows, difference.get());
        }
      }
      Status status =
          !options.check ? Status.UNCHECKED : expected.isPresent() ? Status.OK : Status.NO_ANSWER;
      return new QueryResult(query.name(), status, best, rows, null);
    } catch (SQLException | RuntimeException e) {
      return new QueryResult(query.name(), Status.FAILED, best, rows, ErrorText.brief(e));
    }
  }

  /** A query that must fail, because its data make it divide by zero. */
  private QueryResult divided(BenchmarkQuery query) throws SQLException {
    long start = System.nanoTime();
    try {
      long rows = execute(query.sql()).rows().size();
      return new QueryResult(
          query.name(), Status.WRONG, Double.NaN, rows, "expected a division by zero");
    } catch (SQLException e) {
      if (!DIVISION_BY_ZERO.equals(e.getSQLState())) {
        throw e;
      }
      double millis = (System.nanoTime() - start) / 1e6;
      return new QueryResult(query.name(), Status.OK, millis, 0, null);
    }
  }

  private Answer execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      synchronized (lock) {
        if (cancelled) {
          throw new SQLException("cancelled");
        }
        running = statement;
      }
      try (ResultSet result = statement.executeQuery(sql)) {
        return Answer.of(result);
      }
    } finally {
      synchronized (lock) {
        running = null;
      }
    }
  }

  private String summary(RunReport report) {
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "total %10.1f ms", report.totalMillis()));
    if (options.check) {
      text.append(", ").append(report.count(Status.OK)).append(" of ");
      text.append(options.queries.size()).append(" right");
    }
    if (report.count(Status.FAILED) > 0) {
      text.append(", ").append(report.count(Status.FAILED)).append(" failed");
    }
    return text.append(report.interrupted() ? ", interrupted" : "").toString();
  }
}
