package io.aragonite.adapter.table;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.FilePaths;
import io.aragonite.adapter.format.Unpacking;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.spill.file.SpillSpace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The tables that a connection has of its own: those that it has made, and files that its
 * statements name. Columns that are loaded stay in memory until the budget needs their room. A
 * table that another one has replaced is closed when no statement that may have planned with it
 * runs any more. Safe for several threads.
 */
public final class SessionTables implements TableSubsets, AutoCloseable {
  /** Rows of segments that are not worth files of their own: INSERTs of single rows. */
  private static final long MERGED_ROWS = 1 << 16;

  /** Tables of files that are kept at once. */
  private static final int MOST_OPEN = 256;

  private final NamedFiles files;
  private final LoadWorkers workers;
  private final MemoryBudget budget;
  private final SpillSpace space;
  private final BooleanSupplier quiet;
  private final CacheReclaimer reclaimer;
  private final CopyReclaimer copies;
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
    this.workers = new LoadWorkers(threads, budget);
    this.budget = budget;
    this.space = unpacking.space();
    this.files = new NamedFiles(budget, unpacking, workers, paths);
    this.quiet = quiet;
    this.reclaimer = new CacheReclaimer(budget, this::open);
    this.copies = new CopyReclaimer(space, this::open);
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

  @Override
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

  /** A writer of rows for {@link #stored} and {@link #appended}. */
  public SegmentWriter writer(BufferAllocator allocator) {
    return new SegmentWriter(space, allocator);
  }

  /**
   * The keys of rows that a table has, or is to have.
   *
   * @param base of the rows that it has; null: none
   * @return null if it has no keys
   */
  public @Nullable TableKeys keys(String table, TableRules rules, @Nullable TableKeys base) {
    return rules.keys().isEmpty() ? null : new TableKeys(table, rules.keys(), budget, base);
  }

  /**
   * A new table of this connection.
   *
   * @param rows its first rows; null: none
   */
  public CachedTable stored(String name, List<FileColumn> columns, @Nullable SegmentWriter rows)
      throws IOException {
    if (rows == null) {
      return version(name, columns, List.of());
    }
    TableSegment segment = rows.finish();
    try {
      return version(name, columns, List.of(segment));
    } finally {
      segment.release();
    }
  }

  /** The next version of a table, which has more rows. The former one stays as it is. */
  public CachedTable appended(CachedTable table, SegmentWriter rows, BufferAllocator allocator)
      throws IOException {
    SegmentedFile before = (SegmentedFile) table.file();
    List<TableSegment> segments = new ArrayList<>(before.segments());
    segments.add(rows.finish());
    TableSegment last = segments.getLast();
    try {
      int from = segments.size() - 1;
      long small = last.rows();
      while (from > 0 && small + segments.get(from - 1).rows() <= MERGED_ROWS) {
        small += segments.get(--from).rows();
      }
      if (from < segments.size() - 1) {
        List<TableSegment> tail = segments.subList(from, segments.size());
        TableSegment merged = SegmentWriter.merged(space, allocator, List.copyOf(tail));
        last.release();
        last = merged;
        tail.clear();
        segments.add(merged);
      }
      return version(table.name(), before.columns(), segments);
    } finally {
      last.release();
    }
  }

  /** Where the rows are. */
  public Path spillFolder() {
    return space.parent();
  }

  /** A table with another name and the same rows. */
  public CachedTable renamed(CachedTable table, String name) {
    SegmentedFile file = (SegmentedFile) table.file();
    return version(name, file.columns(), file.segments());
  }

  private CachedTable version(String name, List<FileColumn> columns, List<TableSegment> segments) {
    SegmentedFile file = new SegmentedFile(columns, segments);
    Path place = segments.isEmpty() ? Path.of(name) : segments.getLast().scratch().path();
    CachedTable table =
        new CachedTable(name, new FileStamp(place), file, budget, workers, true, null);
    open.add(table);
    return table;
  }

  /** Has a table end when nobody reads it any more. */
  public synchronized void retire(CachedTable table) {
    retired.add(table);
    closeRetired();
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
    copies.close();
    List<CachedTable> all;
    synchronized (this) {
      named.values().forEach(this::retire);
      named.clear();
      retired.clear();
      all = List.copyOf(open);
      open.clear();
    }
    all.reversed().forEach(CachedTable::close); // parts before the wholes that own their files
    workers.close();
  }
}
