package io.aragonite.exec.spill;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Where the queries of a device put rows that host memory does not hold: how much of the disk they
 * may use, and which of them has to give way when memory is short. Safe for several threads.
 */
public final class SpillSpace implements AutoCloseable {
  private final Path parent;
  private final long limit;
  private final AtomicLong used = new AtomicLong();
  private final SpillCodec codec = new SpillCodec();
  private final Set<QuerySpill> queries = ConcurrentHashMap.newKeySet();
  private final AutoCloseable registration;
  private @Nullable SpillFolder folder;

  /**
   * @param parent the folder in which this process has one of its own while it spills; null: the
   *     system's folder for temporary files
   * @param limit bytes of files at once at most
   * @param budget of the host memory in which spools are
   */
  public SpillSpace(@Nullable Path parent, long limit, MemoryBudget budget) {
    this.parent = parent == null ? Path.of(System.getProperty("java.io.tmpdir")) : parent;
    this.limit = limit;
    this.registration = budget.onLastShortage(this::reclaim);
  }

  SpillCodec codec() {
    return codec;
  }

  /** Bytes of files now. */
  public long used() {
    return used.get();
  }

  /** Queries that share the memory now, at least 1. */
  int queries() {
    return Math.max(1, queries.size());
  }

  void add(QuerySpill query) {
    queries.add(query);
  }

  void remove(QuerySpill query) {
    queries.remove(query);
  }

  /** A new file; the folder is made for the first one. */
  synchronized SpillFile newFile() {
    SpillFolder known = folder;
    if (known == null) {
      known = SpillFolder.open(parent);
      folder = known;
    }
    return new SpillFile(this, known);
  }

  void reserve(long bytes, Path where) {
    if (used.addAndGet(bytes) > limit) {
      used.addAndGet(-bytes);
      throw new AragoniteException(
          ErrorCode.DISK_FAILED,
          "Spill folder %s needs %,d bytes more, but of spillLimit=%,d bytes %,d are in use; raise it, or memory="
              .formatted(where, bytes, limit, used.get()));
    }
  }

  void release(long bytes) {
    used.addAndGet(-bytes);
  }

  /** Spills blocks, of the query that has most of them in memory first. */
  private long reclaim(long wanted) {
    long released = 0;
    while (released < wanted) {
      QuerySpill largest =
          queries.stream().max(Comparator.comparingLong(QuerySpill::spillable)).orElse(null);
      long now = largest == null ? 0 : largest.evict(wanted - released);
      if (now == 0) {
        return released + evictAnywhere(wanted - released);
      }
      released += now;
    }
    return released;
  }

  /** Where the largest holder's blocks are all in use. */
  private long evictAnywhere(long wanted) {
    long released = 0;
    for (QuerySpill query : queries) {
      if (released < wanted) {
        released += query.evict(wanted - released);
      }
    }
    return released;
  }

  /** Removes the folder, if there is one. */
  @Override
  public synchronized void close() {
    try {
      registration.close();
    } catch (Exception e) {
      throw new IllegalStateException("a registration does not throw", e);
    }
    if (folder != null) {
      folder.close();
      folder = null;
    }
  }
}
