package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.tpch.TpchRunner;
import io.aragonite.tpch.TpchRunner.Options;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/**
 * TPC-H on the device of the tests that has memory of its own: its operators may not touch that
 * memory from the host, except by transfers.
 */
class DiscreteTpchTest {
  private static final String DEVICE = "aragonite.test.device";

  /** Memory that no other test asks for, since engines are shared by equal properties. */
  private static final String URL = "jdbc:aragonite:tpch=0.01;threads=2;memory=1008MB;fallback=off";

  @Test
  void allAnswersAreRight() throws SQLException {
    assumeTrue(System.getProperty(DEVICE, "").isEmpty());
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    System.setProperty(DEVICE, "discrete");
    try (Connection connection = DriverManager.getConnection(URL);
        PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      int status = TpchRunner.of(connection, Options.standard(0.01), out).run().exitStatus();
      assertEquals(0, status, () -> text.toString(StandardCharsets.UTF_8));
      assertTrue(analyzed(connection).contains("on host"), "it ran on another device");
    } finally {
      System.clearProperty(DEVICE);
    }
  }

  private static String analyzed(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("explain analyze select count(*) from lineitem")) {
      StringBuilder plan = new StringBuilder();
      while (rows.next()) {
        plan.append(rows.getString(1)).append('\n');
      }
      return plan.toString();
    }
  }
}
