package io.aragonite.adapter.table;

import io.aragonite.adapter.format.FilePaths;
import io.aragonite.adapter.format.Unpacking;
import io.aragonite.exec.memory.MemoryBudget;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The tables that a connection has of its own: files that its statements name. Columns that are
 * loaded stay in memory until the budget needs their room. A table that another one has replaced is
 * closed when no statement that may have planned with it runs any more. Safe for several threads.
 */
public final class SessionTables implements AutoCloseable {
  /** Tables of files that are kept at once. */
  private static final int MOST_OPEN = 256;

  private final NamedFiles files;
  private final LoadWorkers workers;
  private final MemoryBudget budget;
  private final BooleanSupplier quiet;
  private final CacheReclaimer reclaimer;
  private final List<CachedTable> open = new CopyOnWriteArrayList<>();
  private final List<CachedTable> retired = new ArrayList<>();
  private final Map<FileRequest, Named> named = new LinkedHashMap<>(16, 0.75f, true);

  /** A table of files, and those of some of them that plans have asked for. */
  private record Named(
      NamedFiles.Found found, CachedTable table, Map<BitSet, CachedTable> subsets) {}

  /**
   * @param quiet whether no statement runs but the one that asks
   */
  public SessionTables(
      MemoryBudget budget,
      Unpacking unpacking,
      int threads,
      FilePaths paths,
      BooleanSupplier quiet) {
    this.workers = new LoadWorkers(threads);
    this.budget = budget;
    this.files = new NamedFiles(budget, unpacking, workers, paths);
    this.quiet = quiet;
    this.reclaimer = new CacheReclaimer(budget, this::open);
  }

  private Collection<CachedTable> open() {
    return open;
  }

  /**
   * The table of files, which is the same one as long as they do not change.
   *
   * @throws io.aragonite.exec.error.AragoniteException what can be wrong with files and their names
   */
  public CachedTable files(FileRequest request) {
    NamedFiles.Found found = files.find(request);
    synchronized (this) {
      Named known = named.get(request);
      if (known != null && known.found.equals(found)) {
        return known.table;
      }
    }
    CachedTable table = files.open(request, found);
    synchronized (this) {
      Named before = named.put(request, new Named(found, table, new HashMap<>()));
      open.add(table);
      if (before != null) {
        retire(before);
      }
      if (named.size() > MOST_OPEN) {
        FileRequest eldest = named.keySet().iterator().next();
        retire(named.remove(eldest));
      }
      closeRetired();
    }
    return table;
  }

  /** A table of some of another one's files. */
  public synchronized CachedTable subset(CachedTable whole, BitSet chosen) {
    for (Named one : named.values()) {
      if (one.table == whole && whole.file() instanceof PartedFile parted) {
        return one.subsets.computeIfAbsent(
            chosen,
            key -> {
              CachedTable table = whole.over(parted.subset(key));
              open.add(table);
              return table;
            });
      }
    }
    return whole;
  }

  private void retire(@Nullable Named old) {
    if (old != null) {
      retired.addAll(old.subsets.values());
      retired.add(old.table);
    }
  }

  private void closeRetired() {
    if (quiet.getAsBoolean()) {
      open.removeAll(retired);
      retired.forEach(CachedTable::close);
      retired.clear();
    }
  }

  /** When nothing reads the tables any more. */
  @Override
  public void close() {
    reclaimer.close();
    List<CachedTable> all;
    synchronized (this) {
      named.values().forEach(this::retire);
      named.clear();
      all = List.copyOf(retired);
      retired.clear();
      open.clear();
    }
    all.forEach(CachedTable::close);
  }
}
