package io.aragonite.dataset;

import io.aragonite.dataset.QueryResult.Status;
import java.util.List;

/**
 * What came of a run.
 *
 * @param results one for each query that was begun, in the order of running
 * @param interrupted whether the run ended before all queries were done
 */
public record RunReport(List<QueryResult> results, boolean interrupted) {
  /** Exit status of an interrupted program, as shells have it for SIGINT. */
  public static final int INTERRUPTED = 130;

  /** Copies the list. */
  public RunReport {
    results = List.copyOf(results);
  }

  /** The number of queries with an outcome. */
  public long count(Status status) {
    return results.stream().filter(result -> result.status() == status).count();
  }

  /** The sum of the times of all queries that ran, in milliseconds. */
  public double totalMillis() {
    return results.stream().mapToDouble(QueryResult::millis).filter(Double::isFinite).sum();
  }

  /**
   * What a program should exit with: 0 if nothing went wrong; 1 if a query failed or was wrong; 2
   * if a check was wanted but an answer to check against is missing; 130 if interrupted.
   */
  public int exitStatus() {
    if (interrupted) {
      return INTERRUPTED;
    }
    if (count(Status.WRONG) + count(Status.FAILED) > 0) {
      return 1;
    }
    return count(Status.NO_ANSWER) > 0 ? 2 : 0;
  }
}
