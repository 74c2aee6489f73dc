package io.aragonite.bench.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tables in DuckDB and as files, which we read. */
final class FuzzPeer implements AutoCloseable {
  private static final String ROW_GROUP_ROWS = "aragonite.test.rowGroupRows";

  /** Rows of row groups that we write: tables have several, of several pages. */
  private static final int WRITTEN_ROWS = 90;

  /** Statements of DuckDB's have a limit of 20 s; one that is far behind it does not come back. */
  private static final long PATIENCE_SECONDS = 60;

  private static final List<String> SETTINGS =
      List.of(
          "set default_null_order = 'nulls_last_on_asc_first_on_desc'",
          "set integer_division = true",
          "set TimeZone = 'UTC'",
          "set threads = 1",
          "set memory_limit = '1GB'",
          "set enable_external_file_cache = false",
          "create macro covar_pop_of_sums(y, x) as (sum(x * y) - sum(case when y is not null then x end) * sum(case when x is not null then y end)"
              + " / regr_count(y, x)) / regr_count(y, x)",
          "create macro covar_samp_of_sums(y, x) as case when regr_count(y, x) > 1 then"
              + " covar_pop_of_sums(y, x) * regr_count(y, x) / (regr_count(y, x) - 1) end",
          "create macro corr_of_sums(y, x) as covar_pop_of_sums(y, x)"
              + " / sqrt(covar_pop_of_sums(case when x is not null then y end, y) * covar_pop_of_sums(case when y is not null then x end, x))",
          "create macro var_pop_of_sums(x) as (sum(x * x) - sum(x) * sum(x) / count(x)) / count(x)",
          "create macro var_samp_of_sums(x) as case when count(x) > 1 then"
              + " greatest(0, sum(x * x) - sum(x) * sum(x) / count(x)) / (count(x) - 1) end",
          "create macro stddev_pop_of_sums(x) as sqrt(greatest(0, sum(x * x) - sum(x) * sum(x) / count(x)) / count(x))",
          "create macro stddev_samp_of_sums(x) as case when count(x) > 1 then"
              + " sqrt(greatest(0, sum(x * x) - sum(x) * sum(x) / count(x)) / (count(x) - 1)) end",
          // Of distances from the mean, as of great numbers alone they are exact.
          "create macro regr_sxx_of_sums(y, x) as list_sum(list_transform(list(x) filter (where y is not null and x is not null),"
              + " lambda v: pow(v - regr_avgx(y, x), 2)))",
          "create macro regr_syy_of_sums(y, x) as regr_sxx_of_sums(x, y)");

  private final List<FuzzTable> tables;
  private final Path directory;
  private final PeerSession session;

  /**
   * Makes them.
   *
   * @param directory an empty folder, which the caller deletes
   */
  FuzzPeer(List<FuzzTable> tables, Path directory) throws SQLException, IOException {
    this.tables = List.copyOf(tables);
    this.directory = Files.createDirectories(directory);
    session = new PeerSession(PATIENCE_SECONDS);
    boolean made = false;
    try {
      for (String sql : SETTINGS) {
        update(sql);
      }
      for (FuzzTable table : tables) {
        for (String sql : table.statements()) {
          update(sql);
        }
        write(table);
      }
      copy();
      made = true;
    } finally {
      if (!made) {
        close();
        delete();
      }
    }
  }

  /** What DuckDB writes of a table, in its place or for {@link #copy}. */
  private void write(FuzzTable table) throws SQLException, IOException {
    Files.createDirectories(apart(table));
    Files.createDirectories(directory.resolve(table.name()));
    for (String sql : table.storage().writtenByDuckDb(table, directory, apart(table))) {
      update(sql);
    }
    String declared = table.storage().declared(table);
    if (declared != null) {
      Files.writeString(directory.resolve(table.name() + ".csv.json"), declared);
    }
    if (FuzzFiles.isEmpty(directory.resolve(table.name()))) {
      Files.delete(directory.resolve(table.name()));
    }
  }

  /** What we write. */
  private void copy() throws SQLException {
    System.setProperty(ROW_GROUP_ROWS, String.valueOf(WRITTEN_ROWS));
    try (Connection ours = DriverManager.getConnection("jdbc:aragonite:device=cpu;threads=1;memory=299MB"); Statement statement = ours.createStatement()) {
      for (FuzzTable table : tables) {
        String sql = table.storage().copiedByUs(table, directory, apart(table));
        if (sql != null) {
          statement.execute(sql);
        }
      }
    } finally {
      System.clearProperty(ROW_GROUP_ROWS);
    }
  }

  /** The folder of files that statements name. */
  Path files() {
    return directory.resolveSibling(directory.getFileName() + "-files");
  }

  private Path apart(FuzzTable table) {
    return files().resolve(table.name());
  }

  /** Gives a connection of ours the tables that are none of its directory. */
  void open(Connection ours) throws SQLException {
    try (Statement statement = ours.createStatement()) {
      for (FuzzTable table : tables) {
        String sql = table.storage().opened(table, apart(table));
        if (sql != null) {
          statement.execute(sql);
        }
      }
    }
  }

  /** Deletes all files, those of its databases too. */
  void delete() {
    for (String end : List.of("", "-files", "-spill")) {
      FuzzFiles.delete(directory.resolveSibling(directory.getFileName() + end));
    }
  }

  List<FuzzTable> tables() {
    return tables;
  }

  /** The folder of the files. */
  Path directory() {
    return directory;
  }

  /**
   * Runs a statement of DuckDB's.
   *
   * @return how many rows it has changed
   */
  int update(String sql) throws SQLException {
    return session.ask(
        connection -> {
          try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return Math.max(0, statement.getUpdateCount());
          }
        });
  }

  /** DuckDB's rows; null if there are very many. */
  @Nullable FuzzRows answer(String sql) throws SQLException {
    return session.ask(connection -> FuzzDatabase.answer(connection, sql));
  }

  /** Whether a defect of DuckDB has ended its database. */
  boolean isLost() {
    return session.isLost();
  }

  @Override
  public void close() {
    session.close();
  }
}
