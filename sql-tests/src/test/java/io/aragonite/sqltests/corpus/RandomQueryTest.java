package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random queries over random tables give what DuckDB gives. A build runs the same hundred each
 * time; {@code -Daragonite.random.seconds=N} searches on for N seconds. {@code -Daragonite.seed}
 * begins elsewhere or repeats a run, {@code -Daragonite.random.query} one query of it.
 */
class RandomQueryTest {
  private static final int MAX_ERRORS = 10;
  private static final int MAX_ROWS = 300_000;
  private static final int QUERIES = 100;

  /** A join by something else than an equality. */
  private static final Pattern UNEQUAL = Pattern.compile("join r\\d+ t\\d+ on t\\d+\\.i < ");

  @TempDir private Path directory = Path.of("");

  @Test
  void agreesWithDuckDb() throws Exception {
    String given = System.getProperty("aragonite.seed", "");
    Long seconds = Long.getLong("aragonite.random.seconds");
    long seed = given.isEmpty() ? 1 : Long.parseLong(given);
    System.out.println("RandomQueryTest: repeat with -Daragonite.seed=" + seed);
    List<String> errors = new ArrayList<>();
    int[] done = new int[2];
    try (DuckDbOracle duckDb = new DuckDbOracle()) {
      List<Integer> sizes = RandomTables.create(duckDb, new Random(seed));
      duckDb.export(directory);
      long end = System.nanoTime() + (seconds == null ? 300 : seconds) * 1_000_000_000L;
      List<Configuration> configurations =
          Configuration.wanted().stream()
              .filter(c -> !c.name().equals("no-fallback") && !c.name().equals("tiny-memory"))
              .toList();
      Integer only = Integer.getInteger("aragonite.random.query");
      int next = only == null ? 0 : only;
      while (System.nanoTime() < end
          && (seconds != null || only != null || next < QUERIES)
          && errors.size() < MAX_ERRORS
          && (only == null || next == only)) {
        Configuration configuration = configurations.get(next / 50 % configurations.size());
        int from = next;
        next = only == null ? from + 50 : from + 1;
        int to = next;
        configuration.run(
            Map.of("directory", directory.toString()),
            connection -> {
              for (int i = from;
                  i < to && System.nanoTime() < end && errors.size() < MAX_ERRORS;
                  i++) {
                String sql = RandomQuery.of(new Random(seed * 1_000_003 + i), sizes);
                String error = error(connection, duckDb, sql, done);
                if (error != null) {
                  errors.add("query %d (%s): %s%n%s".formatted(i, configuration, sql, error));
                }
              }
            });
      }
    }
    System.out.printf("RandomQueryTest: %d queries agree, %d not for DuckDB%n", done[0], done[1]);
    if (!errors.isEmpty()) {
      fail("seed %d%n%s".formatted(seed, String.join("\n", errors)));
    }
    assertTrue(done[0] > 0, "no query was compared");
  }

  private static @Nullable String error(
      Connection connection, DuckDbOracle duckDb, String sql, int[] done) {
    CorpusRows expected;
    try {
      expected = duckDb.query("select * from (" + sql + ") limit " + (MAX_ROWS + 1));
    } catch (SQLException e) {
      done[1]++;
      return Boolean.getBoolean("aragonite.random.strict") ? "DuckDB: " + e.getMessage() : null;
    }
    if (expected.rows().size() > MAX_ROWS) {
      return null;
    }
    try (Statement statement = connection.createStatement()) {
      CorpusRows rows = CorpusRows.read(statement.executeQuery(sql));
      done[0]++;
      return rows.difference(expected, false);
    } catch (SQLException e) {
      // A forced algorithm is refused where a join has no equality.
      String message = String.valueOf(e.getMessage());
      boolean refused =
          e.getErrorCode() == Corpus.JOIN_UNSUPPORTED
              && message.contains("it has no equality")
              && UNEQUAL.matcher(sql).find();
      return refused ? null : message;
    }
  }
}
