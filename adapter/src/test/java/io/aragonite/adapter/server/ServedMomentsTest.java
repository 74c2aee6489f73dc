package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Array;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;

/** Dates and times, those before 1582 among them, are the same through a server and without one. */
class ServedMomentsTest {
  private static final String URL = "jdbc:aragonite:device=cpu";

  /**
   * The fourth and fifth are days around those that the Julian calendar left out, and one of them.
   */
  private static final List<String> DAYS =
      List.of(
          "0001-01-01",
          "0900-02-28",
          "1500-03-01",
          "1582-10-04",
          "1582-10-10",
          "1582-10-15",
          "1600-02-29",
          "1883-11-18",
          "1969-12-31",
          "1970-01-01",
          "2024-03-31",
          "9999-12-31");

  private static final List<String> TIMES =
      List.of("00:00:00", "02:30:00", "12:34:56.789", "23:59:59.999");

  /** A moment is read as each of these. */
  private interface Getter {
    Object get(ResultSet rows, int column) throws SQLException;
  }

  private static Calendar calendar(String zone) {
    return Calendar.getInstance(TimeZone.getTimeZone(zone), Locale.ROOT);
  }

  private static List<Getter> getters(int column) {
    List<Getter> getters = new ArrayList<>();
    getters.add((rows, i) -> {
      String text = rows.getString(i);
      // Avatica's own driver fills a column's width
      return text == null
          ? null
          : text.replaceFirst("([.]\\d*?)0+$", "$1").replaceFirst("[.]$", "");
    });
    getters.add(ResultSet::getObject);
    if (column != 2) {
      getters.add(ResultSet::getDate);
      getters.add((rows, i) -> rows.getDate(i, calendar("UTC")));
      getters.add((rows, i) -> rows.getDate(i, calendar("Asia/Tokyo")));
      getters.add(ResultSet::getTimestamp);
      getters.add((rows, i) -> rows.getTimestamp(i, calendar("America/New_York")));
    }
    if (column != 1) {
      getters.add(ResultSet::getTime);
      getters.add((rows, i) -> rows.getTime(i, calendar("Asia/Tokyo")));
    }
    return getters;
  }

  private static List<Object> values(ResultSet rows) throws SQLException {
    List<Object> values = new ArrayList<>();
    while (rows.next()) {
      for (int column = 1; column <= 3; column++) {
        for (Getter getter : getters(column)) {
          Object value = getter.get(rows, column);
          values.add(value instanceof java.util.Date date ? date.getTime() : value);
        }
      }
      for (int column = 4; column <= 5; column++) {
        Array array = rows.getArray(column);
        Object[] elements = array == null ? new Object[0] : (Object[]) array.getArray();
        for (Object element : elements) {
          values.add(element instanceof java.util.Date date ? date.getTime() : element);
        }
      }
    }
    return values;
  }

  private static String query() {
    List<String> rows = new ArrayList<>();
    for (String day : DAYS) {
      for (String time : TIMES) {
        String date = "date '%s'".formatted(day);
        String moment = "timestamp '%s %s'".formatted(day, time);
        rows.add(
            "(%s, time '%s', %s, array[%s, null], array[null, %s])"
                .formatted(date, time, moment, date, moment));
      }
    }
    rows.add("(null, null, null, null, null)");
    // so that a result has several frames
    return "select d, t, m, ds, ms from (values %s) as v(d, t, m, ds, ms), range(3) as r(i)"
            .formatted(String.join(", ", rows))
        + " order by i, d, t";
  }

  @Test
  void gettersFindTheSame() throws SQLException {
    try (QueryServer server = QueryServer.start(ServerOptions.local(URL));
        Connection local = DriverManager.getConnection(URL);
        Connection remote = DriverManager.getConnection(server.clientUrl());
        Statement here = local.createStatement();
        Statement there = remote.createStatement();
        ResultSet expected = here.executeQuery(query());
        ResultSet actual = there.executeQuery(query())) {
      List<Object> values = values(expected);
      assertTrue(values.size() > 1000, "values: " + values.size());
      assertArrayEquals(values.toArray(), values(actual).toArray());
    }
  }

  /** What clients set is what a local statement finds, one at a time and in batches. */
  @Test
  void parametersAreTheSame() throws SQLException {
    try (QueryServer server = QueryServer.start(ServerOptions.local(URL));
        Connection local = DriverManager.getConnection(URL);
        Connection remote = DriverManager.getConnection(server.clientUrl())) {
      List<String> expected = inserted(local);
      assertEquals("0001-01-01 00:00:00 0001-01-01 00:00:00", expected.getFirst());
      assertEquals(expected, inserted(remote));
    }
  }

  private static List<String> inserted(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("create table moments (n integer, d date, t time(3), m timestamp(3))");
      try (PreparedStatement insert =
          connection.prepareStatement("insert into moments values (?, ?, ?, ?)")) {
        int number = 0;
        for (String day : DAYS) {
          for (String time : TIMES) {
            insert.setInt(1, number++);
            insert.setDate(2, Date.valueOf(day));
            insert.setTime(3, Time.valueOf(time.substring(0, 8)));
            insert.setTimestamp(4, Timestamp.valueOf(day + " " + time));
            if (number % 2 == 0) {
              insert.executeUpdate();
            } else {
              insert.addBatch();
              assertArrayEquals(new int[] {1}, insert.executeBatch());
            }
          }
        }
      }
      List<String> texts = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery(
              "select cast(d as varchar), cast(t as varchar), cast(m as varchar) from moments"
                  + " order by n")) {
        while (rows.next()) {
          List<String> row = Arrays.asList(rows.getString(1), rows.getString(2), rows.getString(3));
          texts.add(String.join(" ", row).replaceAll("[.]0+\\b", ""));
        }
      }
      return texts;
    }
  }
}
