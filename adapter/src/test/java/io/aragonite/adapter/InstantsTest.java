package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Instants where clocks are changed, in connections whose zone is not UTC. */
class InstantsTest {
  private static Connection berlin;
  private static Connection newYork;

  @BeforeAll
  static void open() throws SQLException {
    berlin = TestConnections.open("device=cpu;threads=1;timeZone=Europe/Berlin");
    newYork = TestConnections.open("device=cpu;threads=1;timeZone=America/New_York");
  }

  @AfterAll
  static void close() throws SQLException {
    berlin.close();
    newYork.close();
  }

  private static void check(Connection connection, String wanted, String expressions)
      throws SQLException {
    assertEquals(List.of(wanted), TestConnections.query(connection, "select " + expressions));
  }

  @Test
  void longSumsAreTypedInLinearTime() {
    String sum = String.join(" + ", Collections.nCopies(200, "x"));
    String difference = String.join(" - ", Collections.nCopies(200, "x"));
    String casts = "cast(".repeat(100) + "x" + " as bigint)".repeat(100);
    assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () ->
            check(
                berlin,
                "400|-396|2",
                sum + ", " + difference + ", " + casts + " from (values 2) t(x)"));
  }
}
