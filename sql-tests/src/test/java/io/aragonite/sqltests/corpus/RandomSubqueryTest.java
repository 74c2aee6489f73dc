package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random statements with subqueries, up to four levels deep, give what DuckDB gives. A build runs
 * the same few hundred each time; {@code -Daragonite.subqueries=N} runs N. {@code -Daragonite.seed}
 * begins elsewhere or repeats a run, {@code -Daragonite.subqueries.query} one statement of it.
 */
class RandomSubqueryTest {
  private static final int MAX_ERRORS = 10;
  private static final int STATEMENTS = 400;
  private static final int TABLES = 6;

  /** Statements over the same tables. */
  private static final int ROUND = 100;

  /** Answers of more rows tell no more. */
  private static final int MAX_ROWS = 20_000;

  @TempDir private Path directory = Path.of("");

  /** What became of the statements. */
  private static final class Counts {
    private int agreed;
    private int notForDuckDb;
    private int refused;
  }

  @Test
  void agreesWithDuckDb() throws Exception {
    String given = System.getProperty("aragonite.seed", "");
    long seed = given.isEmpty() ? 1 : Long.parseLong(given);
    Integer only = Integer.getInteger("aragonite.subqueries.query");
    int end = Integer.getInteger("aragonite.subqueries", STATEMENTS);
    System.out.println("RandomSubqueryTest: repeat with -Daragonite.seed=" + seed);
    List<String> errors = new ArrayList<>();
    Counts counts = new Counts();
    int next = only == null ? 0 : only / ROUND * ROUND;
    int last = only == null ? end : only + 1;
    while (next < last && errors.size() < MAX_ERRORS) {
      run(seed, next, Math.min(next + ROUND, last), only, errors, counts);
      next += ROUND;
    }
    System.out.printf(
        "RandomSubqueryTest: %d statements agree, %d not for DuckDB, %d refused%n",
        counts.agreed, counts.notForDuckDb, counts.refused);
    if (!errors.isEmpty()) {
      fail("seed %d%n%s".formatted(seed, String.join("\n", errors)));
    }
    assertTrue(counts.agreed > 0, "no statement was compared");
  }

  private void run(
      long seed, int from, int to, @Nullable Integer only, List<String> errors, Counts counts)
      throws Exception {
    Random random = new Random(seed * 1_000_003 + from);
    List<List<String>> columns = RandomSubquery.columns(random, TABLES);
    Path tables = directory.resolve("s" + from);
    java.nio.file.Files.createDirectory(tables);
    try (DuckDb duckDb = new DuckDb()) {
      for (int t = 0; t < TABLES; t++) {
        create(duckDb, random, "s" + t, columns.get(t), t);
      }
      duckDb.export(tables);
      try (Connection connection =
          DriverManager.getConnection(
              "jdbc:aragonite:directory=" + tables + ";memory=500MB;threads=1")) {
        for (int i = from; i < to && errors.size() < MAX_ERRORS; i++) {
          String sql = RandomSubquery.of(new Random(seed * 1_000_003 + i), columns);
          if (only != null && i != only) {
            continue;
          }
          String error = error(connection, duckDb, sql, counts);
          if (error != null) {
            errors.add("statement %d: %s%n%s".formatted(i, sql, error));
          }
        }
      }
    }
  }

  /** Few rows of few values, so that there are equal ones; some columns have no nulls. */
  private static void create(
      DuckDb duckDb, Random random, String table, List<String> columns, int rows)
      throws SQLException {
    List<String> typed =
        columns.stream()
            .map(column -> column + (random.nextInt(4) == 0 ? " bigint" : " integer"))
            .toList();
    duckDb.execute("create table %s (%s)".formatted(table, String.join(", ", typed)));
    boolean[] nulls = new boolean[columns.size()];
    for (int c = 0; c < nulls.length; c++) {
      nulls[c] = random.nextInt(3) > 0;
    }
    for (int r = 0; r < rows; r++) {
      List<String> values = new ArrayList<>();
      for (int c = 0; c < columns.size(); c++) {
        boolean isNull = nulls[c] && random.nextInt(4) == 0;
        values.add(isNull ? "null" : String.valueOf(random.nextInt(4)));
      }
      duckDb.execute("insert into %s values (%s)".formatted(table, String.join(", ", values)));
    }
  }

  private static @Nullable String error(
      Connection connection, DuckDb duckDb, String sql, Counts counts) {
    Rows expected;
    try {
      expected = duckDb.query("select * from (" + sql + ") limit " + (MAX_ROWS + 1));
    } catch (SQLException e) {
      counts.notForDuckDb++;
      return Boolean.getBoolean("aragonite.random.strict") ? "DuckDB: " + e.getMessage() : null;
    }
    if (expected.rows().size() > MAX_ROWS) {
      return null;
    }
    try (Statement statement = connection.createStatement()) {
      Rows rows = Rows.read(statement.executeQuery(sql));
      String difference = rows.difference(expected, false);
      if (difference == null) {
        counts.agreed++;
      }
      return difference;
    } catch (SQLException e) {
      String message = String.valueOf(e.getMessage());
      // Calcite's validator takes a window in a subquery of HAVING for one in HAVING.
      if (message.contains("UNSUPPORTED") || message.contains("not permitted in the HAVING")) {
        counts.refused++;
        return Boolean.getBoolean("aragonite.random.strict") ? message : null;
      }
      return message;
    }
  }
}
