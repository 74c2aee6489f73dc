package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.aragonite.exec.testing.TestSample;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random statements with subqueries, up to four levels deep, give what PostgreSQL gives, if there
 * is a server and it can, else what DuckDB gives. A build runs the same few hundred each time;
 * {@code -Daragonite.subqueries=N} runs N. {@code -Daragonite.seed} begins elsewhere or repeats a
 * run, {@code -Daragonite.subqueries.query} one statement of it.
 */
class RandomSubqueryTest {
  private static final int MAX_ERRORS = 10;
  private static final int STATEMENTS = 240;
  private static final int TABLES = 6;

  /** Statements over the same tables. */
  private static final int ROUND = 60;

  /** Subqueries that only Enumerable runs are refused in one, and little memory is slow. */
  private static final Set<String> LEFT_OUT = Set.of("no-fallback", "tiny-memory");

  /** PostgreSQL cannot (FULL JOIN by no equality), or takes a minute. */
  private static final Set<String> CANNOT = Set.of("0A000", "57014");

  /** Answers of more rows tell no more. */
  private static final int MAX_ROWS = 20_000;

  @TempDir private Path directory = Path.of("");

  /** What became of the statements. */
  private static final class Counts {
    private int agreed;
    private int withPostgreSql;
    private int notCompared;
    private int refused;
    private int slowest;
    private long slowestNanos;

    void took(int statement, long nanos) {
      if (nanos > slowestNanos) {
        slowest = statement;
        slowestNanos = nanos;
      }
    }
  }

  @Test
  void agreesWithDuckDb() throws Exception {
    long seed = Long.getLong("aragonite.seed", 1);
    Integer only = Integer.getInteger("aragonite.subqueries.query");
    int end = Integer.getInteger("aragonite.subqueries", STATEMENTS);
    System.out.println("RandomSubqueryTest: repeat with -Daragonite.seed=" + seed);
    List<String> errors = new ArrayList<>();
    Counts counts = new Counts();
    int next = only == null ? 0 : only / ROUND * ROUND;
    int last = only == null ? end : only + 1;
    TestSample sample = new TestSample(RandomSubqueryTest.class);
    List<Integer> rounds = IntStream.iterate(next, i -> i < last, i -> i + ROUND).boxed().toList();
    boolean given = only != null || end != STATEMENTS;
    for (int from : given ? rounds : sample.some(rounds, 0.2)) {
      if (errors.size() < MAX_ERRORS) {
        run(seed, from, Math.min(from + ROUND, last), only, errors, counts);
      }
    }
    System.out.printf(
        "RandomSubqueryTest: %d statements agree (%d with PostgreSQL), %d not compared, %d refused;"
            + " the slowest, %d, took %.1f s%n",
        counts.agreed,
        counts.withPostgreSql,
        counts.notCompared,
        counts.refused,
        counts.slowest,
        counts.slowestNanos / 1e9);
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
    List<Configuration> configurations =
        Configuration.wanted().stream()
            .filter(one -> !one.forcesJoins() && !LEFT_OUT.contains(one.name()))
            .toList();
    Configuration configuration = configurations.get(from / ROUND % configurations.size());
    try (DuckDbOracle duckDb = new DuckDbOracle();
        PostgreSql postgreSql = new PostgreSql()) {
      for (int t = 0; t < TABLES; t++) {
        for (String sql : creation(random, "s" + t, columns.get(t), t)) {
          duckDb.execute(sql);
          postgreSql.execute(sql.replace("create table", "create temporary table"));
        }
      }
      duckDb.export(tables);
      configuration.run(
          Map.of("directory", tables.toString()),
          connection -> {
            for (int i = from; i < to && errors.size() < MAX_ERRORS; i++) {
              if (only != null && i != only) {
                continue;
              }
              String sql = RandomSubquery.of(new Random(seed * 1_000_003 + i), columns);
              long begin = System.nanoTime();
              String error = error(connection, duckDb, postgreSql, sql, counts);
              counts.took(i, System.nanoTime() - begin);
              if (error != null) {
                errors.add("statement %d (%s): %s%n%s".formatted(i, configuration, sql, error));
              }
            }
          });
    }
  }

  /** Few rows of few values, so that there are equal ones; some columns have no nulls. */
  private static List<String> creation(
      Random random, String table, List<String> columns, int rows) {
    List<String> typed =
        columns.stream()
            .map(column -> column + (random.nextInt(4) == 0 ? " bigint" : " integer"))
            .toList();
    List<String> statements = new ArrayList<>();
    statements.add("create table %s (%s)".formatted(table, String.join(", ", typed)));
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
      statements.add("insert into %s values (%s)".formatted(table, String.join(", ", values)));
    }
    return statements;
  }

  private static @Nullable String error(
      Connection connection,
      DuckDbOracle duckDb,
      PostgreSql postgreSql,
      String sql,
      Counts counts) {
    String limited = "select * from (" + sql + ") q limit " + (MAX_ROWS + 1);
    CorpusRows expected = null;
    boolean byPostgreSql = false;
    try {
      expected = postgreSql.query(limited);
      byPostgreSql = expected != null;
    } catch (SQLException e) {
      if (!CANNOT.contains(e.getSQLState())) {
        return "PostgreSQL: " + e.getMessage();
      }
    }
    if (expected == null) {
      try {
        expected = duckDb.query(limited);
      } catch (SQLException e) {
        counts.notCompared++;
        return Boolean.getBoolean("aragonite.random.strict") ? "DuckDB: " + e.getMessage() : null;
      }
    }
    if (expected.rows().size() > MAX_ROWS) {
      counts.notCompared++;
      return null;
    }
    try (Statement statement = connection.createStatement()) {
      CorpusRows rows = CorpusRows.read(statement.executeQuery(sql));
      String difference = rows.difference(expected, false);
      if (difference == null) {
        counts.agreed++;
        counts.withPostgreSql += byPostgreSql ? 1 : 0;
      }
      return difference;
    } catch (SQLException e) {
      String message = String.valueOf(e.getMessage());
      if (message.contains("UNSUPPORTED")) {
        counts.refused++;
        return Boolean.getBoolean("aragonite.random.strict") ? message : null;
      }
      return message;
    }
  }
}
