package io.aragonite.exec.device;

import io.aragonite.exec.memory.MemoryScope;
import io.aragonite.exec.memory.QueryMemory;
import java.util.List;
import java.util.stream.Stream;

/**
 * {@link MemoryScope} over all memory that a query takes from now on: the device's and the host's,
 * which are one account where the device's memory is the host's.
 */
public final class QueryScope implements AutoCloseable {
  private final List<MemoryScope> scopes;

  /** Begins to remember. */
  public QueryScope(ExecContext context) {
    scopes =
        Stream.of(context.memory(), context.hostMemory())
            .distinct()
            .map(QueryMemory::scope)
            .toList();
  }

  /** What is taken from now on is not the scope's. */
  public void end() {
    scopes.forEach(MemoryScope::end);
  }

  /** Frees what is left of the scope's buffers. */
  @Override
  public void close() {
    scopes.forEach(MemoryScope::close);
  }
}
