package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.testing.TestSample;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists, structs and maps in tables of a connection. */
class NestedTablesTest {
  private static final TestSample SAMPLE = new TestSample(NestedTablesTest.class);

  @TempDir private Path folder;
  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = TestConnections.open("memory=256MB;threads=2");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private long update(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeLargeUpdate(sql.replace("$", folder.toString()));
    }
  }

  private List<String> rows(String sql) throws SQLException {
    return query(connection, sql.replace("$", folder.toString()));
  }

  @Test
  void queriesBecomeTables() throws Exception {
    assertEquals(
        3,
        update(
            "create table t as select g, array_agg(x order by x) as l, {'a': g, 'b': ['x', null]}"
                + " as s, map['k', g] as m, [{'c': g}, null] as ls from (values (1, 10), (2, 20),"
                + " (1, 11), (3, cast(null as int))) as v (g, x) group by g"));
    assertEquals(
        List.of(
            "1|[10, 11]|{'a': 1, 'b': [x, null]}|{k=1}",
            "2|[20]|{'a': 2, 'b': [x, null]}|{k=2}",
            "3|[null]|{'a': 3, 'b': [x, null]}|{k=3}"),
        rows("select g, l, s, m from t order by g"));
    assertEquals(
        List.of("1|11|2|1|null|1|1", "2|null|1|2|null|2|2", "3|null|1|3|null|3|3"),
        rows("select g, l[2], cardinality(l), t.s.a, t.s.b[2], m['k'], ls[1].c from t order by g"));
    assertEquals(
        List.of("1|10", "1|11", "2|20", "3|null"),
        rows("select g, e from t, unnest(t.l) as u(e) order by g, e"));
    assertEquals(
        List.of("3|3"), rows("select a.g, b.s.a from t a join t b on a.g = b.s.a where b.s.a > 2"));
    update("create view v as select g, l from t where t.s.a < 3");
    assertEquals(List.of("1|[10, 11]", "2|[20]"), rows("select * from v order by g"));
    update("create or replace table t as select [1.5] as l");
    assertEquals(List.of("[1.5]"), rows("select * from t"));
    update("create temp table u as select * from t");
    update("drop table t");
    assertEquals(List.of("[1.5]"), rows("select * from u"));
    assertError(ErrorCode.UNKNOWN_TABLE, () -> rows("select * from t"));
  }

  @Test
  void rowsAreInserted() throws Exception {
    update(
        "create table t (i int, l bigint array, m map<varchar, double>, mm map<int, map<int, int>>,"
            + " n int array not null)");
    assertEquals(1, update("insert into t values (1, [1, null], map['k', 1.5], null, [1])"));
    assertEquals(
        2,
        update(
            "insert into t values (2, null, null, map[1, map[2, 3]], [2, 3]), (0, [7], map['l', 2],"
                + " null, [5])"));
    assertEquals(List.of("0|[7]|{l=2.0}|null|[5]"), rows("select * from t where i = 0"));
    assertEquals(1, update("insert into t (n, i) values ([4], 3)"));
    assertEquals(3, update("insert into t select i + 3, l, m, mm, n from t where i > 0"));
    assertEquals(
        List.of(
            "1|[1, null]|{k=1.5}|[1]",
            "2|null|null|[2, 3]",
            "3|null|null|[4]",
            "4|[1, null]|{k=1.5}|[1]",
            "5|null|null|[2, 3]",
            "6|null|null|[4]"),
        rows("select i, l, m, n from t where i > 0 order by i"));
    assertEquals(List.of("2|3", "5|3"), rows("select i, mm[1][2] from t where mm is not null"));
    assertEquals(
        List.of("BIGINT[]"),
        rows("describe select l from t").stream().map(row -> row.split("\\|")[1]).toList());
    assertError(ErrorCode.NULL_NOT_ALLOWED, () -> update("insert into t (i) values (9)"), "\"n\"");
    assertError(
        ErrorCode.INVALID_CAST,
        () -> update("insert into t values (9, ['x'], null, null, [1])"),
        "'x'",
        "BIGINT");
    assertError(ErrorCode.INVALID_CAST, () -> update("update t set l = ['x']"), "'x'", "BIGINT");
    assertError(
        ErrorCode.COLUMN_TYPE_UNSUPPORTED,
        () -> update("insert into t values (9, 5, null, null, [1])"),
        "\"l\"");
    update("create table small (l tinyint array)");
    assertError(
        ErrorCode.NUMERIC_OVERFLOW,
        () -> update("insert into small values ([1000])"),
        "\"l\"",
        "[1000]");
    assertEquals(List.of("0"), rows("select count(*) from small"));
    assertEquals(List.of("7"), rows("select count(*) from t"));
  }

  /** Segments of several batches, some of which were merged. */
  @Test
  void manyRowsAreThoseOfTheFile() throws Exception {
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement()) {
      statement.execute(
          "copy (select i, range(i % 7) as l, {'a': i, 'b': case when i % 5 = 0 then null else 'x'"
              + " || i end} as s, case when i % 3 > 0 then map {i: [i]} end as m from range(70000)"
              + " r(i)) to '"
              + folder.resolve("f.parquet")
              + "' (format parquet)");
    }
    update("create table t as select * from '$/f.parquet'");
    update("insert into t select * from '$/f.parquet' where i < 1000");
    for (int i = 0; i < 5; i++) {
      update("insert into t values (%d, [1], {'a': 1, 'b': 'y'}, null)".formatted(100_000 + i));
    }
    assertEquals(
        rows(
            "select count(*) + 1005, count(l) + 1005, sum(t.s.a) + 499505, count(t.s.b) + 805,"
                + " count(m) + 666 from '$/f.parquet' t"),
        rows("select count(*), count(l), sum(t.s.a), count(t.s.b), count(m) from t"));
    assertEquals(
        rows("select count(*), sum(e) from '$/f.parquet' t, unnest(t.l) as u(e)"),
        rows("select count(*), sum(e) from (select * from t limit 70000) t, unnest(t.l) as u(e)"));
    update("copy (select * from t where i >= 1000 and i < 100000 order by i) to '$/g.parquet'");
    assertEquals(
        rows("select * from '$/f.parquet' where i >= 1000 order by i"),
        rows("select * from '$/g.parquet' order by i"));
  }

  @Test
  void largeTablesStayInTheBudget() throws Exception {
    SAMPLE.assume(0.4);
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckdb.createStatement()) {
      statement.execute(
          "copy (select i, range(i, i + 40) as l from range(300000) r(i)) to '"
              + folder.resolve("f.parquet")
              + "' (format parquet, row_group_size 20480)");
    }
    String path = folder.resolve("f.parquet").toString();
    try (Connection small = TestConnections.open("memory=128MB;threads=2");
        Statement statement = small.createStatement()) {
      statement.execute("create table t as select * from '" + path + "' where i < 20000");
      assertEquals(
          List.of("20000|40"), query(small, "select count(*), max(cardinality(l)) from t"));
      statement.execute("create table w as select * from '" + path + "'");
      // The table has more bytes than the budget leaves: it is read part by part.
      assertEquals(
          List.of("299999|40", "299998|40"),
          query(small, "select i, cardinality(l) from w order by i desc limit 2"));
      assertEquals(
          List.of("12000000|1"),
          query(small, "select count(*), min(e) + 1 from w, unnest(w.l) as u(e)"));
      assertEquals(List.of("20000"), query(small, "select count(l) from t"));
    }
  }
}
