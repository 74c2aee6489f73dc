package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.aragonite.exec.testing.TestSample;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Filters over files whose rows have some order, so that row groups are left out: what DuckDB
 * answers without a look at their statistics.
 */
class SkippedRowsTest {
  private static final TestSample SAMPLE = new TestSample(SkippedRowsTest.class);

  private static final String DEVICE = "aragonite.test.device";

  /** Rows in the order of {@code i}; most columns ascend, or have the same value for a while. */
  private static final String ROWS =
      """
      select i as id, timestamp '2024-01-01 00:00:00' + to_minutes(i) as t,
        date '2024-01-01' + (i // 1000)::integer as d,
        case when i % 3 = 0 then null else i // 2048 end as n,
        case when i >= 4096 and i < 8192 then null else (i // 100)::smallint end as gap,
        case when i // 2048 = 3 then 'nan'::double when i % 900 = 5 then 'nan'::double
          when i < 2048 then -0.0 else i / 8.0 end as f,
        (i * 10.25)::decimal(12, 2) as p, (i * 1000000007::hugeint)::decimal(30, 4) as w,
        (4294967295 - i)::uinteger as u, (18446744073709551615 - i)::ubigint as uu,
        (i - 5000)::tinyint_or_null as tiny,
        case when i % 11 = 0 then null else 'key ' || lpad((i // 500)::varchar, 4, '0') end as k,
        case when i // 3000 = 1 then 'é' || i else repeat('x', 300) || i end as long_text,
        i % 2 = 0 as even
      from (select range as i from range(20000))
      """
          .replace("(i - 5000)::tinyint_or_null", "((i // 256) - 40)::tinyint");

  @TempDir private Path directory = Path.of("");
  private final Random random = new Random(Long.getLong("aragonite.seed", 5));

  @BeforeEach
  void write() throws SQLException {
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duck.createStatement()) {
      statement.execute("set threads = 1");
      statement.execute(
          "copy (%s) to '%s' (format parquet, row_group_size 2048)"
              .formatted(ROWS, directory.resolve("events.parquet")));
    }
  }

  private Connection open() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:aragonite:directory=%s;threads=2;fallback=off".formatted(directory));
  }

  private String literal(int column) {
    int i = random.nextInt(24_000) - 2000;
    return switch (column) {
      case 0 -> String.valueOf(i);
      case 1 -> "timestamp '2024-01-%02d %02d:30:00'".formatted(1 + random.nextInt(20), i & 15);
      case 2 -> "date '2024-01-%02d'".formatted(1 + random.nextInt(28));
      case 3 -> String.valueOf(random.nextInt(12) - 1);
      case 4 -> String.valueOf(i / 100);
      case 5 -> List.of("cast(0 as double)", i / 8.0 + "e0").get(random.nextInt(2));
      case 6 -> i * 10 + ".25";
      case 7 -> i * 1_000_000_007L + ".0000";
      case 8 -> String.valueOf(4_294_967_295L - i);
      case 9 ->
          "cast('%s' as decimal(20, 0))".formatted(Long.toUnsignedString(-1L - Math.max(0, i)));
      case 10 -> String.valueOf(random.nextInt(100) - 50);
      case 11 -> "'key %04d'".formatted(random.nextInt(44));
      default -> List.of("'é'", "'é4000'", "'x'", "'y'", "''").get(random.nextInt(5));
    };
  }

  private static final List<String> COLUMNS =
      List.of("id", "t", "d", "n", "gap", "f", "p", "w", "u", "uu", "tiny", "k", "long_text");

  private String predicate(int depth) {
    if (depth > 0 && random.nextInt(3) > 0) {
      String both = "(%s) %s (%s)";
      return random.nextInt(4) == 0
          ? "not (%s)".formatted(predicate(depth - 1))
          : both.formatted(
              predicate(depth - 1), random.nextBoolean() ? "and" : "or", predicate(depth - 1));
    }
    int column = random.nextInt(COLUMNS.size());
    String name = COLUMNS.get(column);
    String comparison = List.of("=", "<>", "<", "<=", ">", ">=").get(random.nextInt(6));
    return switch (random.nextInt(10)) {
      case 0 -> name + " is null";
      case 1 -> name + " is not null";
      case 2 -> "%s between %s and %s".formatted(name, literal(column), literal(column));
      case 3 -> "%s in (%s, %s)".formatted(name, literal(column), literal(column));
      case 4 -> "k like 'key 00%d%%'".formatted(random.nextInt(5));
      default -> "%s %s %s".formatted(name, comparison, literal(column));
    };
  }

  private static List<String> row(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      assertTrue(rows.next());
      List<String> values = new ArrayList<>();
      for (int c = 1; c <= rows.getMetaData().getColumnCount(); c++) {
        values.add(String.valueOf(rows.getString(c)));
      }
      assertFalse(rows.next());
      return values;
    }
  }

  private static String explain(Statement statement, String sql) throws SQLException {
    StringBuilder text = new StringBuilder();
    try (ResultSet rows = statement.executeQuery("explain analyze " + sql)) {
      while (rows.next()) {
        text.append(rows.getString(1)).append('\n');
      }
    }
    return text.toString();
  }

  private interface Check {
    void accept() throws SQLException;
  }

  private static void onEachDevice(Check check) throws SQLException {
    String given = System.getProperty(DEVICE, "");
    for (String device : given.isEmpty() ? List.of("", "discrete") : List.of(given)) {
      if (!device.isEmpty()) {
        System.setProperty(DEVICE, device);
      }
      try {
        check.accept();
      } finally {
        if (given.isEmpty()) {
          System.clearProperty(DEVICE);
        }
      }
    }
  }

  @Test
  void answersAreThoseOfAllRows() throws SQLException {
    SAMPLE.assume(0.5);
    onEachDevice(() -> {
      int skipping = 0;
      try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
          Statement oracle = duck.createStatement()) {
        oracle.execute("create table events as " + ROWS);
        for (int round = 0; round < 20; round++) {
          // What is loaded once is not read past the cache any more.
          try (Connection connection = open();
              Statement statement = connection.createStatement()) {
            for (int query = 0; query < 3; query++) {
              String sql =
                  "select count(*), sum(id), min(p), max(k), count(even) from events where "
                      + predicate(2);
              skipping += explain(statement, sql).contains("parts skipped") ? 1 : 0;
              assertEquals(row(oracle, sql), row(statement, sql), sql);
            }
          }
        }
      }
      assertTrue(skipping > 10, skipping + " of 60 queries left row groups out");
    });
  }

  @Test
  void explainSaysWhatWasLeftOut() throws SQLException {
    onEachDevice(() -> {
      try (Connection connection = open();
          Statement statement = connection.createStatement()) {
        String plan =
            explain(
                statement,
                "select sum(p) from events where t >= timestamp '2024-01-03 00:00:00' and t <"
                    + " timestamp '2024-01-04 00:00:00'");
        assertTrue(plan.contains("parts read 2"), plan);
        assertTrue(plan.contains("parts skipped 8"), plan);
        assertTrue(plan.contains("file bytes "), plan);
        String none = explain(statement, "select sum(w) from events where gap > 300");
        assertTrue(none.contains("parts read 0"), none);
        assertEquals(
            List.of("0", "null"),
            row(statement, "select count(*), sum(w) from events where gap > 300"));
      }
    });
  }

  /** Files of one table, one of them with a narrower type and without a column. */
  @Test
  void filesOfATableAreSkippedByTheirOwnStatistics() throws SQLException {
    Path folder = directory.resolve("many");
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duck.createStatement()) {
      statement.execute(
          "copy (select i as id, i * 2 as v, i // 5000 as p from (select range as i from range(10000))) to '%s' (format parquet, partition_by (p), row_group_size 2048)"
              .formatted(folder));
      statement.execute(
          "copy (select (i + 10000)::integer as id, 2 as p from (select range as i from range(5000))) to '%s' (format parquet, partition_by (p), append, row_group_size 2048)"
              .formatted(folder));
    }
    onEachDevice(() -> {
      try (Connection connection = open();
          Statement statement = connection.createStatement()) {
        String from = "select count(*), sum(id), count(v) from '%s/**/*.parquet' where ";
        String low = from.formatted(folder) + "id between 100 and 200";
        assertTrue(explain(statement, low).contains("parts skipped"), explain(statement, low));
        assertEquals(List.of("101", "15150", "101"), row(statement, low));
        assertEquals(
            List.of("11", "110055", "0"),
            row(statement, from.formatted(folder) + "id between 10000 and 10010"));
        assertEquals(
            List.of("1", "4999", "1"),
            row(statement, from.formatted(folder) + "v between 9998 and 9998 and p < 2"));
        assertEquals(
            List.of("0", "null", "0"), row(statement, from.formatted(folder) + "v < 0 and p = 2"));
      }
    });
  }

  /** A column that is read over and over is loaded, and read from memory then. */
  @Test
  void whatIsReadOftenIsLoaded() throws SQLException {
    onEachDevice(() -> {
      try (Connection connection = open();
          Statement statement = connection.createStatement()) {
        int skipping = 0;
        for (int i = 0; i < 20; i++) {
          String plan = explain(statement, "select sum(w) from events where u > 4294965295 - " + i);
          skipping += plan.contains("parts skipped 9") ? 1 : 0;
        }
        assertEquals(10, skipping, 1);
      }
    });
  }

  /** Each row group has values of its own, between the same bounds. */
  @Test
  void bloomFiltersLeaveRowGroupsOut() throws SQLException {
    Path file = directory.resolve("bloom.parquet");
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duck.createStatement()) {
      statement.execute(
          "copy (select (i %% 50 * 10 + i // 2048)::integer as n, 'key ' || (i %% 50 * 10 + i // 2048) as k, i from (select range as i from range(20480))) to '%s' (format parquet, row_group_size 2048)"
              .formatted(file));
    }
    onEachDevice(() -> {
      for (String filter : List.of("n in (123, 223)", "k = 'key 123' and n > 5")) {
        try (Connection connection = open();
            Statement statement = connection.createStatement()) {
          String sql = "select count(*), min(i / 2048), max(i / 2048) from bloom where ";
          String plan = explain(statement, sql + filter);
          // A filter may say yes to a value that is not there.
          assertTrue(plan.matches("(?s).*parts skipped [789].*"), plan);
          String rows = filter.contains("in") ? "82" : "41";
          assertEquals(List.of(rows, "3", "3"), row(statement, sql + filter), filter);
          assertEquals(List.of("0", "null", "null"), row(statement, sql + "k = 'none'"));
          assertEquals("20439", row(statement, sql + "n <> 123").getFirst());
        }
      }
    });
  }

  /** Rows in no order, but for {@code place}, of which bounds tell nothing either. */
  private static final String WIDE =
      """
      select (i * 7919) % 100003 as id, case when i % 7 = 0 then null else (i * 31) % 1000 end as n,
        case when i between 40000 and 41000 then 'here ' || i % 5 else 'elsewhere ' || i % 7 end
          as place,
        md5(i::varchar) as t, case when i % 5 = 0 then null else 'some words ' || i end as u,
        i * 1.25 as d, (i * 1000000007::hugeint)::decimal(30, 4) as w, i % 3 = 0 as b, i as seq
      from (select range as i from range(100003))
      """;

  private Path wide() throws SQLException {
    Path file = directory.resolve("wide.parquet");
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duck.createStatement()) {
      statement.execute(
          "copy (%s) to '%s' (format parquet, row_group_size 20480)".formatted(WIDE, file));
    }
    return file;
  }

  private String fewRows() {
    int i = random.nextInt(100_010);
    return switch (random.nextInt(7)) {
      case 0 -> "id = " + i;
      case 1 -> "id in (%d, %d, -5, %d)".formatted(i, i / 2, i / 3);
      case 2 -> "place like '%ere 3' and n > " + i % 1000;
      case 3 -> "n = %d and id < 30000".formatted(i % 1000);
      case 4 -> "id = %d or place = 'here %d'".formatted(i, i % 6);
      case 5 -> "n is null and id between %d and %d".formatted(i, i + 40);
      default -> "id > 100003 - " + i % 300;
    };
  }

  /** Of the other columns parts are read, and later all of them: each answer is DuckDB's. */
  @Test
  void otherColumnsAreReadWhereAFilterKeepsRows() throws SQLException {
    Path file = wide();
    onEachDevice(() -> {
      int first = 0;
      try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
          Statement oracle = duck.createStatement()) {
        oracle.execute("create table wide as " + WIDE);
        for (int round = 0; round < 6; round++) {
          try (Connection connection = open();
              Statement statement = connection.createStatement()) {
            String few =
                "select count(*), sum(id), max(t), min(u), count(u), sum(d), sum(w), count(*)"
                    + " filter (where b), max(place), sum(seq) from wide where "
                    + fewRows();
            first +=
                explain(statement, few).contains("blocks found by the filter's columns") ? 1 : 0;
            String all = "select count(*), max(t), count(u), sum(w) from wide where seq % 2 = 0";
            for (String sql : List.of(few, all, few)) {
              assertEquals(row(oracle, sql), row(statement, sql), sql);
            }
          }
        }
      }
      assertTrue(first >= 3, first + " of 6 queries read the filter's columns first");
      try (Connection connection = open();
          Statement statement = connection.createStatement()) {
        String many = "select max(t), count(u), sum(w), min(d) from wide where ";
        String plan = explain(statement, many + "n < 900");
        assertFalse(plan.contains("blocks found") || plan.contains("parts read"), plan);
        String one = explain(statement, "select * from '%s' where id = 5".formatted(file));
        assertTrue(one.contains("parts read 1, parts skipped 4"), one);
      }
    });
  }

  private static List<Long> rows(Statement statement, String sql) throws SQLException {
    List<Long> numbers = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        numbers.add(rows.getLong("seq"));
        long row = rows.getLong("seq");
        assertEquals(row % 5 == 0 ? null : "some words " + row, rows.getString("u"));
      }
    }
    return numbers;
  }

  /** Some rows are read from the beginning of the file; a column stays whole in memory or not. */
  @Test
  void aLimitReadsFirstRows() throws SQLException {
    wide();
    onEachDevice(() -> {
      for (String limit : List.of("limit 1", "limit 5 offset 30", "limit 300 offset 2000")) {
        try (Connection connection = open();
            Statement statement = connection.createStatement()) {
          String sql = "select * from wide " + limit;
          String plan = explain(statement, sql);
          assertTrue(plan.contains("parts read"), plan);
          int count = Integer.parseInt(limit.split(" ")[1]);
          assertEquals(count, rows(statement, sql).size());
          assertEquals(List.of(), rows(statement, "select * from wide limit 0"));
          assertEquals(
              List.of("100003", "80002", "50002"),
              row(statement, "select count(t), count(u), max(id) / 2 + 1 from wide"));
          assertEquals(count, rows(statement, sql).size());
        }
      }
      try (Connection connection = open();
          Statement statement = connection.createStatement()) {
        List<Long> some = rows(statement, "select * from wide where seq % 10 = 3 limit 20");
        assertEquals(20, some.stream().filter(row -> row % 10 == 3).distinct().count());
        // Of those that come late all are found.
        String late = "select * from wide where place = 'here 2' limit 1000";
        assertEquals(200, rows(statement, late).stream().distinct().count());
        for (int i = 0; i < 60; i++) {
          String plan = explain(statement, "select * from wide where seq % 10 < 4 limit 1500");
          if (!plan.contains("parts read")) {
            return; // as much as the table has been read, and then it was loaded
          }
        }
        fail("columns are never loaded");
      }
    });
  }
}
