package io.aragonite.adapter.table;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.table.BlockRanges;
import io.aragonite.exec.table.TableColumnStatistics;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
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

  /** By what factor the distinct values of a column are others than plans took. */
  private static final double OTHER = 1.5;

  /** Locks it. Another query may load the column meanwhile, and this one end before it has. */
  void enter() {
    enter(this);
  }

  static void enter(ReentrantLock lock) {
    try {
      while (!lock.tryLock(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
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

  /** Held by who looks at some rows for plans, which may be beside who loads the column. */
  final ReentrantLock sampling = new ReentrantLock();

  /** What plans take for them as long as there are none. */
  transient volatile @Nullable TableColumnStatistics sampled;

  /**
   * Whether a device has the column and the host has not, so that figures of all values, which
   * plans would know from a column in memory, are still to be made.
   */
  transient volatile boolean uncountedElsewhere;

  /** Whether a device has decoded the column itself, so that a query had its values. */
  transient volatile boolean elsewhere;

  /** Whether values never descend; null while nobody has looked. */
  transient volatile @Nullable Boolean ascends;

  /**
   * What blocks of a column in memory have.
   *
   * @param ranges null for a column that cannot have them
   */
  record LoadedRanges(List<Column> pieces, @Nullable BlockRanges ranges) {
    /** Counting a column leaves its pieces as they are. */
    boolean areOf(@Nullable LoadedColumn column) {
      return column != null && pieces.equals(column.pieces());
    }
  }

  /** Null while nobody has looked. */
  transient volatile @Nullable LoadedRanges ranges;

  int pins;
  long lastUse;

  /** The column in memory, if it has not been counted; else null. */
  @Nullable LoadedColumn uncounted() {
    LoadedColumn present = column;
    return present == null || present.counted() ? null : present;
  }

  /**
   * Takes figures of all values in place of estimates.
   *
   * @return whether plans may become others by it: a plan costs more than a column that is a bit
   *     off
   */
  boolean publish(TableColumnStatistics found) {
    TableColumnStatistics before = sampled;
    statistics = found;
    sampled = null;
    if (before == null) {
      return false;
    }
    double ratio = Math.max(1, before.distinct()) / Math.max(1, found.distinct());
    return ratio > OTHER || ratio < 1 / OTHER;
  }
}
