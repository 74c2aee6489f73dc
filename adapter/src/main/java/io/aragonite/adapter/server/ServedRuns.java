package io.aragonite.adapter.server;

import io.aragonite.adapter.access.UserAccess;
import io.aragonite.adapter.access.UserLimits;
import io.aragonite.adapter.console.LoggedQuery;
import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.RunObserver;
import org.jspecify.annotations.Nullable;

/** The runs of a client's connection: within the limits of its user, and in the audit log. */
final class ServedRuns implements RunObserver {
  private final ServerRules rules;
  private final UserLimits limits;
  private final boolean restricted;

  /**
   * @param access of the connection's user
   */
  ServedRuns(ServerRules rules, UserAccess access) {
    this.rules = rules;
    limits = access.limits();
    restricted = access.tables() != null;
  }

  @Override
  public void begin(Execution run, String sql) {
    ClientRequest request = ClientRequest.current();
    ClientIdentity client = ClientRequest.client(request);
    long begin = System.nanoTime();
    if (request != null) {
      request.runs(run.id());
    }
    StatementTraces traces = rules.traces();
    StatementTraces.TracedRun traced = traces == null ? null : traces.begin(request, run, sql);
    LoggedQuery logged = rules.queries().begin(client, run, sql, restricted);
    Runnable told = () -> told(client, run, sql, begin, logged, traced);
    run.delivered().limit(limits.rows(), limits.bytes());
    run.limitMemory(limits.memory());
    run.user(client.user());
    Admission.Turn turn;
    try {
      turn =
          rules
              .admission()
              .enter(
                  client.user(),
                  limits.queries() == null ? Integer.MAX_VALUE : limits.queries(),
                  run);
    } catch (Throwable e) {
      run.failed(e);
      told.run();
      throw e;
    }
    logged.admitted();
    if (traced != null) {
      traced.admitted();
    }
    run.onWait(turn);
    run.onEnd(() -> {
      try {
        told.run(); // before the server may take itself for quiet, and close its logs
      } finally {
        turn.end();
      }
    });
  }

  /**
   * Tells all who are to know that a run has ended; what one of them fails by keeps none of the
   * others.
   */
  private void told(
      ClientIdentity client,
      Execution run,
      String sql,
      long begin,
      LoggedQuery logged,
      StatementTraces.@Nullable TracedRun traced) {
    try {
      rules.audit().statement(client, run, sql, System.nanoTime() - begin);
    } finally {
      try {
        logged.ended();
      } finally {
        if (traced != null) {
          traced.ended();
        }
      }
    }
  }

  @Override
  public void notPrepared(String sql, Throwable error) {
    ClientRequest request = ClientRequest.current();
    ClientIdentity client = ClientRequest.client(request);
    if (rules.traces() != null) {
      rules.traces().notPrepared(request, sql, error);
    }
    rules.queries().notPrepared(client, sql, error);
    rules.audit().notPrepared(client, sql, error);
  }
}
