package io.aragonite.adapter.table;

import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.format.FilePattern;
import io.aragonite.adapter.format.FileScope;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.Unpacking;
import io.aragonite.adapter.format.iceberg.IcebergFolder;
import io.aragonite.adapter.format.iceberg.IcebergOptions;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a directory: each Parquet, Arrow IPC, CSV or JSON file, and each folder of Parquet
 * parts or of an Iceberg table, is a table named after it. Other files are left alone, and one that
 * cannot be opened does not spoil the others. Columns that are loaded stay in memory until the
 * budget needs their room; the longest unused goes first.
 */
public final class TableCatalog implements TableSubsets, AutoCloseable {
  /** Tables by their names. */
  @FunctionalInterface
  public interface Names {
    /** Null if there is none of the name. */
    @Nullable CachedTable table(String name);
  }

  /** What a file can be blamed for. */
  private static final Set<ErrorCode> OF_FILES =
      Stream.concat(
              EnumSet.range(ErrorCode.FILE_BROKEN, ErrorCode.FILE_UNSUPPORTED).stream(),
              Stream.of(ErrorCode.REMOTE_FAILED, ErrorCode.RESULT_TOO_LARGE))
          .collect(Collectors.toUnmodifiableSet());

  /** More tables of some files than that are not made. */
  private static final int MOST_SUBSETS = 256;

  private final Map<String, CachedTable> tables = new LinkedHashMap<>();
  private final Map<CachedTable, Map<BitSet, CachedTable>> subsets = new HashMap<>();

  /** Those of both kinds. */
  private final List<CachedTable> open = new CopyOnWriteArrayList<>();

  private final Map<String, AragoniteException> broken = new LinkedHashMap<>();
  private final LoadWorkers workers;
  private final CacheReclaimer reclaiming;
  private final CopyReclaimer copies;

  /**
   * @param directory a readable folder
   * @param budget what loaded columns are reserved in
   * @param unpacking for compressed files
   * @param threads threads that load a column
   * @throws AragoniteException DIRECTORY_NOT_FOUND, DIRECTORY_EMPTY, DUPLICATE_TABLE
   */
  public static TableCatalog open(
      Path directory, MemoryBudget budget, Unpacking unpacking, int threads) {
    return open(directory, budget, unpacking, threads, null);
  }

  /**
   * The same, with statistics of other processes.
   *
   * @param statistics where they are kept; null: nowhere
   */
  public static TableCatalog open(
      Path directory,
      MemoryBudget budget,
      Unpacking unpacking,
      int threads,
      @Nullable StatisticsStore statistics) {
    return new TableCatalog(
        directory, budget, unpacking, new LoadWorkers(threads, budget), statistics);
  }

  private TableCatalog(
      Path directory,
      MemoryBudget budget,
      Unpacking unpacking,
      LoadWorkers workers,
      @Nullable StatisticsStore statistics) {
    this.workers = workers;
    this.reclaiming = new CacheReclaimer(budget, () -> open);
    this.copies = new CopyReclaimer(unpacking.space(), () -> open);
    boolean done = false;
    try {
      Map<String, Path> origins = new LinkedHashMap<>();
      List<Path> entries = entries(directory);
      Set<String> leading = leading(entries);
      for (Path path : entries) {
        String name = TableFormat.tableName(path);
        Boolean iceberg = iceberg(path, name);
        if (iceberg == null) {
          continue;
        }
        TableFormat format = iceberg ? null : TableFormat.of(path);
        if (format == null && !iceberg
            || format == TableFormat.JSON && leading.contains(name.toLowerCase(Locale.ROOT))) {
          continue;
        }
        // Names match whatever their case, so two that differ in nothing else are one.
        Path other = origins.putIfAbsent(name.toLowerCase(Locale.ROOT), path);
        if (other != null) {
          throw new AragoniteException(
              ErrorCode.DUPLICATE_TABLE,
              "%s and %s would both be the table \"%s\"; rename one of them or move it elsewhere"
                  .formatted(other, path, name));
        }
        try {
          FileScope.requireInside(directory, path);
          add(open(directory, path, name, format, budget, unpacking, workers, statistics));
        } catch (AragoniteException e) {
          if (!OF_FILES.contains(e.code())) {
            throw e;
          }
          broken.put(name, e);
        }
      }
      if (tables.isEmpty() && broken.isEmpty()) {
        throw new AragoniteException(
            ErrorCode.DIRECTORY_EMPTY,
            "Directory %s holds no table: put %s files into it, or folders of Parquet files"
                .formatted(directory.toAbsolutePath(), TableFormat.EXTENSIONS));
      }
      done = true;
    } finally {
      if (!done) {
        close();
      }
    }
  }

  /**
   * @param format null: an Iceberg table
   */
  private static CachedTable open(
      Path directory,
      Path path,
      String name,
      @Nullable TableFormat format,
      MemoryBudget budget,
      Unpacking unpacking,
      LoadWorkers workers,
      @Nullable StatisticsStore statistics) {
    Path origin = format == null ? newest(path, unpacking) : path;
    FileStamp stamp = FileStamp.beforeOpening(origin);
    TableFile file =
        format == null
            ? IcebergTables.open(
                origin,
                IcebergOptions.NONE,
                IcebergTables.inside(directory),
                unpacking,
                budget,
                workers)
            : format.open(path, unpacking);
    return new CachedTable(name, stamp, file, budget, workers, true, statistics);
  }

  private void add(CachedTable table) {
    tables.put(table.name(), table);
    open.add(table);
  }

  /** Whether a path is an Iceberg table's; null if that cannot be told. */
  private @Nullable Boolean iceberg(Path path, String name) {
    try {
      return isIceberg(path);
    } catch (AragoniteException e) {
      // What must not be read, such as lost+found, is nobody's table.
      if (!(e.getCause() instanceof AccessDeniedException)) {
        broken.put(name, e);
      }
      return null;
    }
  }

  private static boolean isIceberg(Path path) {
    return !FilePattern.isHidden(String.valueOf(path.getFileName()))
        && Files.isDirectory(path)
        && IcebergFolder.isTable(path);
  }

  private static Path newest(Path folder, Unpacking unpacking) {
    Path newest = IcebergFolder.newest(folder, unpacking.space());
    if (newest == null) {
      throw new AragoniteException(
          ErrorCode.FILE_BROKEN,
          "%s is not a readable Iceberg table: its metadata files have no versions in their names; name one, read_iceberg('...metadata.json')"
              .formatted(folder));
    }
    return newest;
  }

  @Override
  public CachedTable subset(CachedTable whole, BitSet chosen) {
    synchronized (subsets) {
      Map<BitSet, CachedTable> known = subsets.computeIfAbsent(whole, key -> new HashMap<>());
      CachedTable some = known.get(chosen);
      if (some == null
          && open.size() - tables.size() < MOST_SUBSETS
          && whole.file() instanceof PartedFile parted) {
        some = whole.over(parted.subset(chosen));
        known.put(chosen, some);
        open.add(some);
      }
      return some == null ? whole : some;
    }
  }

  /** Names of tables of other formats: JSON files beside them are most often about them. */
  private static Set<String> leading(List<Path> entries) {
    Set<String> names = new HashSet<>();
    for (Path path : entries) {
      TableFormat format = TableFormat.of(path);
      if (format != null && format != TableFormat.JSON) {
        names.add(TableFormat.tableName(path).toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }

  private static List<Path> entries(Path directory) {
    if (!RemotePath.is(directory) && !Files.isDirectory(directory)) {
      throw new AragoniteException(
          ErrorCode.DIRECTORY_NOT_FOUND,
          "%s is not a directory; directory= must name an existing folder of tables"
              .formatted(directory.toAbsolutePath()));
    }
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.sorted().toList();
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.DIRECTORY_NOT_FOUND,
          "Directory %s cannot be read: %s; check its permissions"
              .formatted(directory, FileErrors.reason(e)),
          e);
    }
  }

  /** The tables by name, in the order of their names. */
  public Map<String, CachedTable> tables() {
    return Collections.unmodifiableMap(tables);
  }

  /**
   * The tables whose files cannot be opened, with the reason: FILE_BROKEN or another of its kind.
   */
  public Map<String, AragoniteException> broken() {
    return Collections.unmodifiableMap(broken);
  }

  public @Nullable CachedTable table(String name) {
    return tables.get(name);
  }

  @Override
  public void close() {
    reclaiming.close();
    copies.close();
    List.copyOf(open).reversed().forEach(CachedTable::close); // parts before their wholes
    workers.close();
  }
}
