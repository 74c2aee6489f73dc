package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Joins whose equalities close a cycle over input of every awkward kind, one after the other: what
 * DuckDB says, level by level, depth first and by joins of two relations.
 */
class CyclicCasesTest {
  private static final String TRIANGLE =
      "from %1$s a, %1$s b, %1$s c where a.y = b.x and b.y = c.x and c.y = a.x";

  @TempDir private Path directory = Path.of("");

  /** A query, and whether it is one join over tries where that is asked for. */
  private record Case(String sql, boolean one) {}

  private static Map<String, Case> cases() {
    Map<String, Case> cases = new LinkedHashMap<>();
    addRows(cases);
    addShapes(cases);
    addTypesAndAggregates(cases);
    return cases;
  }

  /** Triangles over unusual rows and keys. */
  private static void addRows(Map<String, Case> cases) {
    cases.put("self-loops", one("select count(*) " + TRIANGLE.formatted("loops")));
    cases.put("duplicates", one("select a.id, b.id, c.id " + TRIANGLE.formatted("twice")));
    cases.put("counted duplicates", one("select count(*) " + TRIANGLE.formatted("twice")));
    cases.put("nulls", one("select a.x, b.x, c.x " + TRIANGLE.formatted("gaps")));
    cases.put("no rows", one("select count(*), sum(a.x) " + TRIANGLE.formatted("nothing")));
    cases.put("nulls only", one("select count(*) " + TRIANGLE.formatted("missing")));
    cases.put("a hub", one("select count(*), count(a.id) " + TRIANGLE.formatted("hub")));
    cases.put("texts", one("select a.x, b.x, c.x " + TRIANGLE.formatted("texts")));
    cases.put(
        "texts of three dictionaries",
        one(
            "select a.x, c.x from texts a, names b, texts2 c"
                + " where a.y = b.x and b.y = c.x and c.y = a.x"));
    cases.put("64 bits", one("select a.x, b.x, c.x " + TRIANGLE.formatted("wide")));
    cases.put(
        "64 bits, compared",
        one("select count(*) " + TRIANGLE.formatted("wide") + " and a.x < b.x and b.x <> c.y"));
    cases.put(
        "composite keys",
        one(
            "select count(*), min(a.id) from pairs a, pairs b, pairs c where a.y = b.x and a.v ="
                + " b.u and b.y = c.x and b.v = c.u and c.y = a.x and c.v = a.u"));
    cases.put(
        "a cycle by way of others",
        one(
            "select count(*) from twice a, twice b, twice c, twice d"
                + " where a.y = d.id and d.id = b.x and b.y = c.x and c.y = a.x"));
  }

  /** Long cycles, and outer joins around, over and within one. */
  private static void addShapes(Map<String, Case> cases) {
    StringBuilder twelve = new StringBuilder("select count(*) from ring r0");
    StringBuilder where = new StringBuilder(" where r11.y = r0.x");
    for (int i = 1; i < 12; i++) {
      twelve.append(", ring r").append(i);
      where.append(" and r%d.y = r%d.x".formatted(i - 1, i));
    }
    cases.put("twelve relations", one(twelve.toString() + where));
    cases.put(
        "an outer join around it",
        one(
            "select t.x, o.id from (select a.x, b.y "
                + TRIANGLE.formatted("twice")
                + ") t left join gaps o on o.x = t.x and o.y = t.y"));
    cases.put(
        "an outer join over it",
        one(
            "select o.id, t.n from gaps o left join (select a.x as x, count(*) as n "
                + TRIANGLE.formatted("twice")
                + " group by a.x) t on o.x = t.x"));
    cases.put(
        "an outer join within",
        new Case(
            "select count(*) from twice a join twice b on a.y = b.x left join twice c"
                + " on b.y = c.x and c.y = a.x",
            false));
  }

  private static void addTypesAndAggregates(Map<String, Case> cases) {
    cases.put(
        "floating point", one("select a.x, b.x, c.x, a.id " + TRIANGLE.formatted("floating")));
    cases.put("single precision", one("select count(*) " + TRIANGLE.formatted("singles")));
    cases.put(
        "integers of three types",
        new Case(
            "select a.x, b.x, c.x, b.id from sizes a, sizes b, sizes c"
                + " where a.y = b.x and b.z = c.y and c.z = a.x",
            false));
    cases.put(
        "decimals of many digits",
        new Case("select count(*) " + TRIANGLE.formatted("long"), false));
    cases.put(
        "groups",
        one(
            "select a.x, count(*), sum(a.x), min(b.x), max(a.y), count(c.x) "
                + TRIANGLE.formatted("twice")
                + " group by a.x"));
    // Twice or more what fits 64 bits, of either sign, and together less.
    for (String column : List.of("a.x", "b.x", "c.x")) {
      cases.put(
          "a sum that overflows in parts, of " + column,
          one("select sum(%s) ".formatted(column) + TRIANGLE.formatted("far")));
    }
    cases.put(
        "a limit",
        one("select count(*) from (select a.x " + TRIANGLE.formatted("hub") + " limit 7)"));
  }

  private static Case one(String sql) {
    return new Case(sql, true);
  }

  private static void tables(DuckDbOracle duckDb) throws SQLException {
    String edges = "create table %s as select i as id, %s as x, %s as y from range(%d) t(i)";
    duckDb.execute(edges.formatted("loops", "(i % 9)::int", "(i * i % 9)::int", 60));
    duckDb.execute(edges.formatted("twice", "(i % 7)::int", "(i * 3 % 11 % 7)::int", 50));
    duckDb.execute(
        edges.formatted(
            "gaps",
            "case when i % 5 = 0 then null else (i % 8)::int end",
            "case when i % 7 = 3 then null else (i * 5 % 8)::int end",
            70));
    duckDb.execute(edges.formatted("nothing", "i::int", "i::int", 0));
    duckDb.execute(edges.formatted("missing", "null::int", "i::int", 20));
    duckDb.execute(
        edges.formatted(
            "hub", "(case when i < 200 then 0 else i - 200 end)::int", "(i % 200)::int", 400));
    duckDb.execute(edges.formatted("texts", "'é' || (i % 8)", "'é' || (i * 3 % 8)", 40));
    duckDb.execute(edges.formatted("texts2", "'é' || (i % 5)", "'é' || (i * 3 % 11)", 40));
    duckDb.execute(edges.formatted("names", "'é' || (i % 12)", "'é' || (i * 7 % 10)", 40));
    String wide = "((%s) - 4) * 2000000000000000000::bigint";
    duckDb.execute(
        edges.formatted("wide", wide.formatted("i % 9"), wide.formatted("i * i % 9"), 60));
    String far =
        "case when i // %d %% 2 = 0 then 9000000000000000000 else -8999999999999999999 end";
    duckDb.execute(edges.formatted("far", far.formatted(1), far.formatted(2), 8));
    duckDb.execute(edges.formatted("ring", "(i % 12)::int", "((i + 1) % 12)::int", 20));
    // A NaN is equal to itself.
    String zeros =
        "case when %1$s = 0 and i %% 2 = 0 then -0.0::%2$s when %1$s = 1 then 'nan'::%2$s ";
    zeros += "when %1$s = 2 then null when %1$s = 3 then 'inf'::%2$s else (%1$s + 0.25)::%2$s end";
    for (String type : List.of("double", "float")) {
      duckDb.execute(
          edges.formatted(
              type.equals("double") ? "floating" : "singles",
              zeros.formatted("(i % 6)", type),
              zeros.formatted("(i * 5 % 7)", type),
              60));
    }
    duckDb.execute(
        "create table sizes as select i as id, (i % 7)::smallint as x, (i * 3 % 11 - 2)::int as y,"
            + " case when i % 9 = 0 then 5000000000 else i * 5 % 8 end::bigint as z"
            + " from range(70) t(i)");
    String many = "((%s) * 1e20::decimal(38,0))::decimal(30,0)";
    duckDb.execute(
        edges.formatted("long", many.formatted("i % 6"), many.formatted("i * 5 % 6"), 30));
    duckDb.execute(
        "create table pairs as select i as id, (i % 4)::int as x, (i * 3 % 5 % 4)::int as y,"
            + " 'k' || (i % 3) as u, 'k' || (i * 2 % 3) as v from range(80) t(i)");
  }

  @Test
  void areRight() throws Exception {
    List<String> wrong = new ArrayList<>();
    try (DuckDbOracle duckDb = new DuckDbOracle()) {
      tables(duckDb);
      duckDb.export(directory);
      for (String mode : List.of("levels", "depth", "off")) {
        String device = System.getProperty("aragonite.test.device", "cpu");
        String url =
            "jdbc:aragonite:directory=%s;device=%s;multiway=%s"
                .formatted(directory, device.equals("cuda") ? "cuda" : "cpu", mode);
        try (Connection connection = DriverManager.getConnection(url);
            Statement statement = connection.createStatement()) {
          for (Map.Entry<String, Case> entry : cases().entrySet()) {
            String sql = entry.getValue().sql();
            CorpusRows rows = CorpusRows.read(statement.executeQuery(sql));
            String difference = rows.difference(duckDb.query(sql), false);
            if (difference != null) {
              wrong.add(entry.getKey() + ", " + mode + ": " + difference);
            }
            String plan =
                CorpusRows.read(statement.executeQuery("explain analyze " + sql)).rows().toString();
            boolean one =
                plan.contains("MultiwayJoin [") && !plan.contains("two relations at a time:");
            if (one != (entry.getValue().one() && !mode.equals("off"))) {
              wrong.add(entry.getKey() + ", " + mode + (one ? ": one join" : ": joins of two"));
            }
          }
        }
      }
    }
    assertTrue(wrong.isEmpty(), () -> String.join("\n", wrong));
  }
}
