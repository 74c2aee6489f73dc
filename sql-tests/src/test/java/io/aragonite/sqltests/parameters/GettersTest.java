package io.aragonite.sqltests.parameters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * All getters of JDBC over all types: a number that does not fit is an error of SQLSTATE 22003,
 * never its low bits. The rows come from the engine's columns, or from Calcite's Enumerable.
 */
class GettersTest {
  private static final String OVERFLOW = "22003";

  /** Numbers by the types that hold them. */
  private static final Map<String, List<String>> NUMBERS = new LinkedHashMap<>();

  static {
    NUMBERS.put("tinyint", List.of("-128", "0", "127"));
    NUMBERS.put("smallint", List.of("-32768", "-129", "128", "300", "32767"));
    NUMBERS.put("integer", List.of("-2147483648", "-32769", "300", "65536", "2147483647"));
    NUMBERS.put(
        "bigint",
        List.of("-9223372036854775807", "-2147483649", "1", "5000000000", "9223372036854775807"));
    NUMBERS.put(
        "decimal(38, 2)",
        List.of(
            "1.99",
            "-1.99",
            "127.99",
            "128",
            "-128.99",
            "2147483647.99",
            "2147483648",
            "9223372036854775807.99",
            "9223372036854775808",
            "-9223372036854775808.99",
            "-9223372036854775809",
            "100000000000000000000"));
    NUMBERS.put(
        "double",
        List.of(
            "1.9",
            "-1.9",
            "127.9",
            "128",
            "-128.5",
            "2147483647.5",
            "-2147483649",
            "1e20",
            "9.223372036854775E18",
            "9223372036854775808",
            "-1e19",
            "1e300"));
    NUMBERS.put("real", List.of("1.5", "-1.5", "1e20", "-129", "32768.5"));
    NUMBERS.put("varchar", List.of("1", " 2.9 ", "300", "1e20", "9223372036854775808"));
  }

  private interface Get {
    @Nullable Object from(ResultSet rows) throws SQLException;
  }

  private static final Map<String, Get> WHOLE = new LinkedHashMap<>();

  static {
    WHOLE.put("byte", rows -> (long) rows.getByte(1));
    WHOLE.put("byte by name", rows -> (long) rows.getByte("x"));
    WHOLE.put("byte by class", rows -> (long) rows.getObject(1, Byte.class));
    WHOLE.put("short", rows -> (long) rows.getShort(1));
    WHOLE.put("short by name", rows -> (long) rows.getShort("x"));
    WHOLE.put("short by class", rows -> (long) rows.getObject(1, Short.class));
    WHOLE.put("int", rows -> (long) rows.getInt(1));
    WHOLE.put("int by name", rows -> (long) rows.getInt("x"));
    WHOLE.put("int by class", rows -> (long) rows.getObject(1, Integer.class));
    WHOLE.put("long", rows -> rows.getLong(1));
    WHOLE.put("long by name", rows -> rows.getLong("x"));
    WHOLE.put("long by class", rows -> rows.getObject(1, Long.class));
  }

  private static BigDecimal limit(String getter) {
    int bits =
        switch (getter.split(" ")[0]) {
          case "byte" -> 7;
          case "short" -> 15;
          case "int" -> 31;
          default -> 63;
        };
    return new BigDecimal(BigInteger.ONE.shiftLeft(bits));
  }

  private static String expected(String getter, BigDecimal value) {
    BigDecimal whole = value.setScale(0, RoundingMode.DOWN);
    BigDecimal limit = limit(getter);
    return whole.compareTo(limit) < 0 && whole.compareTo(limit.negate()) >= 0
        ? whole.toPlainString()
        : OVERFLOW;
  }

  private static String got(ResultSet rows, Get getter) {
    try {
      return String.valueOf(getter.from(rows));
    } catch (SQLException e) {
      return String.valueOf(e.getSQLState());
    }
  }

  /** One row of a type; {@code enumerable} has it come from Calcite. */
  private static String query(String type, String value, boolean enumerable) {
    return "select cast('%s' as %s) as x from (values (1)) as r(k)%s"
        .formatted(value, type, enumerable ? " cross join unnest(multiset[1]) as u(z)" : "");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatDoesNotFitIsAnError(boolean enumerable) throws SQLException {
    List<String> wrong = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:device=cpu");
        Statement statement = connection.createStatement()) {
      for (Map.Entry<String, List<String>> type : NUMBERS.entrySet()) {
        for (String text : type.getValue()) {
          String sql = query(type.getKey(), text, enumerable);
          try (ResultSet rows = statement.executeQuery(sql)) {
            assertTrue(rows.next());
            BigDecimal value =
                switch (type.getKey()) {
                  case "double" -> new BigDecimal(Double.parseDouble(text));
                  case "real" -> new BigDecimal(Float.parseFloat(text));
                  default -> new BigDecimal(text.strip());
                };
            WHOLE.forEach((getter, get) -> {
              String expected = expected(getter, value);
              String got = got(rows, get);
              if (!expected.equals(got)) {
                wrong.add("%s: %s is %s, not %s".formatted(sql, getter, got, expected));
              }
            });
          }
        }
      }
    }
    assertEquals("", String.join("\n", wrong));
  }

  private static final String OTHERS =
      "select cast(1e300 as double), cast('NaN' as double), cast(0.5 as decimal(3, 1)), 'text',"
          + " cast('' as varchar(3)), true, date '2024-02-29', time '12:30:00',"
          + " timestamp '2024-02-29 12:30:00.5', x'0102', cast(null as bigint),"
          + " cast(null as varchar(3)), cast(null as date), cast(1 as integer), interval '1' day,"
          + " cast(null as decimal(5, 2)), cast(null as double), cast(null as boolean)"
          + " from (values (1)) as r(k)";

  private static final List<Class<?>> CLASSES =
      List.of(
          Byte.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          BigDecimal.class,
          BigInteger.class,
          Boolean.class,
          String.class,
          byte[].class,
          Date.class,
          Time.class,
          Timestamp.class,
          LocalDate.class,
          LocalTime.class,
          LocalDateTime.class,
          Instant.class,
          OffsetDateTime.class,
          ZonedDateTime.class,
          UUID.class,
          Object.class,
          java.util.Date.class,
          StringBuilder.class);

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyGetterHasAnAnswerOrAnErrorOfTheCatalogue(boolean enumerable) throws SQLException {
    List<String> wrong = new ArrayList<>();
    String sql = OTHERS + (enumerable ? " cross join unnest(multiset[1]) as u(z)" : "");
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:device=cpu");
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertTrue(rows.next());
      for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
        int c = column;
        getters(c)
            .forEach((getter, get) -> {
              String error = error(rows, get);
              if (error != null) {
                wrong.add("%s of column %d: %s".formatted(getter, c, error));
              }
            });
      }
    }
    assertEquals("", String.join("\n", wrong));
  }

  private static Map<String, Get> getters(int c) {
    Map<String, Get> getters = new LinkedHashMap<>();
    getters.put("getByte", rows -> rows.getByte(c));
    getters.put("getShort", rows -> rows.getShort(c));
    getters.put("getInt", rows -> rows.getInt(c));
    getters.put("getLong", rows -> rows.getLong(c));
    getters.put("getFloat", rows -> rows.getFloat(c));
    getters.put("getDouble", rows -> rows.getDouble(c));
    getters.put("getBigDecimal", rows -> rows.getBigDecimal(c));
    getters.put("getBoolean", rows -> rows.getBoolean(c));
    getters.put("getString", rows -> rows.getString(c));
    getters.put("getNString", rows -> rows.getNString(c));
    getters.put("getBytes", rows -> rows.getBytes(c));
    getters.put("getDate", rows -> rows.getDate(c));
    getters.put("getTime", rows -> rows.getTime(c));
    getters.put("getTimestamp", rows -> rows.getTimestamp(c));
    getters.put("getObject", rows -> rows.getObject(c));
    for (Class<?> type : CLASSES) {
      getters.put("getObject " + type.getSimpleName(), rows -> rows.getObject(c, type));
    }
    return getters;
  }

  private static @Nullable String error(ResultSet rows, Get get) {
    try {
      get.from(rows);
      return null;
    } catch (SQLException e) {
      boolean known = e.getErrorCode() >= 100 && e.getErrorCode() < 900;
      return known ? null : e.toString();
    } catch (RuntimeException e) {
      return e.toString();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void otherConversions(boolean enumerable) throws SQLException {
    String sql = OTHERS + (enumerable ? " cross join unnest(multiset[1]) as u(z)" : "");
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:device=cpu");
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertTrue(rows.next());
      assertEquals(OVERFLOW, got(rows, r -> r.getFloat(1)));
      assertEquals(OVERFLOW, got(rows, r -> r.getInt(2)));
      assertEquals(OVERFLOW, got(rows, r -> r.getLong(2)));
      assertEquals(OVERFLOW, got(rows, r -> r.getBigDecimal(2)));
      assertEquals("NaN", got(rows, r -> r.getFloat(2)));
      assertEquals("true", got(rows, r -> r.getBoolean(3)), "0.5 is not zero");
      assertEquals("22018", got(rows, r -> r.getInt(4)));
      assertEquals("22018", got(rows, r -> r.getBoolean(4)));
      assertEquals("1", got(rows, r -> r.getInt(6)));
      assertEquals("HY010", got(rows, r -> r.getInt(7)));
      assertEquals("2024-02-29", got(rows, r -> r.getObject(7, LocalDate.class)));
      assertEquals("12:30", got(rows, r -> r.getObject(8, LocalTime.class)));
      assertEquals("2024-02-29T12:30:00.500", got(rows, r -> r.getObject(9, LocalDateTime.class)));
      assertEquals(
          LocalDateTime.parse("2024-02-29T12:30:00.5"),
          rows.getObject(9, OffsetDateTime.class).toLocalDateTime());
      assertEquals(0, rows.getLong(11));
      assertTrue(rows.wasNull());
      assertEquals(0, rows.getInt(12));
      assertTrue(rows.wasNull());
      assertEquals(0, rows.getInt(16));
      assertTrue(rows.wasNull());
      assertEquals(0, rows.getInt(17));
      assertTrue(rows.wasNull());
      assertEquals(0, rows.getInt(18));
      assertTrue(rows.wasNull());
      assertEquals(1, rows.getInt(14));
      assertTrue(!rows.wasNull());
    }
  }
}
