package io.aragonite.exec.device;

import io.aragonite.exec.expr.ExpressionCompiler;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;

/**
 * The one seam between processors: what it is, its memory, its primitives, its expression compiler.
 * Safe for several threads.
 */
public interface Device extends AutoCloseable {
  /** For instance {@code cpu} or {@code cuda:0}. */
  String name();

  DeviceProperties properties();

  /** The budget of the device's own memory. */
  MemoryBudget memory();

  /**
   * An account for one query with {@link #memory}.
   *
   * @param limitBytes what the query may hold at most; 0: as much as the budget has
   */
  QueryMemory newQueryMemory(long limitBytes);

  Primitives primitives();

  ExpressionCompiler expressions();

  @Override
  void close();
}
