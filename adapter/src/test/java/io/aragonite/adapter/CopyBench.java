package io.aragonite.adapter;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;

/**
 * Times COPY, and queries over many small files, beside DuckDB's. Rates are for a second of CPU
 * too, since other work on the machine does not count in them. {@code CopyBench folder [scale
 * [threads [rounds]]]}
 */
final class CopyBench {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final int FILES = 1000;

  private CopyBench() {}

  public static void main(String[] args) throws Exception {
    Path folder = Files.createDirectories(Path.of(args[0]));
    String scale = args.length > 1 ? args[1] : "0.1";
    int threads = args.length > 2 ? Integer.parseInt(args[2]) : 2;
    int rounds = args.length > 3 ? Integer.parseInt(args[3]) : 5;
    String url =
        "jdbc:aragonite:device=cpu;memory=2GB;tpch=%s;threads=%d".formatted(scale, threads);
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Statement other = duck.createStatement()) {
      other.execute("set threads = " + threads);
      for (int round = 0; round < rounds; round++) {
        try (Connection connection = DriverManager.getConnection(url);
            Statement ours = connection.createStatement()) {
          copies(folder, ours, other, round == 0);
          globs(folder, ours, other);
        }
      }
    }
  }

  private static void copies(Path folder, Statement ours, Statement other, boolean first)
      throws SQLException, IOException {
    Path source = folder.resolve("lineitem.parquet");
    if (first) {
      ours.execute("copy lineitem to '" + source + "' (overwrite)");
      other.execute("create table lineitem as select * from '" + source + "'");
    }
    for (String format : List.of("parquet", "csv", "arrow")) {
      Path file = folder.resolve("copy." + format);
      String copy = "copy lineitem to '%s' (format %s".formatted(file, format);
      timed("aragonite " + format, file, ours, copy + ", overwrite)");
      if (!format.equals("arrow")) {
        timed("duckdb " + format, file, other, copy + ")");
      }
    }
  }

  private static void timed(String what, Path file, Statement statement, String sql)
      throws SQLException, IOException {
    long start = System.nanoTime();
    long cpu = SYSTEM.getProcessCpuTime();
    statement.execute(sql);
    long cpuNanos = SYSTEM.getProcessCpuTime() - cpu;
    long nanos = System.nanoTime() - start;
    double bytes = Files.size(file);
    System.out.printf(
        Locale.ROOT,
        "copy, %s: %,.0f ms, %,.0f ms of CPU, %.1f MB, %.3f GB/s, %.3f GB for a second of CPU%n",
        what,
        nanos / 1e6,
        cpuNanos / 1e6,
        bytes / 1e6,
        bytes / nanos,
        bytes / cpuNanos);
  }

  private static void globs(Path folder, Statement ours, Statement other)
      throws SQLException, IOException {
    Path many = folder.resolve("many");
    if (!Files.exists(many)) {
      Files.createDirectories(many);
      for (int i = 0; i < FILES; i++) {
        other.execute(
            "copy (select i * 1000 + %d as id, 'name' || (i %% 10) as name, i * 1.5 as price from range(1000) t(i)) to '%s'"
                .formatted(i, many.resolve("part-%04d.parquet".formatted(i))));
      }
    }
    String sql = "select count(*), sum(id), sum(price), min(name) from '" + many + "/*.parquet'";
    for (String run : List.of("first", "second")) {
      query(run + " aragonite", ours, sql);
      query(run + " duckdb", other, sql);
    }
  }

  private static void query(String what, Statement statement, String sql) throws SQLException {
    long start = System.nanoTime();
    long cpu = SYSTEM.getProcessCpuTime();
    try (ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      System.out.printf(
          Locale.ROOT,
          "%,d files, %s query: %,.0f ms, %,.0f ms of CPU, %s rows%n",
          FILES,
          what,
          (System.nanoTime() - start) / 1e6,
          (SYSTEM.getProcessCpuTime() - cpu) / 1e6,
          rows.getString(1));
    }
  }
}
