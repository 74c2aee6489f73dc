package io.aragonite.adapter.server;

import io.aragonite.adapter.access.UserLimits;
import io.aragonite.adapter.execution.ClientIdentity;
import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.RunObserver;

/** The runs of a client's connection: within the limits of its user, and in the audit log. */
final class ServedRuns implements RunObserver {
  private final ServerRules rules;
  private final UserLimits limits;

  ServedRuns(ServerRules rules, UserLimits limits) {
    this.rules = rules;
    this.limits = limits;
  }

  @Override
  public void begin(Execution run, String sql) {
    ClientIdentity client = ClientRequest.client(ClientRequest.current());
    long begin = System.nanoTime();
    run.limitResult(limits.rows(), limits.bytes());
    run.onEnd(() -> rules.audit().statement(client, run, sql, System.nanoTime() - begin));
  }

  @Override
  public void notPrepared(String sql, Throwable error) {
    rules.audit().notPrepared(ClientRequest.client(ClientRequest.current()), sql, error);
  }
}
