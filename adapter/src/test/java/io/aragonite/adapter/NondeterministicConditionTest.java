package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/**
 * A condition with random() beside others stays where it is; the others go where they make a plan
 * better.
 */
class NondeterministicConditionTest {
  private static final String FROM_WHERE =
      " from (values (1), (2), (3)) a(k), (values (2), (3), (4)) b(j) where a.k = b.j and random()"
          + " < 2";

  private static String text(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:device=cpu");
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      StringBuilder text = new StringBuilder();
      while (result.next()) {
        text.append(result.getString(1)).append('\n');
      }
      return text.toString();
    }
  }

  @Test
  void keysOfAJoinReachIt() throws SQLException {
    String plan = text("explain select count(*)" + FROM_WHERE);
    assertTrue(plan.contains("HashJoin") && plan.contains("condition=[=("), plan);
    assertEquals("2\n", text("select count(*)" + FROM_WHERE));
  }
}
