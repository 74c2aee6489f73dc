package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.function.Executable;

/** What the tests of the driver share. */
final class TestConnections {
  static final String TPCH = "jdbc:aragonite:tpch=0.01;threads=2";

  private TestConnections() {}

  static Connection open(String properties) throws SQLException {
    return DriverManager.getConnection("jdbc:aragonite:" + properties);
  }

  static Connection tpch() throws SQLException {
    return DriverManager.getConnection(TPCH);
  }

  /** Rows as texts, values joined by a bar. */
  static List<String> rows(ResultSet result) throws SQLException {
    List<String> rows = new ArrayList<>();
    int columns = result.getMetaData().getColumnCount();
    while (result.next()) {
      StringBuilder row = new StringBuilder();
      for (int i = 1; i <= columns; i++) {
        row.append(i == 1 ? "" : "|").append(result.getString(i));
      }
      rows.add(row.toString());
    }
    return rows;
  }

  static List<String> query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      return rows(result);
    }
  }

  /** The error that {@code action} must end with; its message must contain {@code parts}. */
  static SQLException assertError(ErrorCode code, Executable action, String... parts) {
    SQLException error = assertThrows(SQLException.class, action);
    String message = String.valueOf(error.getMessage());
    assertEquals(code.number(), error.getErrorCode(), message);
    assertEquals(code.sqlState(), error.getSQLState(), message);
    assertTrue(message.startsWith(code.code() + " (" + code.kind() + "): "), message);
    assertTrue(message.endsWith(".") || message.endsWith("?"), message);
    assertEquals(-1, message.indexOf('\n'), message);
    for (String part : parts) {
      assertTrue(message.contains(part), () -> "no '" + part + "' in: " + message);
    }
    return error;
  }
}
