package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Schemas that a connection makes for its tables. */
class OwnSchemasTest extends OwnTablesFixture {
  @Test
  void aSchemaInUse() throws Exception {
    update("create table t (a int)");
    update("create schema s");
    update("create table s.t (a int default 5, b varchar default 'x')");
    update("insert into s.t (b) values ('y')");
    update("use S");
    assertEquals(List.of("5|y"), rows("select * from t"));
    update("insert into t values (7, 'z')");
    update("create table u as select * from t where a > 5");
    update("create view v as select a from t");
    update("set search_path = temp");
    assertEquals(List.of(), rows("select * from t"));
    assertEquals(List.of("5", "7"), rows("select * from s.v order by a"));
    assertEquals(List.of("7|z"), rows("select * from s.u"));
    update("set schema 's'");
    update("drop view v");
    assertError(
        ErrorCode.INVALID_STATEMENT, () -> update("set search_path to s, temp"), "One schema");
    assertError(ErrorCode.UNKNOWN_TABLE, () -> update("use nowhere"), "no schema 'nowhere'");
    try (ResultSet columns = connection.getMetaData().getColumns(null, "s", "t", "%")) {
      assertTrue(columns.next());
      assertEquals("5", columns.getString("COLUMN_DEF"));
      assertTrue(columns.next());
      assertEquals("'x'", columns.getString("COLUMN_DEF"));
    }
    update("drop schema s cascade");
    assertEquals(List.of(), rows("select * from t"));
    update("create schema s");
    update("use s");
    assertError(ErrorCode.INVALID_STATEMENT, () -> update("use information_schema"), "in use");
    update("reset search_path");
    assertEquals(List.of(), rows("select * from t"));
  }

  @Test
  void theStandardsSchemaStays() throws Exception {
    String tables = "select table_schema from information_schema.tables where table_name = 't'";
    for (String back : new String[] {"use temp", "reset schema", "set schema default"}) {
      update(back);
      assertEquals(List.of(), rows(tables));
    }
    update("create schema s");
    update("create table s.t (i int)");
    update("use s");
    assertEquals(List.of("s"), rows(tables));
    update("drop schema s cascade");
    assertEquals(List.of(), rows(tables));
    List<String> schemas = new ArrayList<>();
    try (ResultSet rows = connection.getMetaData().getSchemas()) {
      while (rows.next()) {
        schemas.add(rows.getString("TABLE_SCHEM"));
      }
    }
    assertEquals(List.of("metadata", "temp"), schemas);
  }

  @Test
  void tablesOfASchema() throws Exception {
    update("create schema Shop");
    assertEquals(List.of("Shop", "metadata", "temp"), rows("show schemas"));
    update("create table shop.t (id int primary key, s varchar default 'x')");
    update("create table t as select 7 as id");
    assertEquals(2, update("insert into SHOP.t (id) values (1), (2)"));
    error(ErrorCode.DUPLICATE_KEY, "insert into shop.t values (2, 'y')", "(2)");
    assertEquals(List.of("1|x", "2|x"), rows("select * from shop.t order by id"));
    assertEquals(List.of("7"), rows("select * from t"));
    assertEquals(1, update("update shop.t as a set s = 'z' where a.id = 2"));
    assertEquals(1, update("delete from shop.t where id = 1"));
    update("create view shop.v as select id * 10 as ten, s from shop.t");
    assertEquals(List.of("20|z|7"), rows("select v.*, t.id from shop.v join t on true"));
    assertEquals(List.of("t", "v"), rows("show tables from shop"));
    assertEquals(List.of("t"), rows("show tables"));
    assertEquals(
        List.of("id|INTEGER|NO|PRI|null|null", "s|VARCHAR|YES|null|'x'|null"),
        rows("describe shop.t"));
    update("drop view shop.v");
    update("truncate table shop.t");
    assertEquals(List.of("0"), rows("select count(*) from shop.t"));
    error(ErrorCode.UNKNOWN_TABLE, "drop table shop.w");
    update("drop table shop.t");
    assertError(ErrorCode.UNKNOWN_TABLE, () -> rows("select * from shop.t"));
    assertEquals(List.of("7"), rows("select * from t"));
  }

  @Test
  void dropping() throws Exception {
    update("create schema s");
    update("create schema if not exists S");
    update("create table s.t as select 1 as i");
    assertEquals(List.of("1"), rows("select i from s.t"));
    error(ErrorCode.INVALID_STATEMENT, "drop schema s", "t", "CASCADE");
    error(ErrorCode.INVALID_STATEMENT, "drop schema if exists s restrict", "CASCADE");
    assertEquals(List.of("1"), rows("select i from s.t"));
    update("drop schema s cascade");
    assertError(ErrorCode.UNKNOWN_TABLE, () -> rows("select i from s.t"));
    assertEquals(List.of("metadata", "temp"), rows("show schemas"));
    error(ErrorCode.UNKNOWN_TABLE, "drop schema s", "'s'");
    update("drop schema if exists s");
    error(ErrorCode.READ_ONLY, "insert into s.t values (1)", "CREATE SCHEMA");
    update("create schema s");
    assertEquals(List.of(), rows("show tables from s"));
    update("create table s.t as select 2 as i");
    assertEquals(List.of("2"), rows("select i from s.t"));
  }

  @Test
  void badSchemas() throws Exception {
    error(ErrorCode.DUPLICATE_TABLE, "create schema temp", "\"temp\"");
    error(ErrorCode.DUPLICATE_TABLE, "create schema METADATA");
    update("create schema s");
    error(ErrorCode.DUPLICATE_TABLE, "create schema S", "\"S\"");
    error(ErrorCode.READ_ONLY, "drop schema temp cascade", "temp");
    error(ErrorCode.READ_ONLY, "drop schema metadata");
    error(ErrorCode.SYNTAX, "create schema", "name of a schema");
    error(ErrorCode.SYNTAX, "create schema a.b", "'.'");
    error(ErrorCode.READ_ONLY, "create table nosuch.t (i int)", "nosuch");
  }

  @Test
  void tablesGetOtherNames() throws Exception {
    update("create schema s");
    update("create table s.t (id int primary key)");
    update("insert into s.t values (1), (2)");
    update("alter table s.t rename to T");
    update("alter table s.T rename to u");
    assertEquals(List.of("u"), rows("show tables from s"));
    assertEquals(List.of("1", "2"), rows("select * from s.u order by id"));
    error(ErrorCode.DUPLICATE_KEY, "insert into s.u values (2)", "\"u\"");
    assertEquals(1, update("insert into s.u values (3)"));
    assertError(ErrorCode.UNKNOWN_TABLE, () -> rows("select * from s.t"));
    update("create table s.t (id int)");
    error(ErrorCode.DUPLICATE_TABLE, "alter table s.t rename to U", "\"u\"");
    error(ErrorCode.UNKNOWN_TABLE, "alter table s.v rename to w");
    error(ErrorCode.READ_ONLY, "alter table metadata.tables rename to w");
    assertEquals(List.of("3"), rows("select count(*) from s.u"));
  }

  @Test
  void metadataTellsOfThem() throws Exception {
    update("create schema s");
    update("create table s.t (i int primary key)");
    List<String> found = new ArrayList<>();
    try (ResultSet rows = connection.getMetaData().getSchemas(null, "S")) {
      while (rows.next()) {
        found.add(rows.getString("TABLE_SCHEM"));
      }
    }
    try (ResultSet rows = connection.getMetaData().getTables(null, "s", "%", null)) {
      while (rows.next()) {
        found.add(rows.getString("TABLE_NAME") + " " + rows.getString("TABLE_TYPE"));
      }
    }
    try (ResultSet rows = connection.getMetaData().getColumns(null, "s", "t", "%")) {
      while (rows.next()) {
        found.add(rows.getString("COLUMN_NAME"));
      }
    }
    try (ResultSet rows = connection.getMetaData().getPrimaryKeys(null, "s", "t")) {
      while (rows.next()) {
        found.add(rows.getString("PK_NAME"));
      }
    }
    assertEquals(List.of("s", "t TABLE", "i", "t_pk"), found);
    try (Connection other = TestConnections.open("threads=1")) {
      assertError(ErrorCode.UNKNOWN_TABLE, () -> query(other, "select * from s.t"));
      assertEquals(List.of("metadata"), query(other, "show schemas"));
    }
  }
}
