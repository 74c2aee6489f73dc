package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.jdbc.DelegatingConnection;
import io.aragonite.adapter.jdbc.DelegatingDatabaseMetaData;
import io.aragonite.adapter.jdbc.DelegatingResultSet;
import io.aragonite.adapter.jdbc.DelegatingResultSetMetaData;
import io.aragonite.adapter.jdbc.DelegatingStatement;
import io.aragonite.adapter.jdbc.JdbcGuard;
import io.aragonite.adapter.metadata.ColumnsGuard;
import io.aragonite.adapter.options.ConnectionOptions;
import io.aragonite.adapter.result.ResultSetGuard;
import io.aragonite.adapter.statement.ConnectionTerms;
import io.aragonite.adapter.statement.PreparedStatementGuard;
import io.aragonite.adapter.statement.Session;
import io.aragonite.adapter.statement.StatementGuard;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Wrapper;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.calcite.jdbc.CalciteConnection;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No method of JDBC, defaults of interfaces included, gets around the guard. */
class JdbcGuardTest {
  private static final String WORDS = "the words of a defect";

  private static Session session;
  private static Connection connection;

  @BeforeAll
  static void open() throws SQLException {
    session = new Session(ConnectionOptions.of(new Properties()), ConnectionTerms.ALL);
    connection = DriverManager.getConnection("jdbc:aragonite:");
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
    session.close();
  }

  /** A kind of object: its interface, the class that forwards it, and one that users hold. */
  private record Kind(Class<? extends Wrapper> type, Class<?> forwarding, Class<?> held) {
    @Override
    public String toString() {
      return type.getSimpleName();
    }
  }

  static Stream<Kind> kinds() {
    return Stream.of(
        new Kind(CalciteConnection.class, DelegatingConnection.class, ConnectionGuard.class),
        new Kind(DatabaseMetaData.class, DelegatingDatabaseMetaData.class, MetaDataGuard.class),
        new Kind(Statement.class, DelegatingStatement.class, StatementGuard.class),
        new Kind(
            PreparedStatement.class, PreparedStatementGuard.class, PreparedStatementGuard.class),
        new Kind(ResultSet.class, DelegatingResultSet.class, ResultSetGuard.class),
        new Kind(ResultSetMetaData.class, DelegatingResultSetMetaData.class, ColumnsGuard.class));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void everyMethodIsWrittenOut(Kind kind) throws ReflectiveOperationException {
    for (Class<?> type : List.of(kind.forwarding, kind.held)) {
      for (Method method : methods(kind.type)) {
        Class<?> owner =
            type.getMethod(method.getName(), method.getParameterTypes()).getDeclaringClass();
        assertTrue(
            JdbcGuard.class.isAssignableFrom(owner),
            () -> "%s takes %s from %s".formatted(type.getSimpleName(), method, owner.getName()));
      }
    }
  }

  /** What the target throws arrives as an SQLException of the catalogue. */
  @ParameterizedTest
  @MethodSource("kinds")
  void everyMethodGoesThroughTheGuard(Kind kind) throws ReflectiveOperationException, SQLException {
    Set<String> past = new TreeSet<>();
    for (Method method : methods(kind.type)) {
      Throwable error = call(guard(kind.type, new IllegalStateException(WORDS)), method);
      if (error == null) {
        past.add(method.getName());
      } else if (throwsSqlExceptions(method)) {
        SQLException told = assertInstanceOf(SQLException.class, error, () -> "error of " + method);
        assertTrue(
            String.valueOf(told.getMessage()).startsWith("AR-" + told.getErrorCode() + " "),
            () -> method + ": " + told.getMessage());
      } else {
        past.add(method.getName());
      }
    }
    assertEquals(new TreeSet<>(past(kind.type)), past, "methods without a guard");
  }

  /** Avatica says of what it lacks no word at all. */
  @ParameterizedTest
  @MethodSource("kinds")
  void whatIsNotSupportedIsNamed(Kind kind) throws ReflectiveOperationException, SQLException {
    for (Method method : methods(kind.type)) {
      if (throwsSqlExceptions(method)) {
        Throwable error = call(guard(kind.type, new SQLFeatureNotSupportedException()), method);
        if (error == null) {
          continue;
        }
        String name = kind.type.getSimpleName() + "." + method.getName();
        assertTrue(
            String.valueOf(error.getMessage()).contains("does not support " + name + ";"),
            () -> method + ": " + error.getMessage());
      }
    }
  }

  /** Methods that throw no SQLException, or that have an answer of their own. */
  private static Set<String> past(Class<?> type) {
    return switch (type.getSimpleName()) {
      case "CalciteConnection" ->
          Set.of(
              "config",
              "createPrepareContext",
              "createQuery",
              "execute",
              "executeQuery",
              "getProperties",
              "getRootSchema",
              "getTypeFactory",
              "setClientInfo");
      case "DatabaseMetaData" -> Set.of("getDriverMajorVersion", "getDriverMinorVersion");
      default -> Set.of();
    };
  }

  private static List<Method> methods(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .toList();
  }

  private static boolean throwsSqlExceptions(Method method) {
    return Arrays.asList(method.getExceptionTypes()).contains(SQLException.class);
  }

  private static @Nullable Throwable call(Object guard, Method method)
      throws ReflectiveOperationException {
    Object[] arguments =
        Arrays.stream(method.getParameterTypes()).map(JdbcGuardTest::any).toArray();
    try {
      method.invoke(guard, arguments);
      return null;
    } catch (InvocationTargetException e) {
      return e.getCause();
    }
  }

  private static @Nullable Object any(Class<?> type) {
    if (!type.isPrimitive()) {
      return type == String.class ? "values 1" : null;
    }
    return java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(type, 1), 0);
  }

  /** A target of any kind whose every method fails. */
  private static <T extends Wrapper> T failing(Class<T> type, Exception failure) {
    return type.cast(
        Proxy.newProxyInstance(
            JdbcGuardTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              throw failure;
            }));
  }

  private static Object guard(Class<? extends Wrapper> type, Exception failure)
      throws SQLException {
    return switch (type.getSimpleName()) {
      case "CalciteConnection" ->
          new DelegatingConnection(
              CalciteConnection.class, failing(CalciteConnection.class, failure)) {};
      case "DatabaseMetaData" -> new AnyMetaData(failing(DatabaseMetaData.class, failure));
      case "Statement" ->
          new StatementGuard(failing(Statement.class, failure), session, connection);
      case "PreparedStatement" ->
          new PreparedStatementGuard(
              failing(PreparedStatement.class, failure), session, connection, "values 1");
      case "ResultSet" ->
          new ResultSetGuard(
              failing(ResultSet.class, failure), null, new Execution(null), () -> {});
      case "ResultSetMetaData" -> new ColumnsGuard(failing(ResultSetMetaData.class, failure));
      default -> throw new AssertionError(type);
    };
  }

  private static final class AnyMetaData extends DelegatingDatabaseMetaData {
    AnyMetaData(DatabaseMetaData target) {
      super(target);
    }

    @Override
    protected <V> V ask(String method, JdbcCall<V> question) throws SQLException {
      return call(method, question);
    }

    @Override
    protected ResultSet askRows(String method, JdbcCall<ResultSet> question) throws SQLException {
      return call(method, question);
    }
  }
}
