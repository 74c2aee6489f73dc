package io.aragonite.bench.cold;

import io.aragonite.dataset.DatasetCache;
import io.aragonite.bench.duckdb.DuckDbTables;
import io.aragonite.dataset.TerminalProgress;
import io.aragonite.tpch.TpchData;
import io.aragonite.tpch.TpchScale;
import io.aragonite.tpch.TpchTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.SQLException;
import java.time.Instant;

/** TPC-H tables as files, in the user's cache folder: made once, whole or not at all. */
final class ColdData {
  private ColdData() {}

  /** Where the files of a scale are, or would be. */
  static Path directory(double scale, ColdFormat format, Path cacheRoot) {
    return format == ColdFormat.ARROW
        ? DatasetCache.directory(new TpchData(scale), cacheRoot)
        : cacheRoot.resolve("cold").resolve(new TpchScale(scale) + "-" + format.extension());
  }

  /** Whether {@link #ensure} needs DuckDB, which writes Parquet and CSV. */
  static boolean needsDuckDb(double scale, ColdFormat format, Path cacheRoot) {
    return format != ColdFormat.ARROW && !Files.exists(directory(scale, format, cacheRoot));
  }

  /** Makes the files unless they are there; the result is their folder. */
  static Path ensure(double scale, ColdFormat format, Path cacheRoot, int threads)
      throws IOException, InterruptedException, SQLException {
    Path target = directory(scale, format, cacheRoot);
    if (format != ColdFormat.ARROW && Files.exists(target)) {
      return target;
    }
    Path arrow = TpchData.ensure(scale, cacheRoot, threads, new TerminalProgress());
    if (format == ColdFormat.ARROW) {
      return arrow;
    }
    Files.createDirectories(target.resolveSibling(""));
    Path temporary =
        Files.createTempDirectory(target.resolveSibling(""), target.getFileName() + ".tmp-");
    try {
      DuckDbTables.copy(arrow, temporary, format.extension(), threads);
      Files.move(temporary, target);
    } finally {
      if (Files.exists(temporary)) {
        for (TpchTable table : TpchTable.values()) {
          Files.deleteIfExists(file(temporary, table, format));
        }
        Files.delete(temporary);
      }
    }
    return target;
  }

  /** Files of a new time, of which no statistics are kept from earlier processes. */
  static void touch(Path directory, ColdFormat format) throws IOException {
    FileTime now = FileTime.from(Instant.now());
    for (TpchTable table : TpchTable.values()) {
      Files.setLastModifiedTime(file(directory, table, format), now);
    }
  }

  /** The file of a table in a folder that {@link #ensure} returned. */
  static Path file(Path directory, TpchTable table, ColdFormat format) {
    return directory.resolve(table.tableName() + "." + format.extension());
  }
}
