package io.aragonite.adapter.table;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A column's place in the cache, guarded by its lock. Whoever takes back memory only tries locks,
 * since loading holds one while it asks for memory.
 */
final class ColumnSlot extends ReentrantLock {
  private static final long serialVersionUID = 1L;

  /** How long somebody waits for a column between two looks whether the query is to end. */
  private static final long LOOK_MILLIS = 50;

  transient volatile @Nullable LoadedColumn column;

  /** Locks it. Another query may load the column meanwhile, and this one end before it has. */
  void enter() {
    try {
      while (!tryLock(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        StopCheck.current().check();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AragoniteException(ErrorCode.CANCELLED, "Loading was interrupted.", e);
    }
  }

  /** What parts of the column look like, once somebody has looked. */
  transient volatile @Nullable ColumnShape shape;

  /** How it lies in memory, as another process found out. */
  transient volatile @Nullable Storage storage;

  transient volatile @Nullable TableColumnStatistics statistics;

  /** What plans take for them as long as there are none. */
  transient volatile @Nullable TableColumnStatistics sampled;

  /** Whether values never descend; null while nobody has looked. */
  transient volatile @Nullable Boolean ascends;

  int pins;
  long lastUse;
}
