package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SET, RESET and SHOW of the connection's time zone. */
class TimeZoneSettingTest {
  private static final String NOON = "timestamptz '2024-07-01 12:00:00Z'";

  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = TestConnections.open("device=cpu;threads=1;timeZone=Europe/Berlin");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      assertFalse(statement.execute(sql));
      assertEquals(0, statement.getUpdateCount());
    }
  }

  private String query(String sql) throws SQLException {
    return String.join(";", TestConnections.query(connection, sql));
  }

  @Test
  void commentsAreNoPartOfASetting() throws SQLException {
    run("/* of who looks */ -- on\nset timezone = 'Asia/Tokyo'; -- Japan");
    assertEquals("Asia/Tokyo", query("/* which? */ show timezone -- this"));
    run("-- back\nreset timezone");
    assertEquals("Europe/Berlin", query("show timezone"));
  }

  @Test
  void aStatementIsPlannedForTheZoneItRunsIn() throws SQLException {
    String sql =
        "select x, cast(x as timestamp), extract(hour from x), x = timestamp '2024-07-01"
            + " 08:00:00' from (values ("
            + NOON
            + ")) t(x)";
    String berlin = "2024-07-01 14:00:00+02|2024-07-01 14:00:00|14|false";
    String newYork = "2024-07-01 08:00:00-04|2024-07-01 08:00:00|8|true";
    try (PreparedStatement prepared = connection.prepareStatement(sql);
        PreparedStatement typed =
            connection.prepareStatement(sql + " where x > ? or x is not null")) {
      typed.setTimestamp(1, Timestamp.from(Instant.EPOCH));
      for (int i = 0; i < 2; i++) {
        check(berlin, sql, prepared, typed);
        run("SET TimeZone = 'America/New_York'");
        assertEquals("America/New_York", query("SHOW TimeZone"));
        check(newYork, sql, prepared, typed);
        run("RESET TimeZone");
        assertEquals("Europe/Berlin", query("SHOW TIME ZONE"));
      }
    }
  }

  private void check(String wanted, String sql, PreparedStatement... prepared) throws SQLException {
    assertEquals(wanted, query(sql));
    for (PreparedStatement statement : prepared) {
      try (ResultSet rows = statement.executeQuery()) {
        assertEquals(List.of(wanted), TestConnections.rows(rows));
      }
    }
  }

  @Test
  void gettersAndParametersHaveTheZone() throws SQLException {
    run("set time zone 'Asia/Tokyo'");
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("select " + NOON + ", timestamp '2024-07-01 21:00:00'")) {
      rows.next();
      assertEquals(OffsetDateTime.parse("2024-07-01T21:00:00+09:00"), rows.getObject(1));
      Timestamp noon = Timestamp.from(Instant.parse("2024-07-01T12:00:00Z"));
      assertEquals(noon, rows.getTimestamp(1));
      assertEquals(noon, rows.getTimestamp(2));
      // What is open keeps its zone.
      run("set time zone 'UTC'");
      assertEquals("2024-07-01 21:00:00+09", rows.getString(1));
    }
    try (PreparedStatement select = connection.prepareStatement("select cast(? as varchar)")) {
      select.setTimestamp(1, Timestamp.from(Instant.parse("2024-07-01T12:00:00Z")));
      try (ResultSet rows = select.executeQuery()) {
        assertEquals(List.of("2024-07-01 12:00:00"), TestConnections.rows(rows));
      }
      run("set timezone to 'Asia/Tokyo'");
      select.setTimestamp(1, Timestamp.from(Instant.parse("2024-07-01T12:00:00Z")));
      try (ResultSet rows = select.executeQuery()) {
        assertEquals(List.of("2024-07-01 21:00:00"), TestConnections.rows(rows));
      }
    }
  }

  @Test
  void viewsHaveTheZoneOfWhoReadsThem() throws SQLException {
    run("create view v as select cast(" + NOON + " as varchar) as x");
    assertEquals("2024-07-01 14:00:00+02", query("select x from v"));
    run("set session timezone = 'UTC'");
    assertEquals("2024-07-01 12:00:00+00", query("select x from v"));
  }

  /** A property of the connection has its effect and gives way, however it is written. */
  @Test
  void aZoneOfTheUrlInOtherLettersIsChanged() throws SQLException {
    for (String name : List.of("timezone", "TIMEZONE", "timeZone")) {
      try (Connection other =
              DriverManager.getConnection(
                  "jdbc:aragonite:device=cpu;" + name + "=America/New_York");
          Statement statement = other.createStatement()) {
        for (String set : List.of("set TimeZone = 'Asia/Tokyo'", "reset TimeZone")) {
          statement.execute(set);
          try (ResultSet row = statement.executeQuery("show TimeZone")) {
            assertTrue(row.next());
            assertEquals(
                set.startsWith("reset") ? "America/New_York" : "Asia/Tokyo",
                row.getString(1),
                name);
          }
        }
      }
    }
  }

  @Test
  void allForms() throws SQLException {
    run("set timezone = '+05:30'");
    assertEquals("2024-07-01 17:30:00+05:30", query("select " + NOON));
    run("SET TIME ZONE 'utc';");
    assertEquals("UTC", query("show timezone"));
    run("set timezone = europe/paris");
    assertEquals("Europe/Paris", query("show timezone"));
    for (String reset :
        List.of("set timezone to default", "set time zone local", "reset time zone")) {
      run("set time zone 'Asia/Tokyo'");
      run(reset);
      assertEquals("Europe/Berlin", query("show timezone"), reset);
    }
    TestConnections.assertError(
        ErrorCode.INVALID_ARGUMENT, () -> run("set timezone = 'Europe/Nowhere'"), "Nowhere");
    TestConnections.assertError(
        ErrorCode.INVALID_ARGUMENT, () -> run("set timezone = '+01:00:07'"), "minutes");
    for (String other : List.of("set colour = 4", "reset all", "set timezone", "set")) {
      TestConnections.assertError(ErrorCode.SYNTAX, () -> run(other), "SET TimeZone");
    }
    assertEquals("Europe/Berlin", query("show timezone"));
  }

  @Test
  void withoutThePropertyItIsThatOfTheProcess() throws SQLException {
    try (Connection plain = TestConnections.open("device=cpu;threads=1");
        Statement statement = plain.createStatement()) {
      String own = TimeZone.getDefault().getID();
      assertEquals(List.of(own), TestConnections.query(plain, "show timezone"));
      statement.execute("set timezone = 'Asia/Tokyo'");
      assertEquals(List.of("Asia/Tokyo"), TestConnections.query(plain, "show timezone"));
      assertEquals("Europe/Berlin", query("show timezone"));
      statement.execute("reset timezone");
      assertEquals(List.of(own), TestConnections.query(plain, "show timezone"));
    }
  }
}
