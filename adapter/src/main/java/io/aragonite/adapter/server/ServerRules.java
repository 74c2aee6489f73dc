package io.aragonite.adapter.server;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What the servers of a process let their clients do; all of them share it.
 *
 * @param access the access file: who may read what; null: everybody may read everything
 */
public record ServerRules(@Nullable Path access) {
  /** No rules. */
  public static ServerRules none() {
    return new ServerRules(null);
  }
}
