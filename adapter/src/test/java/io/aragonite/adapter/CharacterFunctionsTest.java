package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Characters are counted alike on the device and in the code of what is left to Calcite. */
class CharacterFunctionsTest {
  private static final List<String> CALLS =
      List.of(
          "lpad('😀', 3, '日')",
          "lpad(x, 3, '😀日')",
          "lpad(x, 1)",
          "rpad(x, 4, '😀')",
          "rpad(x, 5)",
          "left(x, 1)",
          "left(x, n)",
          "right(x, 1)",
          "right(x, 2)",
          "char_length(x)",
          "length(x)",
          "substring(x, 2)",
          "substring(x, 2, 1)",
          "substring(x from n for n)",
          "position('日' in x)",
          "position('日' in x from 2)",
          "overlay(x placing 'zz' from 2 for 1)",
          "overlay(x placing '日' from n)",
          "reverse(x)",
          "ascii(x)");

  private static final String ROWS =
      " from (values ('😀', 1), ('a😀日', 2), ('日日😀', cast(2 as bigint)), ('', 1), ('abc', 3),"
          + " (cast(null as varchar), 1)) t(x, n)";

  /** A MULTISET of a row's values is made by Calcite's code, and what stands beside it too. */
  private static final String BESIDE = ", cardinality(MULTISET[1, n])";

  @Test
  void countsAreAlike() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:device=cpu")) {
      String all = String.join(", ", CALLS);
      String left = "select " + all + BESIDE + ROWS;
      assertTrue(
          rows(connection, "explain plan for " + left).toString().contains("EnumerableCalc"));
      List<List<@Nullable Object>> expected = rows(connection, "select " + all + ", 2" + ROWS);
      assertEquals(expected, rows(connection, left));
      assertEquals(
          Arrays.asList("日日😀", "😀日😀", "😀", "😀😀😀😀", "😀    ", "😀"),
          expected.getFirst().subList(0, 6));
    }
  }

  @Test
  void refusedAlike() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:device=cpu")) {
      for (String call : List.of("lpad(x, -1 * n)", "substring(x, 1, -1 * n)", "rpad(x, 4, '')")) {
        String device = message(connection, "select " + call + ROWS);
        String calcite = message(connection, "select " + call + BESIDE + ROWS);
        assertTrue(device.startsWith("AR-"), device);
        assertEquals(device.substring(0, 6), calcite.substring(0, 6), calcite);
      }
    }
  }

  private static String message(Connection connection, String sql) {
    try {
      return "right: " + rows(connection, sql);
    } catch (SQLException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static List<List<@Nullable Object>> rows(Connection connection, String sql)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet results = statement.executeQuery(sql)) {
      List<List<@Nullable Object>> rows = new ArrayList<>();
      while (results.next()) {
        List<@Nullable Object> row = new ArrayList<>();
        for (int i = 1; i <= results.getMetaData().getColumnCount(); i++) {
          Object value = results.getObject(i);
          row.add(value instanceof Number number ? number.longValue() : value);
        }
        rows.add(row);
      }
      return rows;
    }
  }
}
