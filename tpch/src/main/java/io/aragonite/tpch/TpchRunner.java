package io.aragonite.tpch;

import io.aragonite.tpch.QueryResult.Status;
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
 * Runs TPC-H queries through a JDBC connection of any engine that has the tables under their plain
 * names, and prints a line for each: time, rows, and whether the answer is right.
 *
 * <p>{@link #run} is called by one thread; {@link #cancel} may be called by another, for instance a
 * shutdown hook.
 */
public final class TpchRunner {
  /**
   * What to run.
   *
   * @param scale the scale factor of the tables
   * @param queries the queries, in order
   * @param check whether to compare with {@link Answer#stored}
   * @param repeats how often each query is run, at least 1; the best time counts
   */
  public record Options(double scale, List<TpchQuery> queries, boolean check, int repeats) {
    /** Checks and copies. */
    public Options {
      queries = List.copyOf(queries);
      if (repeats < 1) {
        throw new IllegalArgumentException("repeats must be at least 1, but is " + repeats);
      }
    }

    /** All 22 queries, checked, once. */
    public static Options standard(double scale) {
      return new Options(scale, TpchQuery.all(), true, 1);
    }
  }

  private final Connection connection;
  private final Options options;
  private final PrintStream out;
  private final Object lock = new Object();
  private @Nullable Statement running;
  private boolean cancelled;

  /** The connection stays the caller's to close. */
  public TpchRunner(Connection connection, Options options, PrintStream out) {
    this.connection = connection;
    this.options = options;
    this.out = out;
  }

  /**
   * Runs the queries. One that fails is reported, and the next one is run. An interrupt of this
   * thread ends the run after the query at work; its flag stays set.
   */
  public RunReport run() {
    List<QueryResult> results = new ArrayList<>();
    out.printf(Locale.ROOT, "%5s %10s %8s  %s%n", "query", "ms", "rows", "answer");
    for (TpchQuery query : options.queries) {
      QueryResult result = isCancelled() ? null : run(query);
      if (result == null || isCancelled()) {
        break;
      }
      results.add(result);
      out.printf(
          Locale.ROOT,
          "%5s %10.1f %8d  %s%n",
          query,
          result.millis(),
          result.rows(),
          result.verdict());
    }
    RunReport report = new RunReport(results, isCancelled());
    out.println(summary(report));
    return report;
  }

  /** Ends the run: cancels the statement at work and starts no other. */
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

  private QueryResult run(TpchQuery query) {
    double best = Double.NaN;
    long rows = 0;
    try {
      String sql = query.sql(options.scale);
      Optional<Answer> stored =
          options.check ? Answer.stored(options.scale, query) : Optional.empty();
      for (int i = 0; i < options.repeats && !isCancelled(); i++) {
        long start = System.nanoTime();
        Answer answer = execute(sql);
        double millis = (System.nanoTime() - start) / 1e6;
        best = i == 0 ? millis : Math.min(best, millis);
        rows = answer.rows().size();
        Optional<String> difference =
            stored.flatMap(expected -> AnswerCheck.compare(expected, answer, query.orderBy()));
        if (difference.isPresent()) {
          return new QueryResult(query.number(), Status.WRONG, best, rows, difference.get());
        }
      }
      Status status =
          !options.check ? Status.UNCHECKED : stored.isPresent() ? Status.OK : Status.NO_ANSWER;
      return new QueryResult(query.number(), status, best, rows, null);
    } catch (SQLException | RuntimeException e) {
      return new QueryResult(query.number(), Status.FAILED, best, rows, ErrorText.brief(e));
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
