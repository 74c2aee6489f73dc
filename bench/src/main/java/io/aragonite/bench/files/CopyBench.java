package io.aragonite.bench.files;

import io.aragonite.dataset.Directories;
import io.aragonite.tpch.TpchScale;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Times COPY of TPC-H's lineitem, and queries over many small files, beside DuckDB. What was
 * written is read back by both engines.
 */
public final class CopyBench {
  private static final String OURS = "aragonite";
  private static final String DUCKDB = "duckdb";
  private static final int ROWS_OF_FILE = 1000;

  /** Bytes of a row without its texts: 4 integers, 4 decimals and 3 dates. */
  private static final int NUMBER_BYTES = 3 * 8 + 4 + 4 * 8 + 3 * 4;

  private static final String CHECK =
      "select count(*), sum(l_orderkey), sum(cast(l_extendedprice as decimal(15, 2))),"
          + " sum(cast(l_tax as decimal(15, 2))), count(distinct l_shipmode), min(l_shipdate),"
          + " max(l_comment), count(distinct l_comment) from ";

  private final String device;
  private final int threads;
  private final int repeat;
  private final PrintWriter out;
  private final List<FileFigures> figures = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();

  /**
   * @param repeat timed runs after a first one
   */
  public CopyBench(String device, int threads, int repeat, PrintWriter out) {
    this.device = device;
    this.threads = threads;
    this.repeat = repeat;
    this.out = out;
  }

  /** What went wrong; empty if all answers agree. */
  public List<String> complaints() {
    return complaints;
  }

  /**
   * Measures, and prints a table.
   *
   * @param files of the globs; 0: none are read
   * @return the same as CSV
   */
  public String run(double scale, int files) throws SQLException, IOException {
    Path folder = Files.createTempDirectory("aragonite-bench-copy");
    String url =
        "jdbc:aragonite:device=%s;tpch=%s;threads=%d"
            .formatted(device, new TpchScale(scale), threads);
    try (Connection duckDb = DriverManager.getConnection("jdbc:duckdb:");
        Statement other = duckDb.createStatement();
        Connection connection = DriverManager.getConnection(url);
        Statement ours = connection.createStatement()) {
      other.execute("set threads = " + threads);
      out.print(FileFigures.heading());
      copies(folder, ours, other);
      if (files > 0) {
        globs(folder, url, other, files);
      }
    } finally {
      Directories.deleteTree(folder);
    }
    complaints.forEach(out::println);
    return FileFigures.csv(figures);
  }

  private void add(FileFigures one) {
    figures.add(one);
    out.print(one.row());
    out.flush();
  }

  private static String literal(Path path) {
    return "'" + path.toString().replace("'", "''") + "'";
  }

  private void copies(Path folder, Statement ours, Statement other) throws SQLException {
    String source = literal(folder.resolve("source.parquet"));
    ours.execute("copy lineitem to " + source);
    other.execute("create table lineitem as select * from " + source);
    long bytes =
        new BigDecimal(
                answer(
                    other,
                    "select sum(%d + strlen(l_returnflag) + strlen(l_linestatus) + strlen(l_shipinstruct) + strlen(l_shipmode) + strlen(l_comment)) from lineitem"
                        .formatted(NUMBER_BYTES)))
            .longValueExact();
    String wanted = answer(other, CHECK + "lineitem");
    compare("lineitem", wanted, answer(ours, CHECK + "lineitem"));
    for (String format : List.of("parquet", "csv", "arrow")) {
      copy(folder, format, OURS, ours, other, bytes, wanted);
      if (!format.equals("arrow")) {
        copy(folder, format, DUCKDB, ours, other, bytes, wanted);
      }
    }
  }

  private void copy(
      Path folder,
      String format,
      String engine,
      Statement ours,
      Statement other,
      long bytes,
      String wanted)
      throws SQLException {
    String file = literal(folder.resolve(engine + "." + format));
    boolean own = engine.equals(OURS);
    Statement writer = own ? ours : other;
    String sql = "copy lineitem to " + file + " (format " + format + (own ? ", overwrite)" : ")");
    String what = "COPY to " + format;
    add(FileFigures.of(what, engine, bytes, repeat, () -> writer.execute(sql)));
    compare(what + " by " + engine + ", read by us", wanted, answer(ours, CHECK + file));
    if (!format.equals("arrow")) {
      compare(what + " by " + engine + ", by DuckDB", wanted, answer(other, CHECK + file));
    }
  }

  private void globs(Path folder, String url, Statement other, int files)
      throws SQLException, IOException {
    for (String format : List.of("parquet", "csv")) {
      Path many = Files.createDirectory(folder.resolve("many-" + format));
      for (int i = 0; i < files; i++) {
        other.execute(
            "copy (select cast(i + %1$d as bigint) as id, 'name' || i %% 10 as name, cast(i * 1.5 as decimal(12, 1)) as price from range(%2$d) t(i)) to %3$s"
                .formatted(
                    (long) i * ROWS_OF_FILE,
                    ROWS_OF_FILE,
                    literal(many.resolve("part-%05d.%s".formatted(i, format)))));
      }
      String sql =
          "select count(*), sum(id), sum(cast(price as decimal(15, 1))), min(name) from "
              + literal(many.resolve("*." + format));
      String wanted = answer(other, sql);
      FileFigures first = opened(files, format, url, sql, wanted);
      add(first);
      glob("%,d files of %s".formatted(files, format), DUCKDB, other, sql, wanted);
      try (Connection connection = DriverManager.getConnection(url);
          Statement ours = connection.createStatement()) {
        glob("%,d files of %s, opened".formatted(files, format), OURS, ours, sql, wanted);
      }
    }
  }

  /** Each time a new connection, which knows nothing of the files. */
  private FileFigures opened(int files, String format, String url, String sql, String wanted)
      throws SQLException {
    String what = "%,d files of %s".formatted(files, format);
    List<FileFigures.RunTime> times = new ArrayList<>();
    for (int i = 0; i <= repeat; i++) {
      try (Connection connection = DriverManager.getConnection(url);
          Statement ours = connection.createStatement()) {
        times.add(
            FileFigures.RunTime.of(() -> compare(what, wanted, answer(ours, sql))));
      }
    }
    return new FileFigures(what, OURS, 0, times);
  }

  private void glob(String what, String engine, Statement statement, String sql, String wanted)
      throws SQLException {
    add(
        FileFigures.of(
            what, engine, 0, repeat, () -> compare(what, wanted, answer(statement, sql))));
  }

  private void compare(String what, String wanted, String answer) {
    if (!wanted.equals(answer)) {
      complaints.add("%s: %s in place of %s".formatted(what, answer, wanted));
    }
  }

  private static String answer(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      StringBuilder answer = new StringBuilder();
      for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
        answer.append(i == 1 ? "" : " | ").append(rows.getString(i));
      }
      return answer.toString();
    }
  }
}
