package io.aragonite.adapter.server;

import io.aragonite.adapter.console.QueryLog;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What the servers of a process let their clients do, and by which tokens they come; all of them
 * share it.
 *
 * @param access the access file: who may read what; null: everybody may read everything
 * @param audit where it is kept who has asked what
 * @param admission how many statements run at once
 * @param queries what runs, and what ran last
 * @param tokens who comes by a token; null: nobody
 * @param traces is told of statements; null: nobody is
 */
public record ServerRules(
    @Nullable Path access,
    AuditLog audit,
    Admission admission,
    QueryLog queries,
    @Nullable BearerTokens tokens,
    @Nullable StatementTraces traces) {
  /** With a log of queries of its own. */
  public ServerRules(@Nullable Path access, AuditLog audit, Admission admission) {
    this(access, audit, admission, null);
  }

  /** With a log of queries of its own, and tokens. */
  public ServerRules(
      @Nullable Path access, AuditLog audit, Admission admission, @Nullable BearerTokens tokens) {
    this(access, audit, admission, new QueryLog(), tokens, null);
  }

  /** The same with traces. */
  public ServerRules withTraces(@Nullable StatementTraces other) {
    return new ServerRules(access, audit, admission, queries, tokens, other);
  }

  /** No rules. */
  public static ServerRules none() {
    return new ServerRules(null, AuditLog.off(), Admission.unlimited());
  }
}
