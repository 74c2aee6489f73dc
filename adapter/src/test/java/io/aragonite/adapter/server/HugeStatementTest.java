package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Statements of megabytes, and of many thousands of parts, get an answer or an error, and the
 * server goes on.
 */
@Timeout(300)
class HugeStatementTest {
  private static QueryServer server;

  @BeforeAll
  static void start() throws SQLException {
    server = QueryServer.start(ServerOptions.local("jdbc:aragonite:device=cpu;threads=1"));
  }

  @AfterAll
  static void stop() throws SQLException {
    server.close();
  }

  private static String answer(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.clientUrl());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      assertTrue(row.next());
      return row.getString(1);
    }
  }

  @Test
  void aLongText() throws SQLException {
    assertEquals("1000000", answer("select char_length('" + "x".repeat(1_000_000) + "')"));
  }

  @Test
  void manyConstants() throws SQLException {
    String list =
        IntStream.range(0, 5_000).mapToObj(i -> "" + 2 * i).collect(Collectors.joining(","));
    assertEquals(
        "500", answer("select count(*) from range(1000) as t(g) where g in (" + list + ")"));
  }

  @Test
  void manyParts() throws SQLException {
    for (String sql :
        new String[] {
          "select 1" + "+1".repeat(200_000),
          "select " + "(".repeat(100_000) + "1" + ")".repeat(100_000),
          "select " + "(".repeat(100_000),
          "select " + "not ".repeat(100_000) + "true",
          "select 1" + " union all select 1".repeat(30_000),
          "select char_length('" + "''".repeat(500_000) + "')"
        }) {
      try {
        String answer = answer(sql);
        assertTrue(Set.of("200001", "1", "true", "500000").contains(answer), answer);
      } catch (SQLException e) {
        assertEquals(
            ErrorCode.INVALID_STATEMENT.number(),
            e.getErrorCode(),
            () -> sql.substring(0, 20) + " " + e);
      }
      assertEquals("7", answer("select 7"));
    }
  }

  @Test
  void moreThanARequestMayHave() throws SQLException {
    String sql = "select '" + "x".repeat(65 << 20) + "'";
    // 413, or a connection that the server has ended before it had all: it does not read the rest
    assertThrows(SQLException.class, () -> answer(sql));
    assertEquals("7", answer("select 7"));
  }
}
