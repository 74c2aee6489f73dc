package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * {@code information_schema}, {@code pg_catalog}, SUMMARIZE, and values that are new in each run.
 */
class CatalogQueriesTest {
  private Connection connection;

  @BeforeEach
  void connect() throws SQLException {
    connection = DriverManager.getConnection("jdbc:aragonite:device=cpu;threads=2");
    run("create table t (i integer not null, d decimal(10, 2), s varchar, l integer array)");
    run("insert into t values (1, 1.5, 'b', [1]), (3, null, 'a', []), (5, 2.5, 'b', null)");
    run("create view v as select i from t");
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

  private List<String> rows(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      return rows(result);
    }
  }

  private static List<String> rows(ResultSet result) throws SQLException {
    List<String> rows = new ArrayList<>();
    while (result.next()) {
      List<String> row = new ArrayList<>();
      for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
        row.add(String.valueOf(result.getString(i)));
      }
      rows.add(String.join("|", row));
    }
    return rows;
  }

  /** The numbers of tables by their names, and their names by these. */
  @Test
  void tablesByRegclass() throws SQLException {
    assertEquals(
        List.of("i|t", "d|t", "s|t", "l|t"),
        rows(
            "select a.attname, a.attrelid::regclass from pg_attribute a"
                + " where a.attrelid = 'T'::regclass and a.attnum > 0 order by a.attnum"));
    assertEquals(
        List.of("true|true|true|true"),
        rows(
            "select 'temp.t'::regclass = '\"t\"'::regclass, 't'::regclass <> 'v'::regclass,"
                + " cast('public.t' as regclass)::oid = (select oid from pg_class where relname ="
                + " 't'), 'nosuch'::regclass is null"));
    assertEquals(List.of("t", "v"), rows("select oid::regclass from pg_class order by 1"));
    assertEquals(List.of("t|v"), rows("select 't'::regclass::text, 'v'::regclass::varchar"));
    try (var statement =
        connection.prepareStatement(
            "select attname from pg_attribute where attrelid = ?::regclass")) {
      statement.setString(1, "v");
      try (var result = statement.executeQuery()) {
        assertTrue(result.next());
        assertEquals("i", result.getString(1));
        assertFalse(result.next());
      }
    }
  }

  @Test
  void knowsWhatProgramsOfPostgresqlAsk() throws SQLException {
    assertEquals(List.of("temp|t"), rows("select schemaname, tablename from pg_tables"));
    assertEquals(List.of("temp|v"), rows("select schemaname, viewname from pg_catalog.PG_VIEWS"));
    assertEquals(
        List.of("temp|t|r", "temp|v|v"),
        rows(
            "select n.nspname, c.relname, c.relkind from pg_class c join pg_namespace n"
                + " on n.oid = c.relnamespace order by c.relname"));
    assertEquals(
        List.of("t|i|1|true|int4", "t|d|2|false|numeric", "t|s|3|false|varchar", "v|i|1|true|int4"),
        rows(
            "select c.relname, a.attname, a.attnum, a.attnotnull, y.typname from pg_attribute a"
                + " join pg_class c on a.attrelid = c.oid join pg_type y on y.oid = a.atttypid"
                + " order by c.relname, a.attnum"));
    run(
        "create table typed (b tinyint, m smallint, z timestamp with time zone, x varbinary, u"
            + " uuid)");
    assertEquals(
        List.of("b|int2", "m|int2", "z|timestamptz", "x|bytea", "u|uuid"),
        rows(
            "select a.attname, y.typname from pg_attribute a join pg_class c"
                + " on a.attrelid = c.oid join pg_type y on y.oid = a.atttypid"
                + " where c.relname = 'typed' order by a.attnum"));
    assertEquals(
        List.of("pg_catalog"),
        rows(
            "select distinct n.nspname from pg_type y left join pg_namespace n"
                + " on n.oid = y.typnamespace"));
    assertEquals(
        List.of("temp"),
        rows("select nspname from pg_namespace where nspname not like 'pg\\_%' escape '\\'"));
    assertEquals(
        List.of("aragonite"),
        rows("select datname from pg_database where datname = current_database()"));
    assertEquals(
        List.of("t", "typed", "v"),
        rows(
            "select table_name from information_schema.tables"
                + " where table_catalog = current_database() order by table_name"));
    run("create table pg_views as select 1 as mine");
    assertEquals(List.of("1"), rows("select mine from pg_views"));
    assertEquals(List.of("temp"), rows("select current_schema()"));
    assertEquals(
        List.of("t"),
        rows(
            "select table_name from information_schema.tables where table_catalog = current_catalog"
                + " and table_name = 't'"));
    assertThrows(SQLException.class, () -> rows("select * from pg_nothing"));
    assertThrows(SQLException.class, () -> run("create schema pg_catalog"));
  }

  @Test
  void listsWhatThereIs() throws SQLException {
    assertEquals(List.of("temp"), rows("select schema_name from information_schema.schemata"));
    assertEquals(
        List.of("temp|t|BASE TABLE|YES", "temp|v|VIEW|NO"),
        rows(
            "select table_schema, table_name, table_type, is_insertable_into"
                + " from INFORMATION_SCHEMA.TABLES order by table_name"));
    assertEquals(List.of("v"), rows("select table_name from information_schema.views"));
    assertEquals(
        List.of("i|1|NO|INTEGER|null|null", "d|2|YES|DECIMAL|10|2", "s|3|YES|VARCHAR|null|null"),
        rows(
            "select column_name, ordinal_position, is_nullable, data_type, numeric_precision,"
                + " numeric_scale from information_schema.columns where table_name = 't'"
                + " and ordinal_position < 4 order by ordinal_position"));
    run("drop view v");
    assertEquals(List.of(), rows("select table_name from information_schema.views"));
    assertTrue(
        assertThrows(SQLException.class, () -> rows("select * from information_schema.keys"))
            .getMessage()
            .contains("AR-102"));
  }

  @Test
  void summarizes() throws SQLException {
    List<String> expected =
        List.of(
            "i|INTEGER|1|5|3|3.0|2.0|1|3|5|3|0.00",
            "d|DECIMAL(10, 2)|1.50|2.50|2|2.0|0.7071067811865476|1.50|1.50|2.50|3|33.33",
            "s|VARCHAR|a|b|2|null|null|null|null|null|3|0.00",
            "l|INTEGER[]|null|null|null|null|null|null|null|null|3|33.33");
    assertEquals(expected, rows("summarize t"));
    assertEquals(expected, rows("SUMMARIZE SELECT * FROM t;"));
    assertEquals(
        List.of("a|INTEGER|null|null|0|null|null|null|null|null|0|null"),
        rows("summarize select i as a from t where i > 5"));
    assertEquals(
        List.of("it's|INTEGER|1|1|1|1.0|null|1|1|1|1|0.00"),
        rows("summarize select 1 as \"it's\""));
    assertTrue(
        assertThrows(SQLException.class, () -> rows("summarize nothing"))
            .getMessage()
            .contains("AR-102"));
  }

  @Test
  void uuidsAreNewInEachRun() throws SQLException {
    Set<String> seen = new HashSet<>();
    try (PreparedStatement statement =
        connection.prepareStatement("select uuid(), gen_random_uuid() from t")) {
      for (int run = 0; run < 3; run++) {
        try (ResultSet result = statement.executeQuery()) {
          rows(result).forEach(row -> seen.addAll(List.of(row.split("\\|"))));
        }
        rows("select uuid(), gen_random_uuid() from t")
            .forEach(row -> seen.addAll(List.of(row.split("\\|"))));
      }
    }
    assertEquals(36, seen.size());
  }
}
