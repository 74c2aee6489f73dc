package io.aragonite.sqltests.parameters;

import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Date;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import java.util.TimeZone;
import java.util.UUID;

/**
 * A value that a setter of JDBC takes.
 *
 * @param name what is set, for messages
 * @param literal the value in SQL
 * @param remote whether Avatica's client takes it too
 */
record SampleValue(String name, String literal, boolean remote, Setter setter) {
  /** Sets a parameter. */
  interface Setter {
    void set(PreparedStatement statement, int index) throws SQLException;
  }

  static List<SampleValue> all() {
    List<SampleValue> all = new ArrayList<>();
    numbers(all);
    texts(all);
    moments(all);
    others(all);
    return all;
  }

  private static void add(List<SampleValue> all, String name, Object literal, Setter setter) {
    all.add(new SampleValue(name + " " + literal, String.valueOf(literal), true, setter));
  }

  /** Objects that Avatica's client cannot send. */
  private static void local(List<SampleValue> all, String name, String literal, Object value) {
    all.add(new SampleValue(name + " " + literal, literal, false, (s, i) -> s.setObject(i, value)));
  }

  private static void numbers(List<SampleValue> all) {
    for (byte value : new byte[] {-128, 0, 1, 127}) {
      add(all, "setByte", value, (s, i) -> s.setByte(i, value));
    }
    for (short value : new short[] {-1, 2, 300}) {
      add(all, "setShort", value, (s, i) -> s.setShort(i, value));
    }
    for (int value : new int[] {-5, 1, 256, 65537, Integer.MAX_VALUE}) {
      add(all, "setInt", value, (s, i) -> s.setInt(i, value));
      add(all, "setObject Integer", value, (s, i) -> s.setObject(i, value));
    }
    for (long value : new long[] {1, 257, 4294967297L, 5_000_000_000L, -Long.MAX_VALUE}) {
      add(all, "setLong", value, (s, i) -> s.setLong(i, value));
    }
    for (String text :
        List.of(
            "1",
            "1.00",
            "23.5",
            "49.999",
            "-0.001",
            "0.05",
            "99999999.99",
            "100000000000000000000",
            "12345678901234567890123456789012345678")) {
      BigDecimal value = new BigDecimal(text);
      add(all, "setBigDecimal", text, (s, i) -> s.setBigDecimal(i, value));
    }
    local(all, "BigInteger", "4294967297", new BigInteger("4294967297"));
    local(all, "BigDecimal 1E+3", "1000", new BigDecimal("1E+3"));
    all.add(
        new SampleValue(
            "INTEGER 7", "7", false, (s, i) -> s.setObject(i, " 7 ", JDBCType.INTEGER)));
    all.add(
        new SampleValue(
            "DECIMAL", "2.35", false, (s, i) -> s.setObject(i, "2.345", Types.DECIMAL, 2)));
    for (double value : new double[] {0.5, 1.5, -2.25, 4294967297.0, 49.999}) {
      add(
          all,
          "setDouble",
          new BigDecimal(value).toPlainString() + "e0",
          (s, i) -> s.setDouble(i, value));
    }
    add(all, "setDouble", "1e300", (s, i) -> s.setDouble(i, 1e300));
    for (float value : new float[] {1.5f, 0.1f}) {
      add(all, "setFloat", "cast(" + value + " as real)", (s, i) -> s.setFloat(i, value));
    }
  }

  private static void texts(List<SampleValue> all) {
    for (String text :
        List.of(
            "N",
            "N ",
            "Nope",
            "",
            " ",
            "n",
            "abc",
            "abc   ",
            "abcd",
            "a\t",
            "日本",
            "5",
            "23.5",
            "4294967297",
            "x".repeat(100),
            "true",
            "2024-02-29",
            "2024-02-29 12:00:00",
            "12:30:00",
            "it's",
            "%",
            "N%")) {
      String literal = "'" + text.replace("'", "''") + "'";
      add(all, "setString", literal, (s, i) -> s.setString(i, text));
    }
    add(all, "setNString", "'N'", (s, i) -> s.setNString(i, "N"));
    all.add(
        new SampleValue(
            "setCharacterStream",
            "'Nope'",
            false,
            (s, i) -> s.setCharacterStream(i, new StringReader("Nope and more"), 4)));
    local(all, "UUID", "'" + new UUID(1, 2) + "'", new UUID(1, 2));
    local(all, "char", "'N'", 'N');
  }

  private static void moments(List<SampleValue> all) {
    for (String date : List.of("2024-02-29", "1969-12-31", "1995-06-17")) {
      String literal = "date '" + date + "'";
      add(all, "setDate", literal, (s, i) -> s.setDate(i, Date.valueOf(date)));
      local(all, "LocalDate", literal, LocalDate.parse(date));
    }
    for (String moment : List.of("2024-02-29 00:00:00", "2024-02-29 12:30:00.5")) {
      String literal = "timestamp '" + moment + "'";
      LocalDateTime local = LocalDateTime.parse(moment.replace(' ', 'T'));
      Timestamp timestamp = Timestamp.valueOf(local);
      Instant instant = timestamp.toInstant();
      add(all, "setTimestamp", literal, (s, i) -> s.setTimestamp(i, timestamp));
      local(all, "LocalDateTime", literal, local);
      local(all, "Instant", literal, instant);
      local(all, "OffsetDateTime", literal, instant.atZone(ZoneId.of("+05:30")).toOffsetDateTime());
      local(all, "ZonedDateTime", literal, instant.atZone(ZoneId.of("America/New_York")));
      local(all, "java.util.Date", literal, new java.util.Date(timestamp.getTime()));
      Calendar calendar = Calendar.getInstance(TimeZone.getTimeZone("Asia/Tokyo"));
      calendar.setTimeInMillis(timestamp.getTime());
      local(all, "Calendar", literal, calendar);
    }
    add(all, "setTime", "time '12:30:00'", (s, i) -> s.setTime(i, Time.valueOf("12:30:00")));
    local(all, "LocalTime", "time '12:30:00.25'", LocalTime.of(12, 30, 0, 250_000_000));
    OffsetDateTime noon = OffsetDateTime.parse("2024-02-29T12:00:00Z");
    Calendar utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
    all.add(
        new SampleValue(
            "setTimestamp with a calendar",
            "timestamp '2024-02-29 12:00:00'",
            false,
            (s, i) -> s.setTimestamp(i, Timestamp.from(noon.toInstant()), utc)));
  }

  private static void others(List<SampleValue> all) {
    for (boolean value : new boolean[] {true, false}) {
      add(all, "setBoolean", value, (s, i) -> s.setBoolean(i, value));
    }
    add(all, "setBytes", "x'0102'", (s, i) -> s.setBytes(i, new byte[] {1, 2}));
    add(all, "setObject", "null", (s, i) -> s.setObject(i, null));
    add(all, "setNull NULL", "null", (s, i) -> s.setNull(i, Types.NULL));
    all.add(
        new SampleValue(
            "setNull VARCHAR",
            "cast(null as varchar)",
            false,
            (s, i) -> s.setNull(i, Types.VARCHAR)));
    all.add(
        new SampleValue(
            "setNull INTEGER",
            "cast(null as integer)",
            false,
            (s, i) -> s.setNull(i, Types.INTEGER)));
  }
}
