package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Instants in tables and files, in a connection whose zone is not UTC. */
class InstantTablesTest {
  /** Both of the instants at which Berlin's clocks show 02:30, and a null. */
  private static final String ROWS =
      "select * from (values (1, timestamptz '2024-10-27 00:30:00.123456Z', timestamp '2024-07-01"
          + " 12:00:00'), (2, timestamptz '2024-10-27 01:30:00Z', timestamp '2024-01-01 12:00:00'),"
          + " (3, null, null)) t(id, x, ts)";

  private static final List<String> SHOWN =
      List.of("1|2024-10-27 02:30:00.123456+02", "2|2024-10-27 02:30:00+01", "3|null");

  @TempDir Path folder;
  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = TestConnections.open("device=cpu;threads=1;timeZone=Europe/Berlin");
    run("create table t as " + ROWS);
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private long run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeLargeUpdate(sql);
    }
  }

  private List<String> query(String sql) throws SQLException {
    return TestConnections.query(connection, sql);
  }

  private String file(String name) {
    return "'" + folder.resolve(name) + "'";
  }

  @Test
  void tablesKeepInstants() throws SQLException {
    assertEquals(SHOWN, query("select id, x from t order by id"));
    run("create table u (id int, x timestamp with time zone, y timestamptz(3) not null)");
    assertEquals(
        3,
        run(
            "insert into u values (1, '2024-10-27 00:30:00.123456Z', timestamp '2024-07-01"
                + " 12:00:00'), (2, timestamptz '2024-10-27 01:30:00Z', '2024-07-01"
                + " 12:00:00.1239+05:30'), (3, null, date '2024-01-01')"));
    assertEquals(SHOWN, query("select id, x from u order by id"));
    assertEquals(
        List.of("2024-07-01 12:00:00+02", "2024-07-01 08:30:00.123+02", "2024-01-01 00:00:00+01"),
        query("select y from u order by id"));
    assertEquals(
        3, run("insert into u (id, y) select id, coalesce(x, ts, date '2000-01-01') from t"));
    assertEquals(
        List.of("2|2024-10-27 02:30:00+01"),
        query("select id, x from u where x >= '2024-10-27 01:00:00+00'"));
    assertEquals(
        List.of(
            "id|INTEGER|YES|null|null|null",
            "x|TIMESTAMP WITH TIME ZONE|YES|null|null|null",
            "y|TIMESTAMP WITH TIME ZONE|NO|null|null|null"),
        query("describe u"));
    try (ResultSet columns = connection.getMetaData().getColumns(null, "temp", "u", "x")) {
      assertTrue(columns.next());
      assertEquals(Types.TIMESTAMP_WITH_TIMEZONE, columns.getInt("DATA_TYPE"));
      assertEquals("TIMESTAMP WITH TIME ZONE", columns.getString("TYPE_NAME"));
    }
    TestConnections.assertError(
        ErrorCode.NULL_NOT_ALLOWED, () -> run("insert into u (id) values (4)"), "\"y\"");
  }

  @Test
  void filesKeepInstants() throws SQLException {
    for (String name : List.of("t.parquet", "t.csv", "t.arrow", "t.json")) {
      assertEquals(3, run("copy (select id, x, ts from t) to " + file(name)));
      assertEquals(SHOWN, query("select id, x from " + file(name) + " order by id"), name);
      assertEquals(
          List.of("id|YES", "x|TIMESTAMP WITH TIME ZONE", "ts|TIMESTAMP"),
          query("describe " + file(name)).stream()
              .map(column ->
                  column.startsWith("id") ? "id|YES" : column.replace("|YES|null|null|null", ""))
              .toList(),
          name);
      run("create or replace table back (id int, x timestamptz)");
      assertEquals(3, run("insert into back select id, x from " + file(name)));
      assertEquals(SHOWN, query("select id, x from back order by id"), name);
    }
    run("copy (select id, x from t) to %s (format parquet, partition_by (x))".formatted(file("p")));
    assertEquals(
        SHOWN.subList(0, 2),
        query(
            "select id, x from read_parquet(%s, hive_partitioning => true) where x is not null order by id"
                .formatted(file("p/**/*.parquet"))));
  }

  /** Before 1893 Berlin's clocks were 53 minutes and 28 seconds ahead. */
  @Test
  void offsetsOfFilesHaveSeconds() throws Exception {
    String old = "select timestamptz '1569-01-01 12:00:00.5+00:53:28' as x";
    for (String name : List.of("o.csv", "o.json", "o.parquet")) {
      assertEquals(1, run("copy (" + old + ") to " + file(name)));
      assertEquals(
          List.of("1569-01-01 12:00:00.5+00:53:28"), query("select x from " + file(name)), name);
    }
    Files.writeString(
        folder.resolve("f.csv"),
        """
        x
        1569-01-01 12:00:00+005328
        1569-01-01 12:00:00-00:53:28
        2024-07-01 12:00:00+02
        2024-07-01 12:00:00+0200
        2024-07-01 12:00:00+02:00
        """);
    run("set timezone = 'UTC'");
    assertEquals(
        List.of(
            "1569-01-01 11:06:32+00",
            "1569-01-01 12:53:28+00",
            "2024-07-01 10:00:00+00",
            "2024-07-01 10:00:00+00",
            "2024-07-01 10:00:00+00"),
        query("select x from " + file("f.csv")));
    String types = ", header = false, types = {'x': 'TIMESTAMPTZ'})";
    for (String offset :
        List.of("+2", "+02:0", "+02:00:0", "+02:0000", "+0200:00", "+02:60", "+02:00:60", "+19")) {
      Files.writeString(folder.resolve("w.csv"), "2024-07-01 12:00:00" + offset + "\n");
      TestConnections.assertError(
          ErrorCode.CSV_VALUE, () -> query("select x from read_csv(" + file("w.csv") + types));
    }
  }

  @Test
  void textsOfFilesAreOfTheConnectionsZone() throws Exception {
    run("copy (select x from t where id < 3 order by id) to " + file("t.csv"));
    assertEquals(
        List.of("x", "2024-10-27 02:30:00.123456+02", "2024-10-27 02:30:00+01"),
        Files.readAllLines(folder.resolve("t.csv")));
    run("set timezone = 'UTC'");
    run("copy (select x from t where id < 3 order by id) to " + file("u.json"));
    assertEquals(
        List.of("{\"x\":\"2024-10-27 00:30:00.123456+00\"}", "{\"x\":\"2024-10-27 01:30:00+00\"}"),
        Files.readAllLines(folder.resolve("u.json")));
    assertEquals(
        List.of("2024-10-27 00:30:00.123456+00", "2024-10-27 01:30:00+00"),
        query("select x from " + file("t.csv")));
  }

  @Test
  void duckDbReadsAndWritesThem() throws Exception {
    run("copy (select id, x, ts from t) to " + file("ours.parquet"));
    try (DuckDb duck = new DuckDb()) {
      duck.execute("set timezone = 'Europe/Berlin'");
      assertEquals(
          List.of(List.of("TIMESTAMP WITH TIME ZONE", "TIMESTAMP")),
          duck.rows("select typeof(x), typeof(ts) from " + file("ours.parquet") + " limit 1"));
      assertEquals(
          List.of(List.of(2L, "2024-10-27 02:30:00+01")),
          duck.rows(
              "select id, x::varchar from %s where x > timestamptz '2024-10-27 00:30:00.2Z'"
                  .formatted(file("ours.parquet"))));
      duck.execute(
          "copy (select i::bigint as id, timestamptz '2024-10-27 00:00:00.5Z' + to_minutes(i) as x,"
              + " timestamp_ns '2024-10-27 00:00:00.123456789' as n from range(200) r(i)) to "
              + file("theirs.parquet")
              + " (row_group_size 100)");
      String shown = "select x::varchar from %s where id in (59, 60, 119, 120) order by id";
      assertEquals(
          duck.rows(shown.formatted(file("theirs.parquet"))).stream()
              .map(row -> String.valueOf(row.getFirst()))
              .toList(),
          query(shown.formatted(file("theirs.parquet"))));
      String hours =
          "select extract(hour from x), count(*) from %s group by 1 order by 1, 2"
              .formatted(file("theirs.parquet"));
      assertEquals(
          duck.rows(hours).stream().map(row -> row.get(0) + "|" + row.get(1)).toList(),
          query(hours));
    }
  }

  /** As bounds of files' parts are compared with literals. */
  @Test
  void whatLiteralsSayIsALiteral() throws SQLException {
    for (String condition :
        List.of(
            "x < '2024-10-27 03:00:00+02'",
            "x < timestamp '2024-10-27 02:10:00'",
            "x between date '2024-01-01' and '2024-10-27 01:00:00Z'")) {
      String sql = "select id from t where " + condition;
      assertEquals(List.of("1"), query(sql), condition);
      String plan = String.join("\n", query("explain plan for " + sql));
      assertTrue(!plan.contains("AT_TIME_ZONE(") && !plan.contains("OF_TEXT"), plan);
    }
  }

  @Test
  void localTimesBesideInstantsAreOfTheConnectionsZone() throws SQLException {
    assertEquals(
        List.of(
            "2024-01-01 12:00:00+01",
            "2024-07-01 12:00:00+02",
            "2024-10-27 02:30:00+01",
            "2024-10-27 02:30:00.123456+02",
            "null",
            "null"),
        query("select x from t union all select ts from t order by 1").stream().sorted().toList());
    assertEquals(
        List.of("2024-07-01 00:00:00+02", "2024-07-01 12:00:00+02"),
        query(
            "select date '2024-07-01' union select cast(ts as timestamptz(3)) from t where id = 1"
                + " order by 1"));
    assertEquals(
        List.of("2024-07-01 12:00:00+02"),
        query("select ts from t intersect select timestamptz '2024-07-01 10:00:00Z'"));
    assertEquals(
        List.of("1|1"),
        query(
            "select a.id, b.id from t a join (select id, timestamptz '2024-07-01 10:00:00Z' as ts"
                + " from t where id = 1) b using (ts)"));
    assertEquals(
        List.of("1"),
        query("select id from t where ts in (select timestamptz '2024-07-01 10:00:00Z')"));
    assertEquals(
        List.of("1"),
        query("select id from t where timestamptz '2024-07-01 10:00:00Z' in (select t.ts)"));
    assertEquals(
        List.of("2024-01-01 00:00:00+01", "2024-10-27 02:30:00+01", "null"),
        query(
            "select case when id = 2 then x when id = 1 then timestamp '2024-01-01 00:00:00' end"
                + " from t order by 1"));
    assertEquals(
        List.of("2024-07-01 12:00:00+02", "2024-01-01 12:00:00+01", "2000-01-01 00:00:00+01"),
        query("select coalesce(ts, x, date '2000-01-01') from t order by id"));
    assertEquals(
        List.of("2024-01-01 00:00:00+01", "2024-01-01 01:00:00+01"),
        query("values (timestamp '2024-01-01 00:00:00'), (timestamptz '2024-01-01 00:00:00Z')"));
  }

  @Test
  void tryCastHasNullForWhatIsNoMoment() throws SQLException {
    assertEquals(
        List.of("2024-07-01 14:00:00.5+02", "2024-07-01 12:00:00+02", "null", "null", "null"),
        query(
            "select try_cast(s as timestamptz) from (values (1, '2024-07-01 12:00:00.5Z'), (2,"
                + " '2024-07-01 12:00:00'), (3, 'x'), (4, '2024-13-01 12:00:00+01'), (5, null))"
                + " t(n, s) order by n"));
    assertEquals(
        List.of("2024-07-01 12:00:00+02|2024-07-01 14:00:00.123456789"),
        query(
            "select try_cast(ts as timestamptz), cast(try_cast('2024-07-01 12:00:00.123456789Z' as"
                + " timestamptz(9)) as timestamp(9)) from t where id = 1"));
  }

  @Test
  void longListsOfTextsAreConstants() throws SQLException {
    StringBuilder list = new StringBuilder("'2024-10-27 00:30:00.123456+00', null");
    for (int i = 0; i < 30; i++) {
      list.append(", timestamp '2023-10-27 02:30:%02d'".formatted(i));
    }
    String sql = "select id from t where x in (" + list + ")";
    assertEquals(List.of("1"), query(sql));
    assertEquals(List.of(), query("select id from t where x not in (" + list + ")"));
    String plan = String.join("\n", query("explain plan for " + sql));
    assertTrue(plan.contains("Values") && !plan.contains("INSTANT_OF_TEXT"), plan);
    // One with more digits than the column, and one that is no moment, are looked at row by row.
    assertEquals(
        List.of("1"),
        query("select id from t where x in (" + list + ", '2024-10-27 01:30:00.0000001Z')"));
    TestConnections.assertError(
        ErrorCode.INVALID_DATETIME,
        () -> query("select id from t where x in (" + list + ", '2024-99-27 01:30:00')"),
        "2024-99-27");
  }
}
