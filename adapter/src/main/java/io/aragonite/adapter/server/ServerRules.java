package io.aragonite.adapter.server;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What the servers of a process let their clients do; all of them share it.
 *
 * @param access the access file: who may read what; null: everybody may read everything
 * @param audit where it is kept who has asked what
 * @param admission how many statements run at once
 */
public record ServerRules(@Nullable Path access, AuditLog audit, Admission admission) {
  /** No rules. */
  public static ServerRules none() {
    return new ServerRules(null, AuditLog.off(), Admission.unlimited());
  }
}
