package io.aragonite.sqltests.parameters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.AragoniteConnection;
import io.aragonite.adapter.server.QueryServer;
import io.aragonite.adapter.server.ServerOptions;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A statement with parameters gives what it gives with literals of their values: values of all
 * setters, columns of all types, all comparisons. A build compares some of the combinations, the
 * same each time; {@code -Daragonite.seed} takes others, {@code -Daragonite.parameters=N} N of
 * them.
 */
class ParametersTest {
  private static final List<String> COLUMNS =
      List.of("i8", "i16", "i32", "i64", "d", "f", "g", "b", "s", "c", "dt", "tm", "ts", "bin");

  private static final List<String> CONDITIONS =
      List.of(
          "@ = ?",
          "? = @",
          "@ <> ?",
          "@ < ?",
          "@ <= ?",
          "? < @",
          "@ > ?",
          "@ >= ?",
          "@ between ? and ?",
          "@ not between ? and ?",
          "@ between symmetric ? and ?",
          "@ in (?, ?)",
          "@ not in (?, ?)",
          "(@, id) in ((?, 1), (?, 2))",
          "@ like ?",
          "@ is distinct from ?",
          "@ is not distinct from ?",
          "case when @ = ? then id else 0 end > 0",
          "nullif(@, ?) is null",
          "coalesce(@, ?) = ?",
          "@ = (select ? from (values (1)) as r(x))");

  private static final Pattern CODE = Pattern.compile("AR-\\d+");

  /** {@code c} is a CHAR; files have no such columns. */
  private static final String FROM = "(select *, cast(s as char(3)) as c from v) as t";

  @TempDir private static Path directory = Path.of("");

  @BeforeAll
  static void makeTable() throws SQLException {
    try (Connection duckDb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckDb.createStatement()) {
      statement.execute(
          "create table v (id integer, i8 tinyint, i16 smallint, i32 integer, i64 bigint,"
              + " d decimal(9, 2), f real, g double, b boolean, s varchar, dt date, tm time,"
              + " ts timestamp_ms, bin blob)");
      statement.execute(
          """
          insert into v values
            (1, 1, 1, 1, 1, 1, 1.5, 1.5, true, 'N', '2024-02-29', '12:30:00', '2024-02-29 00:00:00',
             '\\x01\\x02'),
            (2, 127, 300, 65537, 4294967297, 23.5, 0.1, 49.999, false, 'Nope', '1995-06-17',
             '12:30:00.25', '2024-02-29 12:30:00.5', '\\x01'),
            (3, -1, -1, 2147483647, 5000000000, 50, -2.25, 1e300, true, 'abc', '1969-12-31',
             '00:00:00', '1995-06-17 00:00:00', ''),
            (4, 0, 2, 23, 23, 49.99, 23.5, 23.5, false, '', '2024-03-01', '23:59:59',
             '2024-02-29 12:00:00', '\\xFF'),
            (5, 5, 5, 5, 5, 2.35, 5, 5, true, '5', '2024-02-28', '05:05:05',
             '1969-12-31 23:59:59.999', '\\x05'),
            (6, 24, 24, 24, 24, 0.05, 24, -0.0, null, '日本', '1970-01-01', '12:00:00',
             '1970-01-01 00:00:00', '\\x00'),
            (7, null, null, null, null, null, null, null, null, null, null, null, null, null)
          """);
      statement.execute(
          "copy v to '%s' (format parquet)".formatted(directory.resolve("v.parquet")));
    }
  }

  private static String url() {
    return "jdbc:aragonite:directory=" + directory + ";threads=2;device=cpu";
  }

  private record Case(String column, String condition, List<SampleValue> values) {
    String prepared() {
      return "select id from " + FROM + " where " + condition.replace("@", column) + " order by id";
    }

    String literal() {
      Matcher marker = Pattern.compile("\\?").matcher(prepared());
      StringBuilder sql = new StringBuilder();
      for (int i = 0; marker.find(); i++) {
        marker.appendReplacement(sql, Matcher.quoteReplacement(values.get(i).literal()));
      }
      return marker.appendTail(sql).toString();
    }

    /**
     * Whether an error is right although literals have an answer: numbers are no truth values, and
     * texts that are not what they are compared with may be passed over where literals are folded.
     */
    boolean isRefused(String answer) {
      boolean unlike = values.stream().anyMatch(value -> !isAlike(column, value.literal()));
      return unlike
          && (column.equals("b") && answer.startsWith("AR-104")
              || answer.startsWith("AR-203")
              || answer.startsWith("AR-206"));
    }

    /** Whether a literal is a CHAR in a subquery, which a parameter is not. */
    boolean isPaddedSubquery() {
      return condition.contains("select ?")
          && values.stream().anyMatch(value -> value.literal().endsWith(" '"));
    }

    @Override
    public String toString() {
      return literal() + " with " + values.stream().map(SampleValue::name).toList();
    }
  }

  private static List<Case> cases(boolean remote, int count) {
    long seed = Long.getLong("aragonite.seed", 1);
    System.out.println("ParametersTest: repeat with -Daragonite.seed=" + seed);
    List<SampleValue> values =
        SampleValue.all().stream().filter(v -> v.remote() || !remote).toList();
    Random random = new Random(seed);
    List<Case> cases = new ArrayList<>();
    for (SampleValue value : values) {
      for (String column : COLUMNS) {
        for (String condition : CONDITIONS) {
          SampleValue other = values.get(random.nextInt(values.size()));
          List<SampleValue> both =
              random.nextInt(3) == 0 ? List.of(value, other) : List.of(value, value);
          Case one = new Case(column, condition, both);
          boolean wanted = isAlike(column, value.literal()) || random.nextInt(6) == 0;
          if (wanted && !one.isPaddedSubquery()) {
            cases.add(one);
          }
        }
      }
    }
    java.util.Collections.shuffle(cases, random);
    int wanted = Integer.getInteger("aragonite.parameters", count);
    return cases.subList(0, Math.min(wanted, cases.size()));
  }

  /** Whether a comparison has an answer, more often than not. */
  private static boolean isAlike(String column, String literal) {
    return switch (column) {
      case "s", "c" -> literal.startsWith("'");
      case "dt", "ts" -> literal.startsWith("date") || literal.startsWith("timestamp");
      case "tm" -> literal.startsWith("time ");
      case "b" -> literal.equals("true") || literal.equals("false");
      case "bin" -> literal.startsWith("x'");
      default -> literal.matches("(cast\\()?-?[0-9].*");
    };
  }

  /** The rows' numbers, or the code of the error. */
  private interface Run {
    ResultSet rows() throws SQLException;
  }

  private static String answer(Run run) {
    StringBuilder answer = new StringBuilder();
    try (ResultSet rows = run.rows()) {
      while (rows.next()) {
        answer.append(rows.getString(1)).append(' ');
      }
      return answer.toString();
    } catch (SQLException e) {
      Matcher code = CODE.matcher(String.valueOf(e.getMessage()));
      return (code.find() ? code.group() : "no code") + ": " + e.getMessage();
    }
  }

  private static boolean isInternal(String answer) {
    return answer.startsWith("AR-9") || answer.startsWith("no code");
  }

  private static boolean same(String literal, String parameter) {
    return literal.startsWith("AR-")
        ? isInternal(literal) || parameter.startsWith("AR-") && !isInternal(parameter)
        : literal.equals(parameter);
  }

  private static List<String> differences(
      Connection prepares, Connection literals, List<Case> cases, int[] rows) throws SQLException {
    List<String> wrong = new ArrayList<>();
    try (Statement statement = literals.createStatement()) {
      for (Case one : cases) {
        String literal = answer(() -> statement.executeQuery(one.literal()));
        String parameter;
        try (PreparedStatement prepared = prepares.prepareStatement(one.prepared())) {
          int markers = one.prepared().length() - one.prepared().replace("?", "").length();
          for (int i = 0; i < markers; i++) {
            one.values().get(i).setter().set(prepared, i + 1);
          }
          parameter = answer(prepared::executeQuery);
        } catch (SQLException e) {
          parameter =
              answer(() -> {
                throw e;
              });
        }
        rows[literal.startsWith("AR-") ? 1 : 0]++;
        boolean refused = one.isRefused(parameter);
        if (!same(literal, parameter) && !refused) {
          wrong.add("%s%n  literal:   %s%n  parameter: %s".formatted(one, literal, parameter));
        }
      }
    }
    return wrong;
  }

  @Test
  void parametersAreAsLiterals() throws SQLException {
    int[] rows = new int[2];
    try (Connection connection = DriverManager.getConnection(url())) {
      List<String> wrong = differences(connection, connection, cases(false, 300), rows);
      System.out.printf("ParametersTest: %d answers, %d errors%n", rows[0], rows[1]);
      assertEquals("", String.join("\n", wrong));
    }
    assertTrue(rows[0] > 100, "hardly anything was compared");
  }

  private static String run(PreparedStatement statement) {
    return answer(statement::executeQuery);
  }

  @Test
  void plansAreKeptForEachType() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        PreparedStatement statement =
            connection.prepareStatement("select id from v where i32 > ? order by id")) {
      AragoniteConnection metrics = connection.unwrap(AragoniteConnection.class);
      assertEquals(
          0, metrics.metrics().plannedStatements(), "nothing is planned before values are known");
      for (int i = 0; i < 10; i++) {
        statement.setInt(1, 20 + i);
        run(statement);
        statement.setBigDecimal(1, new BigDecimal("23.5"));
        assertEquals("2 3 6 ", run(statement));
      }
      statement.setNull(1, Types.INTEGER);
      assertEquals("", run(statement));
      assertEquals(2, metrics.metrics().plannedStatements());
      assertEquals(19, metrics.metrics().cachedPlans());
      statement.setLong(1, 4294967297L);
      assertEquals("", run(statement));
      assertEquals(3, metrics.metrics().plannedStatements());
    }
  }

  @Test
  void textsOfAllLengthsNeedFewPlans() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        PreparedStatement statement =
            connection.prepareStatement("select id from v where s = ? order by id")) {
      for (int length = 0; length <= 300; length++) {
        statement.setString(1, "Nope".repeat(100).substring(0, length));
        assertEquals(
            length == 0 ? "4 " : length == 1 ? "1 " : length == 4 ? "2 " : "", run(statement));
      }
      long planned = connection.unwrap(AragoniteConnection.class).metrics().plannedStatements();
      assertEquals(10, planned, "1, 2, 4, ..., 512");
    }
  }

  @Test
  void metadataBeforeAndAfterValues() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        PreparedStatement known =
            connection.prepareStatement("select s from v where i32 = ? and dt > ? limit ?");
        PreparedStatement open = connection.prepareStatement("select abs(?), s from v")) {
      ParameterMetaData parameters = known.getParameterMetaData();
      assertEquals(3, parameters.getParameterCount());
      assertEquals(Types.INTEGER, parameters.getParameterType(1));
      assertEquals(Types.DATE, parameters.getParameterType(2));
      assertEquals(Types.BIGINT, parameters.getParameterType(3));
      assertEquals(Types.VARCHAR, known.getMetaData().getColumnType(1));
      assertEquals(1, open.getParameterMetaData().getParameterCount());
      assertNull(open.getMetaData(), "the columns depend on the value");
      open.setLong(1, -7);
      assertTrue(open.execute());
      assertEquals(Types.BIGINT, open.getMetaData().getColumnType(1));
      open.setBigDecimal(1, new BigDecimal("-7.5"));
      try (ResultSet rows = open.executeQuery()) {
        assertEquals(Types.DECIMAL, open.getMetaData().getColumnType(1));
        assertTrue(rows.next());
        assertEquals(new BigDecimal("7.5"), rows.getBigDecimal(1));
      }
    }
  }

  @Test
  void whatIsNotGivenOrNoValueIsAnError() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        PreparedStatement statement =
            connection.prepareStatement("select id from v where i32 in (?, ?) order by id")) {
      statement.setInt(1, 1);
      assertTrue(run(statement).startsWith("AR-207"));
      statement.setInt(2, 23);
      assertEquals("1 4 ", run(statement));
      statement.clearParameters();
      assertTrue(run(statement).startsWith("AR-207"));
      assertCode(406, () -> statement.setInt(3, 1));
      assertCode(406, () -> statement.setInt(0, 1));
      assertCode(503, () -> statement.setObject(1, new StringBuilder()));
      assertCode(202, () -> statement.setBigDecimal(1, new BigDecimal("1E+40")));
      assertCode(202, () -> statement.setBigDecimal(1, new BigDecimal(0.1)));
      assertCode(202, () -> statement.setObject(1, 4294967297L, Types.INTEGER));
      assertCode(406, () -> statement.setObject(1, 23.5, Types.INTEGER));
      assertCode(406, () -> statement.setObject(1, "x", Types.DATE));
      LocalTime finer = LocalTime.parse("12:30:00.250000001");
      assertCode(205, () -> statement.setObject(1, finer));
      assertCode(205, () -> statement.setObject(1, "12:30:00.250000001", Types.TIME));
      assertCode(205, () -> statement.setObject(1, finer.atDate(LocalDate.EPOCH), Types.TIME));
      assertCode(406, () -> statement.setObject(1, "x", Types.DECIMAL));
      assertCode(202, () -> statement.setObject(1, "1e999", Types.DOUBLE));
      assertCode(202, () -> statement.setObject(1, "-1e39", Types.REAL));
      assertCode(202, () -> statement.setObject(1, "-1e999", Types.REAL));
      statement.setObject(1, "-Infinity", Types.REAL);
      statement.setObject(1, " Infinity ", Types.DOUBLE);
      statement.setObject(1, "24", Types.SMALLINT);
      statement.setDouble(2, Double.NaN);
      assertEquals("6 ", run(statement));
      statement.close();
      assertCode(406, () -> statement.setInt(1, 1));
    }
  }

  /** LIMIT and OFFSET alone, and in subqueries that belong to each row of the query around. */
  @Test
  void numbersOfRowsAreNeitherNullNorNegative() throws SQLException {
    String values = "(values (1, 10), (1, 20), (2, 5)) s(k, x)";
    String[] statements = {
      "select x from " + values + " order by x limit ?",
      "select x from " + values + " order by x offset ?",
      "select (select max(x) from (select x from %s where s.k = t.k order by x limit ?) q)"
              .formatted(values)
          + " from (values (1), (2)) t(k) order by 1",
      "select q.x from (values (1), (2)) t(k),"
          + " lateral (select x from %s where s.k = t.k order by x offset ?) q".formatted(values)
    };
    String[] ofOne = {"5 ", "10 20 ", "5 10 ", "20 "};
    try (Connection connection = DriverManager.getConnection(url())) {
      for (int i = 0; i < statements.length; i++) {
        try (PreparedStatement statement = connection.prepareStatement(statements[i])) {
          statement.setInt(1, 1);
          assertEquals(ofOne[i], run(statement), statements[i]);
          statement.setInt(1, -1);
          assertTrue(run(statement).startsWith("AR-205"), statements[i]);
          statement.setNull(1, Types.INTEGER);
          assertTrue(run(statement).startsWith("AR-205"), statements[i]);
          statement.setLong(1, 1);
          assertEquals(ofOne[i], run(statement), statements[i]);
        }
      }
    }
  }

  /** The column counts milliseconds; what is compared with it may have more. */
  @Test
  void momentsAreComparedWithAllTheirDigits() throws SQLException {
    LocalDateTime moment = LocalDateTime.parse("2024-02-29T12:30:00.500003");
    try (Connection connection = DriverManager.getConnection(url())) {
      for (Object value :
          List.of("2024-02-29 12:30:00.500003", Timestamp.valueOf(moment), moment)) {
        assertEquals("", ids(connection, "ts = ?", value), value.getClass()::getName);
        assertEquals("", ids(connection, "ts in (?, ?)", value, value));
        assertEquals("1 2 3 4 5 6 ", ids(connection, "ts < ?", value));
        assertEquals("", ids(connection, "ts between ? and ?", value, value));
        assertEquals("1 2 3 4 5 6 ", ids(connection, "ts <> ?", value));
        assertEquals("", ids(connection, "(id, ts) in ((2, ?), (3, ?))", value, value));
      }
      assertEquals("2 ", ids(connection, "ts = ?", "2024-02-29 12:30:00.500000"));
      assertEquals(
          "2 ", ids(connection, "ts >= ?", Timestamp.valueOf(moment.withNano(500_000_000))));
      assertEquals("", ids(connection, "ts > '2024-02-29 12:30:00.500000001'"));
      assertEquals("2 ", ids(connection, "ts > '2024-02-29 12:30:00.499999999'"));
    }
  }

  private static String ids(Connection connection, String condition, Object... values)
      throws SQLException {
    String sql = "select id from v where " + condition + " order by id";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      return run(statement);
    }
  }

  private interface Action {
    void run() throws SQLException;
  }

  private static void assertCode(int code, Action action) {
    assertEquals(code, assertThrows(SQLException.class, action::run).getErrorCode());
  }

  @Test
  void parametersOfServedClientsAreAsLiterals() throws SQLException {
    int[] rows = new int[2];
    ServerOptions options =
        new ServerOptions(url(), "127.0.0.1", 0, false, null, null, null, null, null);
    try (QueryServer server = QueryServer.start(options);
        Connection remote = DriverManager.getConnection(server.clientUrl());
        Connection connection = DriverManager.getConnection(url())) {
      List<String> wrong = differences(remote, connection, cases(true, 80), rows);
      System.out.printf("ParametersTest, served: %d answers, %d errors%n", rows[0], rows[1]);
      assertEquals("", String.join("\n", wrong));
    }
  }
}
