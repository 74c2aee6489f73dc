package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Copies of a table, and what is selected of it, have its rows in their order. */
@Timeout(120)
class InsertionOrderTest {
  private static final int ROWS = 300_000;

  @TempDir private Path folder;
  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = TestConnections.open("memory=512MB;threads=4;device=cpu");
    run(
        "create table t as select n as k, mod(n, 10) as d from generate_series(0, "
            + (ROWS - 1)
            + ") as g (n) order by n");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static LongStream keys(LongPredicate kept) {
    return LongStream.range(0, ROWS).filter(kept);
  }

  private void check(String sql, LongStream expected) throws SQLException {
    long[] wanted = expected.toArray();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      for (int i = 0; i < wanted.length; i++) {
        assertTrue(rows.next(), () -> "too few rows of " + sql);
        assertEquals(wanted[i], rows.getLong(1), "row " + i + " of " + sql);
      }
      assertTrue(!rows.next(), () -> "too many rows of " + sql);
    }
  }

  @Test
  void selected() throws SQLException {
    for (int round = 0; round < 5; round++) {
      check("select k from t", keys(k -> true));
      check("select k from t where d < 7", keys(k -> k % 10 < 7));
      check("select k from t where k = 123456", LongStream.of(123_456));
      check("select k from t where d < 3 limit 1000", keys(k -> k % 10 < 3).limit(1000));
      check(
          "select k from t where d < 3 limit 50000 offset 777",
          keys(k -> k % 10 < 3).skip(777).limit(50_000));
      check("select k from t where d < 3 offset 80000", keys(k -> k % 10 < 3).skip(80_000));
      check(
          "select k from t where d = 1 union all select k from t where d = 0",
          LongStream.concat(keys(k -> k % 10 == 1), keys(k -> k % 10 == 0)));
      check(
          "with w as materialized (select k from t where d <> 5) select k from w",
          keys(k -> k % 10 != 5));
      check(
          "select k from (select k, row_number() over () as n from t where d < 5) where n > 9000",
          keys(k -> k % 10 < 5).skip(9000));
      check("select unnest([k, -k]) from t", keys(k -> true).flatMap(k -> LongStream.of(k, -k)));
    }
  }

  @Test
  void copied() throws SQLException {
    for (String type : new String[] {"parquet", "csv", "arrow"}) {
      Path file = folder.resolve("t." + type);
      run("copy (select k from t where d < 8) to '" + file + "'");
      check("select k from '" + file + "'", keys(k -> k % 10 < 8));
    }
    run("create table u as select k from '" + folder.resolve("t.parquet") + "' where k > 1000");
    check("select k from u", keys(k -> k % 10 < 8 && k > 1000));
    run("insert into u select k from t where d = 9");
    check(
        "select k from u",
        LongStream.concat(keys(k -> k % 10 < 8 && k > 1000), keys(k -> k % 10 == 9)));
  }
}
