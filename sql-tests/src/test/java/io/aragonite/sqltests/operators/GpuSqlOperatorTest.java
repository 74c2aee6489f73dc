package io.aragonite.sqltests.operators;

import io.aragonite.exec.testing.TestSample;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.config.CalciteConnectionProperty;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.StringAndPos;
import org.apache.calcite.sql.test.SqlOperatorFixture;
import org.apache.calcite.sql.test.SqlTestFactory;
import org.apache.calcite.sql.test.SqlTester;
import org.apache.calcite.sql.test.SqlTests;
import org.apache.calcite.test.CalciteAssert;
import org.apache.calcite.test.ConnectionFactories;
import org.apache.calcite.test.ConnectionFactory;
import org.apache.calcite.test.SqlOperatorTest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Calcite's 584 operator tests through our driver and our device. The suite sets the type system,
 * libraries of functions and conformance by connection properties; it asks for Calcite's own type
 * system, so ours is not under test here. Some of the tests run, and of queries that a test asks
 * again, most often with another library of functions, some are asked: see {@link TestSample}.
 * {@code -Daragonite.operators.url=jdbc:calcite:} runs it on Calcite's engine instead.
 */
@ExtendWith(OperatorListener.class)
class GpuSqlOperatorTest extends SqlOperatorTest {
  private static final String URL =
      Objects.requireNonNullElse(System.getProperty("aragonite.operators.url"), "jdbc:aragonite:");
  private static final ConnectionFactory CONNECTIONS =
      new DeviceConnections(URL, Map.of(), List.of(), OperatorListener::opened)
          // The suite's queries are in Calcite's default, upper case.
          .with(CalciteConnectionProperty.UNQUOTED_CASING, Casing.TO_UPPER)
          // Some results show the order in which rows came.
          .with("threads", "1")
          .with(ConnectionFactories.add(CalciteAssert.SchemaSpec.HR));
  private static final DeviceTester TESTER = new DeviceTester();

  /** Keeps the engine open that the connections of the tests share: each check opens one. */
  private static @Nullable Connection first;

  @BeforeAll
  static void openEngine() throws SQLException {
    first = CONNECTIONS.createConnection();
  }

  @AfterAll
  static void closeEngine() throws SQLException {
    if (first != null) {
      first.close();
    }
  }

  @Override
  protected SqlOperatorFixture fixture() {
    return super.fixture()
        .withTester(tester -> TESTER)
        .withConnectionFactory(connections -> CONNECTIONS);
  }

  /** Runs queries, and accepts our errors for Calcite's. */
  private static final class DeviceTester extends TesterImpl {
    private static final Pattern TEXTS =
        Pattern.compile("Expected: is \"(.*)\"\\s+but: was \"(.*)\"");

    private final ErrorPatterns patterns = new ErrorPatterns();
    private final Deviations deviations = new Deviations();

    @Override
    public void check(
        SqlTestFactory factory,
        String query,
        SqlTester.TypeChecker typeChecker,
        SqlTester.ParameterChecker parameterChecker,
        SqlTester.ResultChecker resultChecker) {
      if (!OperatorListener.leavesOut(query)) {
        ask(factory, query, typeChecker, parameterChecker, resultChecker);
      }
    }

    private void ask(
        SqlTestFactory factory,
        String query,
        SqlTester.TypeChecker typeChecker,
        SqlTester.ParameterChecker parameterChecker,
        SqlTester.ResultChecker resultChecker) {
      boolean[] decimal = new boolean[1];
      boolean[] instant = new boolean[1];
      boolean[] interval = new boolean[1];
      try {
        super.check(
            factory,
            query,
            typeChecker,
            parameterChecker,
            (sql, result) -> {
              decimal[0] = DecimalResult.applies(result);
              instant[0] = InstantResult.applies(result);
              interval[0] = IntervalResult.applies(result);
              resultChecker.checkResult(sql, result);
            });
      } catch (Throwable e) {
        if (deviates(factory, StringAndPos.of(query).sql)) {
          return;
        }
        if (differsByFieldNames(e)) {
          OperatorListener.deviation();
          return;
        }
        if (instant[0] || interval[0]) {
          super.check(
              factory,
              query,
              typeChecker,
              parameterChecker,
              (sql, result) ->
                  resultChecker.checkResult(
                      sql, instant[0] ? InstantResult.of(result) : IntervalResult.of(result)));
          return;
        }
        if (!decimal[0]) {
          throw e;
        }
        super.check(
            factory,
            query,
            typeChecker,
            parameterChecker,
            (sql, result) -> resultChecker.checkResult(sql, DecimalResult.of(result)));
        OperatorListener.trailingZeros();
      }
    }

    /**
     * Whether our text of a struct has the names of its fields, as DuckDB's, and Calcite's none.
     */
    private static boolean differsByFieldNames(Throwable failure) {
      Matcher texts = TEXTS.matcher(String.valueOf(failure.getMessage()));
      return texts.find()
          && texts.group(1).equals(texts.group(2).replaceAll("'[A-Za-z0-9_$]+': ", ""));
    }

    @Override
    public void validateAndThen(
        SqlTestFactory factory, StringAndPos query, ValidatedNodeConsumer consumer) {
      try {
        super.validateAndThen(factory, query, consumer);
      } catch (Throwable e) {
        if (!deviates(factory, query.sql)) {
          throw e;
        }
      }
    }

    @Override
    public void assertExceptionIsThrown(
        SqlTestFactory factory,
        StringAndPos query,
        @Nullable String expectedPattern,
        boolean runtime) {
      if (!runtime) {
        try {
          super.assertExceptionIsThrown(factory, query, expectedPattern, false);
        } catch (Throwable e) {
          if (!deviates(factory, query.sql)) {
            throw e;
          }
        }
        return;
      }
      try {
        SqlNode parsed = parseQuery(factory, query.sql);
        factory.createValidator().validate(parsed);
      } catch (SqlParseException e) {
        checkParseEx(e, expectedPattern, query);
        return;
      }
      Throwable thrown = null;
      try {
        ask(
            factory,
            query.addCarets(),
            SqlTests.ANY_TYPE_CHECKER,
            SqlTests.ANY_PARAMETER_CHECKER,
            SqlTests.ANY_RESULT_CHECKER);
      } catch (Throwable e) {
        thrown = e;
      }
      if (!patterns.accepts(expectedPattern, thrown) && !deviates(factory, query.sql)) {
        SqlTests.checkEx(thrown, expectedPattern, query, SqlTests.Stage.RUNTIME);
      }
    }

    /** Whether our answer is another one on purpose, and is what it should be. */
    private boolean deviates(SqlTestFactory factory, String query) {
      String wanted = deviations.answer(query);
      if (wanted == null) {
        return false;
      }
      String[] answer = new String[1];
      try {
        super.check(
            factory,
            query,
            SqlTests.ANY_TYPE_CHECKER,
            SqlTests.ANY_PARAMETER_CHECKER,
            (sql, result) -> answer[0] = result.next() ? result.getString(1) : "no row");
      } catch (Throwable e) { // Calcite's kit throws checked exceptions undeclared
        int code = ErrorPatterns.code(e);
        answer[0] = "!" + (code == 0 ? ourError(factory, query) : code);
      }
      OperatorListener.deviation();
      return wanted.equals(answer[0]) || sameNumber(wanted, answer[0]);
    }

    /** What we say to a query that the suite's own validator has refused. */
    private static int ourError(SqlTestFactory factory, String query) {
      try (Connection connection = factory.connectionFactory.createConnection();
          Statement statement = connection.createStatement();
          ResultSet result = statement.executeQuery(query)) {
        return 0;
      } catch (SQLException e) {
        return ErrorPatterns.code(e);
      }
    }

    private static boolean sameNumber(String wanted, String answer) {
      try {
        return new BigDecimal(wanted).compareTo(new BigDecimal(answer)) == 0;
      } catch (NumberFormatException e) {
        return false;
      }
    }
  }
}
