package io.aragonite.adapter.table;

import io.aragonite.exec.spill.file.SpillSpace;
import java.util.Collection;
import java.util.function.Supplier;

/**
 * Gives up local copies of remote files that nobody reads when what may be used of the disk is
 * full: they are fetched again when they are wanted.
 */
final class CopyReclaimer implements AutoCloseable {
  private final AutoCloseable registration;

  /**
   * @param tables asked for on any thread, the longest open first
   */
  CopyReclaimer(SpillSpace space, Supplier<Collection<CachedTable>> tables) {
    this.registration = space.onFull(wanted -> giveUp(tables.get(), wanted));
  }

  private static void giveUp(Collection<CachedTable> tables, long wanted) {
    long freed = 0;
    for (CachedTable table : tables) {
      if (freed < wanted) {
        freed += table.giveUpCopies();
      }
    }
  }

  @Override
  public void close() {
    try {
      registration.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
