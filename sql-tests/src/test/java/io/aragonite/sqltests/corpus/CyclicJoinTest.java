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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random joins whose equalities close cycles give what DuckDB gives, with {@code multiway=levels},
 * {@code depth} and {@code auto}: over tables with duplicates, nulls, self-loops, a hub, no rows,
 * keys of 64 bits, of two widths, texts of several dictionaries, dates, decimals and composite
 * keys, with comparisons, filters, groupings and outer joins around them. {@code -Daragonite.seed}
 * repeats a run.
 */
class CyclicJoinTest {
  private static final int QUERIES = Integer.getInteger("aragonite.rounds", 80);
  private static final int MAX_ROWS = 60_000;
  private static final int[] SIZES = {0, 1, 20, 40, 60};

  /** Columns that can be equal: of 32 bits, of 64, of 32 and 64, texts, dates, decimals. */
  private static final List<List<String>> TYPES =
      List.of(
          List.of("x", "y"),
          List.of("z", "u"),
          List.of("s", "t"),
          List.of("x", "v"),
          List.of("p", "q"),
          List.of("m", "n"));

  @TempDir private Path directory = Path.of("");

  @Test
  void agreesWithDuckDb() throws Exception {
    String given = System.getProperty("aragonite.seed", "");
    long seed = given.isEmpty() ? System.nanoTime() % 1_000_000 : Long.parseLong(given);
    System.out.println("Repeat with -Dtest=CyclicJoinTest -Daragonite.seed=" + seed);
    List<String> errors = new ArrayList<>();
    int[] done = new int[3];
    try (DuckDbOracle duckDb = new DuckDbOracle()) {
      tables(duckDb, new Random(seed));
      duckDb.export(directory);
      List<Configuration> configurations =
          Configuration.wanted().stream()
              .filter(c ->
                  List.of("hash-zero", "small-batches", "no-fallback", "discrete")
                      .contains(c.name()))
              .toList();
      for (int c = 0; c < configurations.size(); c++) {
        Configuration configuration = configurations.get(c);
        int from = QUERIES * c / configurations.size();
        int to = QUERIES * (c + 1) / configurations.size();
        for (String mode : List.of("levels", "depth", "auto")) {
          configuration.run(
              Map.of("directory", directory.toString(), "multiway", mode),
              connection -> {
                for (int i = from; i < to; i++) {
                  String sql = query(new Random(seed * 1_000_003 + i));
                  String error = error(connection, duckDb, sql, mode.equals("levels"), done);
                  if (error != null) {
                    errors.add(
                        "query %d (%s, %s): %s%n%s".formatted(i, configuration, mode, sql, error));
                  }
                }
              });
        }
      }
    }
    System.out.printf(
        "CyclicJoinTest: %d agree, %d of %d with on as one join%n", done[0], done[1], done[2]);
    if (!errors.isEmpty()) {
      fail(
          "seed %d%n%s"
              .formatted(seed, String.join("\n", errors.subList(0, Math.min(8, errors.size())))));
    }
    assertTrue(done[1] > done[2] / 3, "many of them should run as one join");
  }

  private static void tables(DuckDbOracle duckDb, Random random) throws SQLException {
    for (int t = 0; t < SIZES.length; t++) {
      duckDb.execute(
          ("create table g%d (id integer, x integer, y integer, z bigint, u bigint, s varchar,"
                  + " t varchar, v bigint, p date, q date, m decimal(16,2), n decimal(16,2),"
                  + " w double)")
              .formatted(t));
      int domain = SIZES[t] / 4 + 2 + random.nextInt(SIZES[t] / 2 + 1);
      boolean hub = random.nextBoolean();
      double nulls = random.nextInt(3) * 0.08;
      for (int id = 0; id < SIZES[t]; id++) {
        List<String> values = new ArrayList<>();
        values.add(String.valueOf(id % 20));
        for (int c = 0; c < 11; c++) {
          int value = hub && random.nextInt(8) == 0 ? 0 : random.nextInt(domain);
          boolean none = random.nextDouble() < nulls;
          values.add(none ? "null" : value(c, value));
        }
        values.add(String.valueOf(random.nextInt(1000) / 8.0));
        duckDb.execute("insert into g" + t + " values (" + String.join(", ", values) + ")");
      }
    }
    // Long cycles are joined over a table in which they have little choice.
    duckDb.execute("create table c as select * from g4 limit 0");
    for (int id = 0; id < 40; id++) {
      duckDb.execute(
          "insert into c values (%d, %d, %d, %d, %d, 'n%d', 'n%d', null, null, null, null, null, %d)"
              .formatted(
                  id % 20, id % 30, (id + 10) % 30, id, (id + 8) % 40, id, (id + 4) % 40, id));
    }
    // Texts of one dictionary only: a table of its own, joined with itself.
    duckDb.execute("create table h as select * from g3");
  }

  /** The value with a number in the c-th column behind ID. */
  private static String value(int c, int number) {
    return switch (c) {
      case 0, 1, 6 -> String.valueOf(number - 3);
      case 2, 3 -> String.valueOf((number - 3) * 1_234_567_890_123L);
      case 4, 5 -> "'n" + number + "'";
      case 7, 8 -> "date '2000-02-" + (number % 28 + 1) + "'";
      default -> (number - 3) * 98_765_432_109L + ".25";
    };
  }

  /** Conditions of a random query: a cycle, more equalities, comparisons, filters. */
  private static List<String> conditions(Random random, int relations, List<String> type) {
    List<String> where = new ArrayList<>();
    boolean directed = random.nextBoolean();
    for (int r = 0; r < relations; r++) {
      // A cycle: each relation's second column is the next one's first.
      int next = (r + 1) % relations;
      boolean turned = !directed && random.nextBoolean();
      String left = type.get(turned ? 0 : 1);
      String right = type.get(turned ? 1 : random.nextInt(4) == 0 ? 1 : 0);
      where.add("r%d.%s = r%d.%s".formatted(r, left, next, right));
    }
    for (int more = random.nextInt(4); more > 0; more--) {
      int a = random.nextInt(relations);
      int b = random.nextInt(relations);
      List<String> other = TYPES.get(random.nextInt(TYPES.size()));
      if (a != b) {
        where.add(
            "r%d.%s = r%d.%s"
                .formatted(a, other.get(random.nextInt(2)), b, other.get(random.nextInt(2))));
      }
    }
    for (int more = random.nextInt(3); more > 0; more--) {
      String op = List.of("<", "<=", ">", ">=", "<>").get(random.nextInt(5));
      List<String> compared = random.nextBoolean() ? type : TYPES.get(0);
      where.add(
          "r%d.%s %s r%d.%s"
              .formatted(
                  random.nextInt(relations),
                  compared.get(random.nextInt(2)),
                  op,
                  random.nextInt(relations),
                  compared.get(random.nextInt(2))));
    }
    if (random.nextInt(3) == 0) {
      where.add("r0.x > " + random.nextInt(4));
    }
    if (random.nextInt(8) == 0) {
      where.add("exists (select 1 from g2 q where q.id = r1.id and q.y = r0.x)");
    }
    return where;
  }

  /** What a random query asks of its tables and conditions. */
  private static String select(Random random, List<String> type, String tables) {
    return switch (random.nextInt(8)) {
      case 6 ->
          "select r0.%1$s, count(*) from %2$s group by r0.%1$s".formatted(type.get(0), tables);
      case 7 ->
          "select r1.x, count(*), sum(r1.x), min(r1.x), max(r0.y), count(r1.x) from %s group by r1.x"
              .formatted(tables);
      case 0, 1 -> "select count(*) from " + tables;
      case 2 -> "select r0.x, count(*), sum(r1.w) from " + tables + " group by r0.x";
      case 3 -> "select sum(r2.w), min(r1.s), count(r0.y), count(*) from " + tables;
      case 4 -> "select r0.id, r1.w, r2.s, r0.x, r1.z from " + tables;
      default -> "select distinct r0.x, r2.y from " + tables;
    };
  }

  /** A random query. */
  private static String query(Random random) {
    int relations = random.nextInt(12) == 0 ? 12 : 3 + random.nextInt(3);
    boolean alike = random.nextInt(3) > 0;
    int one = 2 + random.nextInt(3);
    List<String> from = new ArrayList<>();
    for (int r = 0; r < relations; r++) {
      String table =
          relations == 12
              ? "c"
              : alike ? "g" + one : random.nextInt(9) == 0 ? "h" : "g" + random.nextInt(5);
      from.add(table + " r" + r);
    }
    List<String> type = TYPES.get(random.nextInt(relations == 12 ? 3 : TYPES.size()));
    List<String> where = conditions(random, relations, type);
    String outer = "";
    if (random.nextInt(5) == 0) {
      outer = " left join g2 o on o.id = r0.id and o.x = r2.y";
    }
    String tables =
        outer.isEmpty()
            ? String.join(", ", from) + " where " + String.join(" and ", where)
            : String.join(" cross join ", from) + outer + " where " + String.join(" and ", where);
    return select(random, type, tables);
  }

  private static @Nullable String error(
      Connection connection, DuckDbOracle duckDb, String sql, boolean on, int[] done)
      throws SQLException {
    CorpusRows expected = duckDb.query("select * from (" + sql + ") limit " + (MAX_ROWS + 1));
    if (expected.rows().size() > MAX_ROWS) {
      return null;
    }
    try (Statement statement = connection.createStatement()) {
      CorpusRows rows = CorpusRows.read(statement.executeQuery(sql));
      done[0]++;
      if (on) {
        done[2]++;
        CorpusRows plan = CorpusRows.read(statement.executeQuery("explain plan for " + sql));
        done[1] += plan.rows().toString().contains("MultiwayJoin [") ? 1 : 0;
      }
      String difference = rows.difference(expected, false);
      if (difference == null) {
        return null;
      }
      // DuckDB 2.0.0's optimizer loses rows of some cycles over texts (seed 812147, query 13: a
      // nested loop by hand finds the 45 rows that it finds without).
      duckDb.execute("pragma disable_optimizer");
      try {
        return rows.difference(duckDb.query(sql), false);
      } finally {
        duckDb.execute("pragma enable_optimizer");
      }
    } catch (SQLException e) {
      return e.getMessage();
    }
  }
}
