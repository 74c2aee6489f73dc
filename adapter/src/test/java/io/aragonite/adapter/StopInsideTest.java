package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.testing.TestSample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cancelling and time limits reach work that takes long within a batch, or for a single row. */
@Timeout(120)
class StopInsideTest {
  private static final long LATE_NANOS = 5_000_000_000L;

  @TempDir private static Path directory;

  private static Connection connection;

  @BeforeAll
  static void open() throws IOException, SQLException {
    StringBuilder text = new StringBuilder("k,t\n");
    for (int i = 0; i < 30_000; i++) {
      text.append(i % 1000).append(",text").append(i * 7919L % 1_000_003).append('\n');
    }
    Files.writeString(directory.resolve("big.csv"), text);
    connection =
        DriverManager.getConnection(
            "jdbc:aragonite:directory=" + directory + ";threads=2;memory=1GB;device=cpu");
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*), max(t) from big")) {
      assertTrue(rows.next());
    }
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  private static SQLException failure(Statement statement, String sql) {
    return assertThrows(
        SQLException.class,
        () -> {
          try (ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
              rows.getObject(1);
            }
          }
        },
        sql);
  }

  /** Half of them in each build: each takes its second. */
  static List<String> longStatements() {
    List<String> all =
        List.of(
            "select sum(char_length(repeat(t, 1000000))) from big",
            "select sum(octet_length(lpad(t, 9000000, 'ab'))) from big",
            "select sum(char_length(rpad(t, 9000000, 'ab') || t)) from big",
            "select sum(char_length(replace(repeat('a', 9000000), 'a', 'bb') || t)) from big",
            "select max(upper(repeat(t, 300000))) from big",
            "select max(initcap(repeat(t, 300000))) from big",
            "select count(*) from big where repeat(t, 100000) like '%1_2_3_4_5_6_7%x%'",
            "select count(*) from big where repeat(t, 100000) || k like '%1_2_3_4_5_6_7%x%'",
            "select count(*) from big where repeat(t, 100000) similar to '%(1|2|3)*x(4|5)%'",
            "select count(*) from big where regexp_like(repeat('x', 60) || t, '(x|x)*y\\1')",
            "select regexp_replace(repeat('x', 60) || t, '(x|x)*y\\1', '') from big",
            "values (regexp_like(repeat('x', 60), '(x|x)*y\\1'))",
            "select count(*) from big where (regexp_like(repeat('x', 60) || t, '(x|x)*y\\1'), 1) ="
                + " (true, k)",
            "select count(*) from big where json_value('{\"a\":\"' || repeat(t, 300000) || '\"}',"
                + " 'lax $.a') = 'x'",
            "select count(*) from big a, big b, big c where a.t || b.t || c.t like"
                + " '%1_2_3_4_5_6_7%x%'",
            "select count(*) from big a join big b on a.k = b.k join big c on b.k = c.k join big d"
                + " on c.k = d.k where a.t || b.t || c.t || d.t < 'a'",
            "select sum(s) from (select count(distinct t) over (order by k rows between 20000"
                + " preceding and 20000 following exclude current row) s from big)",
            "select max(s) from (select string_agg(t, ',') over (order by t) as s from big)",
            "select max(s) from (select mode(t) over (order by t rows 15000 preceding) as s from"
                + " big)",
            "select max(q) from (select quantile_cont(n * 7919 % 1000003, 0.5) over () as q from"
                + " generate_series(1, 4000000) as s(n))",
            "select count(*) from big a where exists (select 1 from big b where b.t || a.t like"
                + " '%1_2_3_4_5_6%x%')");
    return new TestSample(StopInsideTest.class).some(all, 0.3);
  }

  @ParameterizedTest
  @MethodSource("longStatements")
  void aTimeLimitIsKept(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(1);
      long start = System.nanoTime();
      SQLException error = failure(statement, sql);
      assertEquals(ErrorCode.TIMED_OUT.number(), error.getErrorCode(), error.getMessage());
      long late = System.nanoTime() - start - 1_000_000_000L;
      assertTrue(late < LATE_NANOS, () -> "%d ms too late".formatted(late / 1_000_000));
      statement.setQueryTimeout(0);
      try (ResultSet rows = statement.executeQuery("select count(*) from big")) {
        assertTrue(rows.next());
        assertEquals(30_000, rows.getInt(1));
      }
    }
  }

  @Test
  void cancelReachesASingleRow() throws Exception {
    try (Statement statement = connection.createStatement()) {
      CompletableFuture<SQLException> error =
          CompletableFuture.supplyAsync(() ->
              failure(
                  statement,
                  "select regexp_like(repeat('x', 60) || t, '(x|x)*y\\1') from big where k = 1"
                      + " limit 1"));
      Thread.sleep(500);
      statement.cancel();
      assertEquals(ErrorCode.CANCELLED.number(), error.get(3, TimeUnit.SECONDS).getErrorCode());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select char_length(repeat(t, 20000000)) from big where k = 1",
        "select char_length(lpad(t, 200000000, 'ab')) from big where k = 1",
        "select char_length(rpad(t, 30000000, 'ab') || rpad(t, 30000000, 'ab')) from big where k ="
            + " 1",
      })
  void aValueIsNotLargerThanTheMemory(String sql) throws SQLException {
    try (Connection small =
            DriverManager.getConnection(
                "jdbc:aragonite:directory=" + directory + ";threads=2;memory=48MB;device=cpu");
        Statement statement = small.createStatement()) {
      SQLException error = failure(statement, sql);
      assertTrue(
          error.getErrorCode() == ErrorCode.MEMORY_EXCEEDED.number()
              || error.getErrorCode() == ErrorCode.RESULT_TOO_LARGE.number(),
          error.getMessage());
      try (ResultSet rows = statement.executeQuery("select count(*) from big")) {
        assertTrue(rows.next());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select max(q) from (select mode(n) over () as q from generate_series(1, 2000000) as s(n))",
        "select max(q) from (select quantile_cont(n, 0.5) over (order by n rows between 1500000"
            + " preceding and current row) as q from generate_series(1, 2000000) as s(n) where n >"
            + " 10)",
        "select entropy(n) from generate_series(1, 2000000) as s(n)",
        "select length(string_agg(cast(n as varchar), ',' order by n desc)) from"
            + " generate_series(1, 2000000) as s(n)",
      })
  void rowsOnTheHostAreWithinTheMemory(String sql) throws SQLException {
    try (Connection small =
            DriverManager.getConnection(
                "jdbc:aragonite:directory=" + directory + ";threads=2;memory=64MB;device=cpu");
        Statement statement = small.createStatement()) {
      SQLException error = failure(statement, sql);
      assertEquals(ErrorCode.MEMORY_EXCEEDED.number(), error.getErrorCode(), error.getMessage());
      try (ResultSet rows =
          statement.executeQuery("select mode(k), entropy(k) from big where k < 10")) {
        assertTrue(rows.next());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select char_length(repeat(t, 1000000000)) from big",
        "select regexp_like(repeat('ab', 100000), '(a|b)*c')",
      })
  void whatIsTooMuchIsRefused(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      SQLException error = failure(statement, sql);
      assertEquals(ErrorCode.RESULT_TOO_LARGE.number(), error.getErrorCode(), error.getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select regexp_like(t, '(((){20000}){3000}){2000}') from big",
        "select t similar to '(((){9999}){9999}){9999}' from big",
        "select regexp_like(t, '(((((') from big",
      })
  void patternsThatRepeatTooMuchAreRefused(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      SQLException error = failure(statement, sql);
      assertEquals(ErrorCode.INVALID_REGEX.number(), error.getErrorCode(), error.getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "json_value('{}', 'strict $[?(@ =~ /(a+)+b/)]')",
        "json_exists(t, 'lax $..a..b..c')",
        "json_query('{}', 'lax $[?(@.a =~ /x/)]')",
      })
  void jsonPathsWithoutBoundAreRefused(String expression) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      SQLException error = failure(statement, "select " + expression + " from big");
      assertEquals(
          ErrorCode.EXPRESSION_UNSUPPORTED.number(), error.getErrorCode(), error.getMessage());
    }
  }

  @Test
  void functionsOfPatternsAnswerAsBefore() throws SQLException {
    String[][] expected = {
      {"split_part('a|b|c', '|', 2)", "b"},
      {"split_part('a.b.c', '.', -1)", "c"},
      {"split_part('abc', '.', 1)", "abc"},
      {"regexp_replace('foobar', 'o(.)', '[\\1]')", "f[o]bar"},
      {"regexp_replace('foobar', 'o$', 'x')", "foobar"},
      {"regexp_like('foobar', '^FOO', 'i')", "true"},
      {"regexp_like('foobar', '(?<=o)b')", "true"},
      {"regexp_like('abab', '^(ab)\\1$')", "true"},
      {"json_value('{\"a\":{\"b\":7}}', 'lax $..b[0]')", null},
      {"json_value('{\"a\":7}', 'strict $.a')", "7"},
      {"'abc' similar to '(a|b)+c'", "true"},
      {"'a%c' like 'a!%c' escape '!'", "true"},
    };
    try (Statement statement = connection.createStatement()) {
      for (String[] pair : expected) {
        try (ResultSet rows = statement.executeQuery("select " + pair[0])) {
          assertTrue(rows.next());
          assertEquals(pair[1], rows.getString(1), pair[0]);
        }
      }
    }
  }
}
