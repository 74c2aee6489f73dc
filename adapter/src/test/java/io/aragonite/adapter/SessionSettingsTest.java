package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SET, PRAGMA, SHOW and DESCRIBE as programs for DuckDB and PostgreSQL have them. */
class SessionSettingsTest {
  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = TestConnections.open("device=cpu;threads=1");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      assertFalse(statement.execute(sql), sql);
    }
  }

  private List<String> rows(String sql) throws SQLException {
    return TestConnections.query(connection, sql);
  }

  @Test
  void whatIsSoAnyway() throws SQLException {
    for (String sql :
        List.of(
            "set client_encoding to 'UTF8'",
            "SET NAMES utf8",
            "set standard_conforming_strings = on",
            "set session application_name = 'a program'",
            "SET extra_float_digits = 3",
            "set datestyle = 'ISO, MDY'",
            "set preserve_insertion_order = true",
            "set preserve_insertion_order = false",
            "pragma enable_progress_bar",
            "set search_path = 'main'",
            "use public",
            "reset threads")) {
      run(sql);
    }
    assertEquals(List.of("utf8"), rows("show client_encoding"));
    assertEquals(
        rows("select version()"), List.of("Aragonite " + rows("show server_version").get(0)));
  }

  @Test
  void whatIsOtherwise() throws SQLException {
    assertError(
        ErrorCode.INVALID_STATEMENT, () -> run("set threads = 4"), "jdbc:aragonite:threads=");
    assertError(ErrorCode.INVALID_STATEMENT, () -> run("pragma memory_limit='1GB'"), "memory=");
    assertError(
        ErrorCode.INVALID_STATEMENT,
        () -> run("set default_null_order = 'nulls_last'"),
        "nulls_last_on_asc_first_on_desc");
    assertError(ErrorCode.SYNTAX, () -> run("pragma storage_info('t')"), "table_info('t')");
    assertError(ErrorCode.UNKNOWN_TABLE, () -> run("set search_path = 'elsewhere'"), "elsewhere");
    assertError(ErrorCode.UNKNOWN_TABLE, () -> rows("show nothing"), "nothing");
  }

  @Test
  void tablesAreDescribedWithKeysAndDefaults() throws SQLException {
    run("create table t (a integer primary key, b varchar default 'x' not null, c date unique)");
    List<String> described =
        List.of(
            "a|INTEGER|NO|PRI|null|null", "b|VARCHAR|NO|null|'x'|null", "c|DATE|YES|UNI|null|null");
    for (String sql : List.of("describe t", "show t", "pragma show('t')", "show columns from t")) {
      assertEquals(described, rows(sql), sql);
    }
    assertEquals(
        List.of(
            "0|a|INTEGER|true|null|true",
            "1|b|VARCHAR|true|'x'|false",
            "2|c|DATE|false|null|false"),
        rows("pragma table_info('t')"));
    assertEquals(List.of("t"), rows("pragma show_tables"));
    assertEquals(
        List.of("x|INTEGER|NO|null|null|null"), rows("describe select a as x from t where a > 1"));
  }
}
