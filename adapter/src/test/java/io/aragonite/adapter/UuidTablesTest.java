package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** UUIDs in tables and files, all of which the device reads. */
class UuidTablesTest {
  private static final String LOW = "7b3ad95a-0000-4000-8000-000000000001";
  private static final String HIGH = "ff3ad95a-0000-4000-8000-00000000000f";

  @TempDir private Path folder;
  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    open("off");
  }

  private void open(String fallback) throws SQLException {
    connection = TestConnections.open("memory=256MB;threads=2;fallback=" + fallback);
    update("create table u (id uuid, n int)");
    update(
        "insert into u values ('7B3AD95A-0000-4000-8000-000000000001', 1),"
            + " ('{ff3ad95a00004000800000000000000F}', 2), (null, 3)");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private String sql(String text) {
    return text.replace("$", folder.toString());
  }

  private long update(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeLargeUpdate(sql(sql));
    }
  }

  private List<String> rows(String sql) throws SQLException {
    return query(connection, sql(sql));
  }

  private void error(ErrorCode code, String sql, String... words) {
    assertError(code, () -> update(sql), words);
  }

  @Test
  void tablesHaveThem() throws SQLException {
    assertEquals(
        List.of("id|UUID|YES|null|null|null", "n|INTEGER|YES|null|null|null"), rows("describe u"));
    assertEquals(
        List.of("null|3", HIGH + "|2", LOW + "|1"), rows("select * from u order by id desc"));
    assertEquals(
        List.of("1"), rows("select n from u where id = '7B3AD95A000040008000000000000001'"));
    assertEquals(List.of("2"), rows("select n from u where id > '" + LOW + "'"));
    assertEquals(
        List.of(LOW + "|" + HIGH + "|2"),
        rows("select min(id), max(id), count(distinct id) from u"));
    error(ErrorCode.INVALID_ARGUMENT, "insert into u values ('x', 4)", "'x'", "no UUID");
    error(ErrorCode.INVALID_ARGUMENT, "insert into u values ('" + LOW + "0', 4)", "no UUID");
    try (ResultSet columns = connection.getMetaData().getColumns(null, null, "u", "id")) {
      assertTrue(columns.next());
      assertEquals(Types.OTHER, columns.getInt("DATA_TYPE"));
      assertEquals("UUID", columns.getString("TYPE_NAME"));
    }
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select id from u where n = 2")) {
      assertEquals("UUID", row.getMetaData().getColumnTypeName(1));
      assertTrue(row.next());
      assertEquals(UUID.fromString(HIGH), row.getObject(1));
      assertEquals(HIGH, row.getString(1));
    }
  }

  @Test
  void statementsKeepThem() throws SQLException {
    update("create table k (id uuid primary key, v uuid default '" + HIGH + "')");
    update("insert into k (id) select id from u where n = 1");
    error(
        ErrorCode.DUPLICATE_KEY,
        "insert into k (id) values ('" + LOW.toUpperCase(Locale.ROOT) + "')");
    update(
        "insert into k (id) values ('" + LOW + "') on conflict (id) do update set v = excluded.id");
    assertEquals(List.of(LOW + "|" + LOW), rows("select * from k"));
    update("update k set v = '{" + HIGH + "}' where id = '" + LOW + "'");
    update(
        "merge into k using (select * from u where id is not null) s on k.id = s.id"
            + " when matched then update set v = null"
            + " when not matched then insert (id, v) values (s.id, s.id)");
    assertEquals(List.of(LOW + "|null", HIGH + "|" + HIGH), rows("select * from k order by id"));
    try (PreparedStatement insert = connection.prepareStatement("insert into k values (?, ?)")) {
      UUID id = new UUID(1, 2);
      insert.setObject(1, id);
      insert.setString(2, null);
      assertEquals(1, insert.executeUpdate());
      try (PreparedStatement find = connection.prepareStatement("select id from k where id = ?")) {
        find.setObject(1, id);
        try (ResultSet row = find.executeQuery()) {
          assertTrue(row.next());
          assertEquals(id, row.getObject(1));
        }
      }
    }
    update("create table c as select id as i, null as z, cast(n as varchar) as s from u");
    update("alter table c rename column i to id");
    update("alter table c add column k uuid default '" + HIGH + "'");
    update("alter table c alter column z type uuid");
    update("alter table c alter column k set not null");
    assertEquals(
        List.of("id|UUID", "z|UUID", "s|VARCHAR", "k|UUID"),
        rows("describe c").stream()
            .map(column -> column.replaceFirst("^(\\w+\\|\\w+).*", "$1"))
            .toList());
    update("delete from u where id in (select id from c)");
    assertEquals(List.of("3"), rows("select n from u"));
  }

  private List<String> found(String sql, Object... parameters) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      List<String> rows = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          rows.add(row.getString(1));
        }
      }
      return rows;
    }
  }

  @Test
  void aParameterBesideOneIsReadAsOne() throws SQLException {
    String low = LOW.toUpperCase(Locale.ROOT);
    String high = "{" + HIGH.replace("-", "") + "}";
    assertEquals(List.of("1"), found("select n from u where id = ?", low));
    assertEquals(List.of("2"), found("select n from u where ? <= id", high));
    assertEquals(List.of("2"), found("select n from u where id <> ?", low));
    assertEquals(
        List.of("2", "3"), found("select n from u where id is distinct from ? order by n", low));
    assertEquals(
        List.of("1"), found("select n from u where id in (?, ?)", low, "f" + LOW.substring(1)));
    assertEquals(
        List.of("1", "2"),
        found("select n from u where id in (?, ?, ?) order by n", low, high, null));
    assertEquals(List.of("2"), found("select n from u where id not in (?)", UUID.fromString(LOW)));
    assertEquals(
        List.of("1", "2"), found("select n from u where id between ? and ? order by n", low, high));
    assertEquals(List.of(), found("select n from u where id = ?", (Object) null));
    assertEquals(List.of(HIGH, HIGH, HIGH), found("select greatest(id, ?) from u", high));
    assertEquals(
        List.of(HIGH, LOW, HIGH), found("select lag(id, 1, ?) over (order by n) from u", high));
    for (String absent : List.of("coalesce", "ifnull", "nvl")) {
      assertEquals(
          List.of(LOW, HIGH, LOW), found("select " + absent + "(id, ?) from u order by n", low));
    }
    for (String condition : List.of("id = ?", "id in (?, '" + low + "')", "id < ?")) {
      assertError(
          ErrorCode.INVALID_ARGUMENT,
          () -> found("select n from u where " + condition, "none"),
          "'none'",
          "no UUID");
    }
    try (PreparedStatement delete =
        connection.prepareStatement("delete from u where id in (?, ?) or id = ?")) {
      delete.setString(1, low);
      delete.setString(2, LOW);
      delete.setString(3, high);
      assertEquals(2, delete.executeUpdate());
    }
  }

  @Test
  void aParameterInRowsAndListsIsReadAsOne() throws SQLException {
    connection.close();
    open("on");
    String low = LOW.toUpperCase(Locale.ROOT);
    String high = HIGH.replace("-", "");
    assertEquals(
        List.of("1"), found("select n from u where (id, n) in ((?, ?), (?, ?))", low, 1, high, 1));
    assertEquals(
        List.of("2", "3"),
        found("select n from u where (id, n) not in ((?, ?), (?, ?)) order by n", low, 1, high, 1));
    assertEquals(
        List.of("1", "0", "0"),
        found("select coalesce(list_position([id], ?), 0) from u order by n", low));
  }

  /** Statements that differ in literals alone share plans. */
  @Test
  void literalsAreReadInSharedPlans() throws SQLException {
    for (String low : List.of(LOW, LOW.toUpperCase(Locale.ROOT), "{" + LOW + "}")) {
      assertEquals(List.of("1"), rows("select n from u where id = '" + low + "'"));
      assertEquals(
          List.of("1"),
          rows("select n from u where id in ('" + low + "', '" + low.replace("-", "") + "')"));
    }
    assertError(
        ErrorCode.INVALID_ARGUMENT, () -> rows("select n from u where id = 'none'"), "'none'");
  }

  @Test
  void tablesHaveNoneWithinOtherTypes() throws SQLException {
    connection.close();
    open("on");
    for (String type :
        List.of(
            "uuid[]",
            "uuid[][]",
            "struct(a uuid)",
            "struct(a struct(b int, c uuid[]))",
            "map(uuid, int)",
            "map(int, uuid)")) {
      error(
          ErrorCode.COLUMN_TYPE_UNSUPPORTED,
          "create table w (x " + type + ")",
          "\"x\"",
          "UUID",
          "VARCHAR[]");
    }
    error(ErrorCode.COLUMN_TYPE_UNSUPPORTED, "alter table u add column x uuid[]", "VARCHAR[]");
    error(
        ErrorCode.COLUMN_TYPE_UNSUPPORTED,
        "create table w as select [id] as l from u",
        "\"l\"",
        "VARCHAR[]");
    error(ErrorCode.COLUMN_TYPE_UNSUPPORTED, "create table w as select {'a': id} as s from u");
    update("create table w as select [id]::varchar[] as l, n from u where n = 1");
    update("insert into w select [id], n from u where n = 2");
    assertEquals(
        List.of("VARCHAR[]|" + LOW, "VARCHAR[]|" + HIGH),
        rows("select typeof(l), l[1] from w order by n"));
    assertEquals(List.of("2"), rows("select n from w where l[1]::uuid = '{" + HIGH + "}'"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"parquet", "arrow", "csv", "json"})
  void filesKeepThem(String format) throws SQLException {
    String file = "'$/u." + format + "'";
    update("copy u to " + file);
    boolean typed = format.equals("parquet") || format.equals("arrow");
    assertEquals(
        List.of(typed ? "UUID" : "VARCHAR"), rows("select typeof(id) from " + file + " limit 1"));
    assertEquals(
        List.of(LOW + "|1", HIGH + "|2", "null|3"),
        rows("select id, n from " + file + " order by n"));
    assertEquals(List.of("2"), rows("select n from " + file + " where id = '" + HIGH + "'"));
    update("create table back (id uuid, n int)");
    update("copy back from " + file + (format.equals("csv") ? " (header true)" : ""));
    assertEquals(rows("select * from u order by n"), rows("select * from back order by n"));
    if (typed) {
      update("copy (select id, n from u where n > 5) to '$/none." + format + "'");
      assertEquals(List.of(), rows("select id from '$/none." + format + "'"));
    }
  }

  @Test
  void parquetHasTheTypeThatOthersRead() throws SQLException {
    update(
        "create table many as select cast('00000000-0000-4000-8000-' || lpad(cast(i * 7919 % 100003"
            + " as varchar), 12, '0') as uuid) as id, i from range(100003) r(i)");
    update("insert into many select id, n from u");
    update("copy many to '$/m.parquet'");
    try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:")) {
      assertEquals(
          List.of("UUID|100006|100005|" + HIGH),
          query(
              duckdb,
              sql(
                  "select any_value(typeof(id)), count(*), count(id), max(id) from"
                      + " '$/m.parquet'")));
      assertEquals(
          rows("select id, i from many where i % 10007 = 3 order by i"),
          query(duckdb, sql("select id, i from '$/m.parquet' where i % 10007 = 3 order by i")));
      // bounds of row groups leave none of them out
      String one = " where id = '00000000-0000-4000-8000-000000000001'";
      assertEquals(
          rows("select i from many" + one),
          query(duckdb, sql("select i from '$/m.parquet'" + one)));
      assertEquals(rows("select i from many" + one), rows("select i from '$/m.parquet'" + one));
    }
  }

  @Test
  void filesThatAlsoHaveOtherTextsHaveTexts() throws Exception {
    update("copy u to '$/a.parquet'");
    update("copy (select 'no uuid' as id, 9 as n) to '$/b.parquet'");
    assertEquals(
        List.of("VARCHAR"), rows("select distinct typeof(id) from read_parquet('$/*.parquet')"));
    assertEquals(
        List.of(LOW, HIGH, "null", "no uuid"),
        rows("select id from read_parquet('$/*.parquet') order by n"));
    Files.delete(folder.resolve("b.parquet"));
    update("copy u to '$/c.parquet'");
    assertEquals(
        List.of("UUID|6"),
        rows("select typeof(id), count(*) from read_parquet('$/*.parquet') group by 1"));
  }
}
