package io.aragonite.adapter.table;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The kept statistics of one table: read when they are first asked for, and written beside queries
 * a while after something new is known, or when the table is closed. Safe for several threads; it
 * takes no other lock but its own.
 */
final class KeptStatistics {
  /** So long after a figure is new, all are written, as more will follow. */
  private static final long DELAY_MILLIS = 2000;

  private final @Nullable StatisticsStore store;
  private final FileStamp stamp;
  private final Supplier<StoredStatistics> known;
  private @Nullable StoredStatistics stored;
  private boolean dirty;
  private boolean waiting;
  private boolean closed;

  /**
   * @param store null: nothing is kept
   * @param stamp of the table's files
   * @param known what the table knows now
   */
  KeptStatistics(
      @Nullable StatisticsStore store, FileStamp stamp, Supplier<StoredStatistics> known) {
    this.store = store;
    this.stamp = stamp;
    this.known = known;
  }

  /**
   * What other processes found out.
   *
   * @param columns of the table
   * @param rows of the table
   */
  synchronized StoredStatistics stored(int columns, long rows) {
    StoredStatistics found = stored;
    if (found == null) {
      found =
          store == null || stamp.state().isEmpty()
              ? StoredStatistics.NONE
              : store.load(stamp.path(), stamp.state(), columns, rows);
      stored = found;
    }
    return found;
  }

  /** What other processes found out counts no more. */
  synchronized void forget() {
    stored = StoredStatistics.NONE;
  }

  /** The file has other values than its figures: they count no more, and none are kept. */
  synchronized void discard() {
    stored = StoredStatistics.NONE;
    dirty = false;
    closed = true;
    if (store != null) {
      store.remove(stamp.path());
    }
  }

  /** Something new is known. */
  synchronized void changed() {
    if (store == null || closed) {
      return;
    }
    dirty = true;
    if (!waiting) {
      waiting = true;
      CompletableFuture.delayedExecutor(DELAY_MILLIS, TimeUnit.MILLISECONDS).execute(this::later);
    }
  }

  private synchronized void later() {
    waiting = false;
    if (!closed) {
      save();
    }
  }

  /** Writes what is new; whatever changes later is not kept. */
  synchronized void close() {
    closed = true;
    save();
  }

  private void save() {
    if (store == null || !dirty) {
      return;
    }
    dirty = false;
    // Figures of a file that has changed while it was read are of neither state.
    if (!stamp.state().isEmpty() && stamp.isCurrent()) {
      StoredStatistics others = stored == null ? StoredStatistics.NONE : stored;
      store.save(stamp.path(), stamp.state(), known.get().with(others));
    }
  }
}
