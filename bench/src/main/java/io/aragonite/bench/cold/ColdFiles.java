package io.aragonite.bench.cold;

import io.aragonite.bench.duckdb.DuckDbParts;
import io.aragonite.dataset.CacheLock;
import io.aragonite.dataset.Dataset;
import io.aragonite.dataset.DatasetCache;
import io.aragonite.dataset.DatasetColumn;
import io.aragonite.dataset.ProgressListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tables as files, made once: of Parquet a folder of parts for each table. What a killed process
 * left is completed by the next one.
 *
 * @param codec what pages of Parquet files are compressed by: {@code snappy} or {@code zstd}
 */
public record ColdFiles(ColdWorkload workload, double scale, ColdFormat format, String codec) {
  /** Names of codecs. */
  public static final List<String> CODECS = List.of("snappy", "zstd");

  /** The file that is written when all others are. */
  private static final String COMPLETE = "_complete";

  /** Where the files are, or would be. */
  Path directory(Path root) {
    Dataset dataset = workload.dataset(scale);
    if (format == ColdFormat.ARROW) {
      return DatasetCache.directory(dataset, root);
    }
    String end = format == ColdFormat.PARQUET ? "-" + codec : "";
    String name = dataset.folder() + "-" + dataset.scale() + "-" + format.extension() + end;
    return root.toAbsolutePath().resolve("cold").resolve(name);
  }

  /** Whether {@link #ensure} needs DuckDB, which writes Parquet and CSV. */
  public boolean needsDuckDb(Path root) {
    return format != ColdFormat.ARROW && !isComplete(directory(root));
  }

  private static boolean isComplete(Path directory) {
    return Files.exists(directory.resolve(COMPLETE));
  }

  /**
   * Makes the files unless they are there; the result is their folder.
   *
   * @param root the folder that has those of all workloads and scales
   * @param threads that write parts
   */
  Path ensure(Path root, int threads, ProgressListener listener)
      throws IOException, InterruptedException, SQLException {
    Dataset dataset = workload.dataset(scale);
    if (format == ColdFormat.ARROW) {
      return DatasetCache.ensure(dataset, root, threads, listener);
    }
    Path target = directory(root);
    if (isComplete(target)) {
      return target;
    }
    Files.createDirectories(target);
    Path lock = target.resolveSibling(target.getFileName() + ".lock");
    try (var _ = CacheLock.acquire(lock, () -> listener.waiting(target))) {
      if (!isComplete(target)) {
        make(dataset, target, threads, listener);
      }
    }
    return target;
  }

  private void make(Dataset dataset, Path target, int threads, ProgressListener listener)
      throws IOException, InterruptedException, SQLException {
    checkSpace(dataset, target);
    long start = System.nanoTime();
    boolean made = false;
    try {
      DuckDbParts parts = new DuckDbParts(target, format.extension(), codec);
      parts.write(dataset, threads, listener);
      if (format == ColdFormat.CSV && workload.declaresTypes()) {
        for (var table : workload.columns().entrySet()) {
          Files.writeString(
              target.resolve(table.getKey() + ".csv.json"), declaration(table.getValue()));
        }
      }
      Files.writeString(target.resolve(COMPLETE), "");
      made = true;
    } finally {
      if (!made) {
        listener.failed();
      }
    }
    listener.finished(target, System.nanoTime() - start, bytes(target));
  }

  private void checkSpace(Dataset dataset, Path target) throws IOException {
    double share = format == ColdFormat.CSV ? 1.2 : 0.3; // of uncompressed Arrow files
    double needed = share * dataset.estimatedBytes() - bytes(target);
    long free = Files.getFileStore(target).getUsableSpace();
    if (free < needed) {
      throw new IOException(
          "%s scale %s as %s files needs about %.1f GB more, but %s has %.1f GB left; --data can"
                  .formatted(
                      dataset.title(),
                      dataset.scale(),
                      format.title(),
                      needed / 1e9,
                      target,
                      free / 1e9)
              + " name another folder");
    }
  }

  private static long bytes(Path directory) throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }

  /** Files of a new time, of which no statistics are kept from earlier processes. */
  static void touch(Path directory) throws IOException {
    FileTime now = FileTime.from(Instant.now());
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.setLastModifiedTime(file, now);
      }
    }
  }

  /** Statements that have DuckDB read the files of a folder as tables, where they are. */
  List<String> views(Path directory) {
    List<String> views = new ArrayList<>();
    String folder = directory.toString().replace("'", "''");
    workload
        .columns()
        .forEach(
            (table, columns) ->
                views.add(
                    "create view %s as select * from %s"
                        .formatted(table, reading(folder + "/" + table, columns))));
    return views;
  }

  private String reading(String table, List<DatasetColumn> columns) {
    if (format == ColdFormat.PARQUET) {
      return "read_parquet('" + table + "/*.parquet')";
    }
    return workload.declaresTypes()
        ? columns.stream()
            .map(column -> "'%s': '%s'".formatted(column.name(), column.sqlType()))
            .collect(
                Collectors.joining(
                    ", ", "read_csv('" + table + ".csv', header = true, columns = {", "})"))
        : "'" + table + ".csv'";
  }

  /** What tells Aragonite the types of a CSV file. */
  private static String declaration(List<DatasetColumn> columns) {
    return columns.stream()
        .map(column ->
            String.format(
                Locale.ROOT,
                "    {\"name\": \"%s\", \"type\": \"%s\"}",
                column.name(),
                column.sqlType()))
        .collect(
            Collectors.joining(
                ",\n", "{\n  \"header\": true, \"delimiter\": \",\", \"columns\": [\n", "\n  ]\n}\n"));
  }
}
