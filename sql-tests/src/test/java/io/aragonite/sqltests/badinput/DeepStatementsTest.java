package io.aragonite.sqltests.badinput;

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
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Statements that programs make: deep, long, and with long lists. */
final class DeepStatementsTest {
  @SuppressWarnings("NullAway.Init")
  private static Connection connection;

  @BeforeAll
  static void open() throws SQLException {
    connection = DriverManager.getConnection("jdbc:aragonite:tpch=0.01");
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  private static String chain(int n, String operator, IntFunction<String> term) {
    return IntStream.range(0, n).mapToObj(term).collect(Collectors.joining(operator));
  }

  private static String first(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertTrue(rows.next());
      return String.valueOf(rows.getString(1));
    }
  }

  @Test
  void longChainsRun() throws SQLException {
    String region = " from region where r_regionkey = 1";
    assertEquals("5000", first("select " + chain(5000, " + ", i -> "r_regionkey") + region));
    assertEquals(
        "2",
        first("select count(*) from region where " + chain(3000, " or ", DeepStatementsTest::is)));
    assertEquals(
        "5",
        first(
            "select count(*) from region where "
                + chain(5000, " and ", i -> "r_regionkey <> " + (i + 9))));
    assertEquals(5000, first("select " + chain(5000, " || ", i -> "'x'") + region).length());
  }

  private static String is(int i) {
    return "r_regionkey = " + (i + 3);
  }

  @Test
  void nestingRunsPreparedToo() throws SQLException {
    String sql = "select " + "(".repeat(3000) + "7" + ")".repeat(3000);
    assertEquals("7", first(sql));
    try (PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet rows = statement.executeQuery()) {
      assertTrue(rows.next());
      assertEquals(7, rows.getInt(1));
    }
  }

  @Test
  void whatIsTooDeepNamesTheLimit() throws SQLException {
    String sql = "select " + "(".repeat(50_000) + "1" + ")".repeat(50_000);
    SQLException e = assertThrows(SQLException.class, () -> first(sql));
    String message = String.valueOf(e.getMessage());
    assertEquals("42000", e.getSQLState(), message);
    assertTrue(message.contains("the limit is 20,000 levels"), message);
    assertFalse(message.contains("null"), message);
    assertEquals("5", first("select count(*) from region"));
  }

  @Test
  void casesInEachOtherAndLengthHaveLimits() {
    String cases =
        "select " + "case when true then 1 else ".repeat(3000) + "2" + " end".repeat(3000);
    SQLException deep = assertThrows(SQLException.class, () -> first(cases));
    assertTrue(String.valueOf(deep.getMessage()).contains("2,000 of CASE"), deep::getMessage);
    String spaces = "select 1" + " ".repeat(33 << 20);
    SQLException length = assertThrows(SQLException.class, () -> first(spaces));
    assertTrue(String.valueOf(length.getMessage()).contains("characters"), length::getMessage);
  }

  /** What is wide is not deep: commas and clauses begin anew. */
  @Test
  void wideStatementsAreNotDeep() throws SQLException {
    assertEquals(
        "1",
        first(
            "select "
                + chain(5_000, ", ", i -> "r_regionkey as c" + i)
                + " from region where r_regionkey = 1"));
    assertEquals("0", first("select " + chain(5_000, ", ", i -> "" + i)));
    assertEquals(
        "x3",
        first(
            "select case "
                + chain(
                    5_000,
                    " ",
                    i -> "when r_regionkey + 1 = " + (i - 1) + " then 'x" + (i - 1) + "'")
                + " end from region where r_regionkey = 2"));
    assertEquals("21000", first("select " + chain(1000, ", ", i -> "1 + 20999") + ", 5"));
    assertEquals("true", first("select -3 in (" + chain(21_000, ", ", i -> "-" + i) + ")"));
  }

  @Test
  void longListsAreComparedAsSqlDoes() throws SQLException {
    String keys = chain(30_000, ", ", i -> String.valueOf(i - 10));
    assertEquals("5", first("select count(*) from region where r_regionkey in (" + keys + ")"));
    assertEquals("0", first("select count(*) from region where r_regionkey not in (" + keys + ")"));
    assertEquals(
        "5",
        first(
            "select count(*) from region where r_regionkey not in ("
                + keys.substring(keys.indexOf("100,"))
                + ")"));
    assertEquals(
        "0",
        first(
            "select count(*) from region where r_regionkey not in (null, "
                + keys.substring(keys.indexOf("100,"))
                + ")"));
    String fractions = chain(100, ", ", i -> i + ".5");
    assertEquals(
        "0", first("select count(*) from region where r_regionkey in (" + fractions + ")"));
    assertEquals(
        "1", first("select count(*) from region where r_regionkey in (" + fractions + ", 3.0)"));
    assertEquals(
        "2",
        first(
            "select count(*) from region where r_name in ('ASIA', 'EUROPE', "
                + chain(3000, ", ", i -> "'x" + i + "'")
                + ")"));
  }
}
