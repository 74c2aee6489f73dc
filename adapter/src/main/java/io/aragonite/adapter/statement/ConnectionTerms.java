package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.ConnectionAccess;
import io.aragonite.adapter.execution.RunObserver;
import org.jspecify.annotations.Nullable;

/**
 * On what terms a connection is handed out, which it cannot change.
 *
 * @param access what it sees; null: everything
 * @param runs is told of its runs
 */
public record ConnectionTerms(@Nullable ConnectionAccess access, RunObserver runs) {
  /** Everything. */
  public static final ConnectionTerms ALL = new ConnectionTerms(null, RunObserver.NONE);
}
