package io.aragonite.bench.cold;

import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.bench.timing.BenchClock;
import io.aragonite.exec.settings.SettingsProperty;
import io.aragonite.tpch.TpchScale;
import io.aragonite.tpch.TpchTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How fast columns of a Parquet file get to where queries find them. A query over one column runs
 * twice on a new connection: the first time brings the column, the second time it is there. The
 * difference is the column's; its values over that are gigabytes a second. So it is done with the
 * host's decoding and with the device's, and the answers are held against each other.
 */
public final class PageBench {
  private static final TpchTable TABLE = TpchTable.LINEITEM;

  private static final String FILE = TABLE.tableName() + ".parquet";

  /** A column of texts of which some are in dictionaries. */
  private static final String MIXED = "l_mixed";

  /** A quarter of scale 1's order keys. */
  private static final int QUARTER = 1_500_000;

  private static final String QUERY = "select count(%1$s), min(%1$s), max(%1$s) from %2$s";

  /** A column that is brought before the one that is measured. */
  private static final String OTHER = "l_suppkey";

  private static final String ROW = "%-16s %-22s %-7s %12s %9s %9s %7s%n";

  /** What EXPLAIN ANALYZE says of a scan. */
  private static final String BY_DEVICE = "page bytes decoded on the device";

  private static final String BY_HOST = "decoded by the host: ";

  private final ColdEngine engine;
  private final int threads;
  private final int repeat;
  private final PrintWriter out;
  private final List<String> complaints = new ArrayList<>();

  /**
   * @param bytes of the decoded values
   * @param first milliseconds of the first of all connections' time to bring it
   * @param median of those of all
   */
  record PageFigures(String column, String decodedBy, long bytes, double first, double median) {
    double rate() {
      return bytes / (median * 1e6);
    }
  }

  private record Loading(double millis, long bytes, String answer) {}

  /**
   * @param repeat connections for each figure
   */
  public PageBench(ColdEngine engine, int threads, int repeat, PrintWriter out) {
    this.engine = engine;
    this.threads = threads;
    this.repeat = repeat;
    this.out = out;
  }

  /** What went wrong; empty if all answers agree. */
  public List<String> complaints() {
    return complaints;
  }

  /**
   * Measures columns and prints a table.
   *
   * @param columns of lineitem, and {@code l_mixed}
   * @param codecs by the names of COPY's option; a file each
   * @return the same as CSV
   */
  public String run(double scale, List<String> columns, List<String> codecs, Path cacheRoot)
      throws IOException, SQLException {
    StringBuilder csv =
        new StringBuilder("codec,column,type,encoding,decoded_by,bytes,first_ms,median_ms,gb_s\n");
    for (String codec : codecs) {
      Path directory = file(scale, codec, cacheRoot);
      Path file = directory.resolve(FILE);
      out.printf("%s, %,d bytes, on %s%n", file, Files.size(file), engine.name());
      out.printf(ROW, "column", "type, encoding", "decoded", "bytes", "first", "median", "GB/s");
      try (ParquetFile footer = ParquetFile.open(file)) {
        for (String column : columns) {
          run(directory, codec, column, PageKind.of(footer, column), csv);
        }
      }
    }
    complaints.forEach(out::println);
    return csv.toString();
  }

  private void run(
      Path directory, String codec, String column, PageKind kind, StringBuilder csv)
      throws SQLException, IOException {
    String answer = null;
    for (String mode : List.of("off", "on")) {
      List<Loading> loadings = new ArrayList<>();
      for (int i = 0; i < repeat; i++) {
        loadings.add(load(directory, column, kind, mode));
      }
      for (Loading loading : loadings) {
        answer = check(column, answer, loading.answer);
      }
      PageFigures figures = figures(column, decodedBy(directory, column, mode), loadings);
      out.printf(
          ROW,
          column,
          kind.type() + ", " + kind.encoding(),
          figures.decodedBy,
          "%,d".formatted(figures.bytes),
          "%.2f".formatted(figures.first),
          "%.2f".formatted(figures.median),
          "%.2f".formatted(figures.rate()));
      out.flush();
      csv.append(
          "%s,%s,%s,%s,%s,%d,%.3f,%.3f,%.3f\n"
              .formatted(
                  codec,
                  column,
                  kind.type(),
                  kind.encoding(),
                  figures.decodedBy,
                  figures.bytes,
                  figures.first,
                  figures.median,
                  figures.rate()));
    }
  }

  /** The folder of a file that is made by COPY where it is missing, whole or not at all. */
  private Path file(double scale, String codec, Path cacheRoot) throws SQLException, IOException {
    String name = new TpchScale(scale) + "-" + codec.toLowerCase(Locale.ROOT) + "-" + MIXED;
    Path directory = cacheRoot.resolve("pages").resolve(name);
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      Files.createDirectories(directory);
      String url = "jdbc:aragonite:device=cpu;tpch=%s;threads=%d".formatted(scale, threads);
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        statement.execute(
            "copy (%s) to '%s' (format parquet, compression %s)"
                .formatted(rows(scale), file.toString().replace("'", "''"), codec));
      }
    }
    return directory;
  }

  /** The table, and texts that are in dictionaries in the first quarter of the rows alone. */
  private static String rows(double scale) {
    return "select l.*, case when l_orderkey < %d then cast(l_shipmode as varchar(44)) else l_comment end as %s from %s l"
        .formatted((long) (scale * QUARTER), MIXED, TABLE.tableName());
  }

  private static PageFigures figures(String column, String by, List<Loading> loadings) {
    double[] times = loadings.stream().mapToDouble(Loading::millis).sorted().toArray();
    Loading first = loadings.getFirst();
    return new PageFigures(column, by, first.bytes, first.millis, times[times.length / 2]);
  }

  private String check(String column, @Nullable String before, String answer) {
    if (before != null && !before.equals(answer)) {
      complaints.add("%s: %s and %s".formatted(column, before, answer));
    }
    return answer;
  }

  @FunctionalInterface
  private interface Task<T> {
    T run(Statement statement, String sql) throws SQLException;
  }

  /** Runs something on a new connection, with the query over a column. */
  private <T> T connected(Path directory, String column, String mode, Task<T> task)
      throws SQLException, IOException {
    String property = SettingsProperty.PAGES.key();
    String was = System.getProperty(property);
    System.setProperty(property, mode);
    try (Connection connection = engine.open(directory, threads);
        Statement statement = connection.createStatement()) {
      String sql = QUERY.formatted(column, TABLE.tableName());
      return task.run(statement, sql);
    } finally {
      if (was == null) {
        System.clearProperty(property);
      } else {
        System.setProperty(property, was);
      }
    }
  }

  /** Who decodes a column, as EXPLAIN ANALYZE tells, and why if it is the host. */
  private String decodedBy(Path directory, String column, String mode)
      throws SQLException, IOException {
    return connected(
        directory,
        column,
        mode,
        (statement, sql) -> {
          StringBuilder plan = new StringBuilder();
          try (ResultSet result = statement.executeQuery("explain analyze " + sql)) {
            while (result.next()) {
              plan.append(result.getString(1)).append('\n');
            }
          }
          for (String line : plan.toString().split("\n")) {
            if (line.contains(BY_HOST)) {
              out.println(line.strip());
            }
          }
          return plan.indexOf(BY_DEVICE) >= 0 ? "device" : "host";
        });
  }

  private Loading load(Path directory, String column, PageKind kind, String mode)
      throws SQLException, IOException {
    return connected(directory, column, mode, (statement, sql) -> {
      // What a connection and its device do once is not the column, nor what planning reads.
      answer(statement, QUERY.formatted(OTHER, TABLE.tableName()));
      statement.executeQuery("explain plan for " + sql).close();
      double start = BenchClock.WALL.nanos();
      String answer = answer(statement, sql);
      double first = BenchClock.WALL.nanos() - start;
      double[] hot = new double[3];
      for (int i = 0; i < hot.length; i++) {
        start = BenchClock.WALL.nanos();
        check(column, answer, answer(statement, sql));
        hot[i] = BenchClock.WALL.nanos() - start;
      }
      double millis = Math.max(1e-3, (first - Arrays.stream(hot).min().orElseThrow()) / 1e6);
      return new Loading(millis, bytes(statement, column, kind), answer);
    });
  }

  private static String answer(Statement statement, String sql) throws SQLException {
    try (ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return "%s %s %s".formatted(result.getObject(1), result.getObject(2), result.getObject(3));
    }
  }

  /** Bytes of a column's values in memory. */
  private static long bytes(Statement statement, String column, PageKind kind)
      throws SQLException {
    if (kind.texts()) {
      String texts =
          "select coalesce(sum(octet_length(%s)), 0) + 4 * count(*) from %s"
              .formatted(column, TABLE.tableName());
      try (ResultSet result = statement.executeQuery(texts)) {
        result.next();
        return result.getLong(1);
      }
    }
    String sql =
        "select %s from %s limit 1".formatted(column, TABLE.tableName());
    int width;
    try (ResultSet result = statement.executeQuery(sql)) {
      ResultSetMetaData data = result.getMetaData();
      width =
          switch (data.getColumnType(1)) {
            case Types.INTEGER, Types.DATE -> Integer.BYTES;
            case Types.BIGINT, Types.DECIMAL, Types.DOUBLE -> Long.BYTES;
            // Codes of a dictionary.
            case Types.VARCHAR, Types.CHAR -> Integer.BYTES;
            default ->
                throw new SQLException(
                    "%s is %s, which is not of one width"
                        .formatted(column.toLowerCase(Locale.ROOT), data.getColumnTypeName(1)));
          };
    }
    try (ResultSet result =
        statement.executeQuery("select count(*) from " + TABLE.tableName())) {
      result.next();
      return width * result.getLong(1);
    }
  }
}
