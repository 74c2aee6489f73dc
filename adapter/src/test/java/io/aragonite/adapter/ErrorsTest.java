package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.aragonite.exec.error.ErrorCode;
import java.io.EOFException;
import java.io.IOException;
import java.io.Reader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorsTest {
  private static Connection connection;

  @BeforeAll
  static void open() throws SQLException {
    connection = TestConnections.tpch();
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  /** Whatever went wrong, the connection answers the next query. */
  @AfterEach
  void stillWorks() throws SQLException {
    assertEquals(List.of("25"), query(connection, "select count(*) from nation"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SYNTAX|select * fro nation|line 1, column 14",
        "SYNTAX|select 1 +|line 1",
        "SYNTAX|selec 1|SELECT",
        "SYNTAX|select n_name from nation where n_name = 'x|quote",
        "READ_ONLY|alter table tpch.region add a int|tpch",
        "UNKNOWN_TABLE|select * from lineitm|did you mean 'lineitem'?",
        "UNKNOWN_TABLE|select * from tpcc.nation|did you mean 'tpch'?",
        "UNKNOWN_COLUMN|select l_orderky from lineitem|did you mean 'l_orderkey'?",
        "UNKNOWN_COLUMN|select n_name from region where exists (select 1 from nation)"
            + "|there is one in tpch.nation, which FROM does not have here",
        "UNKNOWN_COLUMN|select l.quantity from lineitem l|l_quantity",
        "UNKNOWN_FUNCTION|select frobnicate(n_name) from nation|frobnicate",
        "INVALID_STATEMENT|select * from nation order by 99|line 1",
        "INVALID_STATEMENT|select n_name, count(*) from nation|n_name",
        "DIVISION_BY_ZERO|select 1/0|",
        "DIVISION_BY_ZERO|select 10 / n_nationkey from nation|",
        "NUMERIC_OVERFLOW|select 9223372036854775807 + n_nationkey from nation|",
        "NUMERIC_OVERFLOW|select list_transform(array[v], x -> cast(x as integer))"
            + " from (values (2147483647.5)) t(v)|2147483648",
        "INVALID_CAST|select cast(n_name as integer) from nation|ALGERIA",
        "INVALID_CAST|select cast('abc' as integer)|abc",
        "SCALAR_SUBQUERY_ROWS|select (select n_name from nation)|more than one row",
      })
  void statementsHaveTheirCode(ErrorCode code, String sql, String part) {
    assertError(code, () -> query(connection, sql), part == null ? "" : part);
  }

  @Test
  void emptyStatement() {
    assertError(ErrorCode.SYNTAX, () -> query(connection, " \n"), "empty");
  }

  @Test
  void classesFollowTheKind() {
    assertInstanceOf(
        SQLSyntaxErrorException.class,
        assertError(ErrorCode.UNKNOWN_TABLE, () -> query(connection, "select * from x")));
    assertInstanceOf(
        SQLDataException.class,
        assertError(ErrorCode.DIVISION_BY_ZERO, () -> query(connection, "select 1/0")));
  }

  @Test
  void preparingFailsTheSameWay() {
    assertError(
        ErrorCode.UNKNOWN_COLUMN,
        () -> connection.prepareStatement("select n_nam from nation where n_nationkey = ?").close(),
        "'n_name'");
  }

  @Test
  void aCauseWithoutAMessageIsNamed() throws SQLException {
    Reader broken =
        new Reader() {
          @Override
          public int read(char[] buffer, int from, int length) throws IOException {
            throw new EOFException();
          }

          @Override
          public void close() {}
        };
    try (PreparedStatement prepared =
        connection.prepareStatement("select count(*) from nation where n_name = ?")) {
      assertError(
          ErrorCode.INVALID_CALL, () -> prepared.setCharacterStream(1, broken), "EOFException");
    }
  }

  @Test
  void errorsOfWrongCalls() throws SQLException {
    Statement statement = connection.createStatement();
    ResultSet rows = statement.executeQuery("select n_name from nation");
    assertError(ErrorCode.UNKNOWN_COLUMN, () -> rows.getString("nosuch"), "nosuch");
    assertError(ErrorCode.INVALID_CALL, () -> rows.getString(7));
    assertError(ErrorCode.INVALID_CALL, () -> statement.setQueryTimeout(-1));
    statement.close();
    assertError(ErrorCode.INVALID_CALL, () -> statement.executeQuery("select 1"), "closed");
    assertError(ErrorCode.INVALID_CALL, rows::next, "closed");
    try (PreparedStatement prepared =
        connection.prepareStatement("select count(*) from nation where n_nationkey = ?")) {
      assertError(ErrorCode.MISSING_PARAMETER, prepared::executeQuery);
    }
    try (Statement plain = connection.createStatement()) {
      String sql = "select count(*) from nation where n_nationkey = ?";
      assertError(ErrorCode.MISSING_PARAMETER, () -> plain.executeQuery(sql), "1 parameter marker");
      assertError(ErrorCode.MISSING_PARAMETER, () -> plain.executeQuery("explain analyze " + sql));
      plain.executeQuery("explain " + sql).close();
    }
  }

  @Test
  void errorWhileRowsAreFetched() throws SQLException {
    // the error lies behind the first batches
    String sql = "select 1 / (l_orderkey - 60000) from lineitem";
    try (Statement statement = connection.createStatement()) {
      assertError(
          ErrorCode.DIVISION_BY_ZERO,
          () -> {
            try (ResultSet rows = statement.executeQuery(sql)) {
              while (rows.next()) {
                rows.getLong(1);
              }
            }
          });
    }
  }

  @Test
  void memoryLimit() throws SQLException {
    try (Connection small = TestConnections.open("tpch=0.01;memory=2MB;threads=2")) {
      assertError(
          ErrorCode.MEMORY_EXCEEDED,
          () -> query(small, "select l_comment, count(*) from lineitem group by l_comment"),
          "memory");
      assertEquals(List.of("5"), query(small, "select count(*) from region"));
    }
  }
}
