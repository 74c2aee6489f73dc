package io.aragonite.adapter.table;

import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.format.FileScope;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.Unpacking;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a directory: each Parquet, Arrow IPC, CSV or JSON file, and each folder of Parquet
 * parts, is a table named after it. Other files are left alone, and one that cannot be opened does
 * not spoil the others. Columns that are loaded stay in memory until the budget needs their room;
 * the longest unused goes first.
 */
public final class TableCatalog implements AutoCloseable {
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
              Stream.of(ErrorCode.REMOTE_FAILED))
          .collect(Collectors.toUnmodifiableSet());

  private final Map<String, CachedTable> tables = new LinkedHashMap<>();
  private final Map<String, AragoniteException> broken = new LinkedHashMap<>();
  private final CacheReclaimer reclaiming;

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
    return new TableCatalog(directory, budget, unpacking, new LoadWorkers(threads), statistics);
  }

  private TableCatalog(
      Path directory,
      MemoryBudget budget,
      Unpacking unpacking,
      LoadWorkers workers,
      @Nullable StatisticsStore statistics) {
    this.reclaiming = new CacheReclaimer(budget, tables::values);
    boolean done = false;
    try {
      Map<String, Path> origins = new LinkedHashMap<>();
      List<Path> entries = entries(directory);
      Set<String> leading = leading(entries);
      for (Path path : entries) {
        TableFormat format = TableFormat.of(path);
        String name = TableFormat.tableName(path);
        if (format == null
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
          FileStamp stamp = new FileStamp(path);
          TableFile file = format.open(path, unpacking);
          tables.put(name, new CachedTable(name, stamp, file, budget, workers, true, statistics));
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
    tables.values().forEach(CachedTable::close);
  }
}
