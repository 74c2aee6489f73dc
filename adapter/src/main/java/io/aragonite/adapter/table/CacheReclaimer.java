package io.aragonite.adapter.table;

import io.aragonite.exec.memory.MemoryBudget;
import java.util.Collection;
import java.util.function.Supplier;

/**
 * Gives loaded columns of some tables back when their budget needs the room, the longest unused
 * first.
 */
final class CacheReclaimer implements AutoCloseable {
  private final Supplier<Collection<CachedTable>> tables;
  private final AutoCloseable registration;

  /**
   * @param tables asked for on any thread
   */
  CacheReclaimer(MemoryBudget budget, Supplier<Collection<CachedTable>> tables) {
    this.tables = tables;
    this.registration = budget.onShortage(this::evict, this::held);
  }

  private long held() {
    return tables.get().stream().mapToLong(table -> table.cache().loadedBytes()).sum();
  }

  private long evict(long wanted) {
    Collection<CachedTable> all = tables.get();
    long freed = 0;
    while (freed < wanted) {
      long oldest = Long.MAX_VALUE;
      CachedTable holder = null;
      for (CachedTable table : all) {
        long use = table.cache().oldestUse();
        if (use < oldest) {
          oldest = use;
          holder = table;
        }
      }
      if (holder == null) {
        break;
      }
      freed += holder.cache().evict(oldest);
    }
    return freed;
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
