package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Arrays as parameters. */
class ArrayParametersTest {
  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = TestConnections.open("device=cpu;threads=1");
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "create table t (id int, s varchar, d decimal(5,2), m timestamp, u uuid, b boolean, f"
              + " double, v varbinary, l int[])");
      statement.execute(
          """
          insert into t values
            (1, 'a', 1.5, timestamp '2020-01-01 00:00:00',
              '00000000-0000-0000-0000-000000000001', true, 1.5, x'01', [1, 2]),
            (2, 'b', 2.25, null, null, false, 2.5, null, null),
            (null, null, null, null, null, null, null, null, null)
          """);
    }
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private List<String> run(String sql, Object... parameters) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        if (parameters[i] instanceof Array array) {
          statement.setArray(i + 1, array);
        } else {
          statement.setObject(i + 1, parameters[i]);
        }
      }
      List<String> rows = new ArrayList<>();
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          rows.add(result.getString(1));
        }
      }
      return rows;
    }
  }

  private Array array(String type, Object... elements) throws SQLException {
    return connection.createArrayOf(type, elements);
  }

  @Test
  void anyAndAllLookInThem() throws SQLException {
    String any = "select id from t where id = any (?) order by id";
    assertEquals(List.of("1", "2"), run(any, array("int4", 2, 1, 2, 7)));
    assertEquals(List.of("1"), run(any, array("integer", 1, null)));
    assertEquals(List.of(), run(any, array("bigint")));
    String none = "select coalesce(id, 0) from t where id <> all (?) order by id";
    assertEquals(List.of("2"), run(none, array("int", 1, 5)));
    assertEquals(List.of(), run(none, array("int", 5, null)));
    assertEquals(List.of("1", "2", "0"), run(none, array("int")));
    String greater = "select coalesce(id > any (?), false) from t order by id";
    assertEquals(List.of("false", "true", "false"), run(greater, array("int", 1, 5)));
  }

  @Test
  void manyElementsAreSearchedAsAJoinDoes() throws SQLException {
    Object[] many = IntStream.range(0, 100_000).mapToObj(i -> (Object) (i * 2)).toArray();
    String sql = "select count(*) from unnest(range(1, 50001)) as g(x) where x = any (?)";
    assertEquals(List.of("25000"), run(sql, array("bigint", many)));
  }

  @Test
  void elementsOfEachType() throws SQLException {
    String sql = "select id from t where %s = any (?)";
    assertEquals(List.of("1"), run(sql.formatted("s"), array("text", "a", "", "zz".repeat(99))));
    assertEquals(
        List.of("1", "2"),
        run(
            sql.formatted("d") + " order by 1",
            array("numeric", new BigDecimal("1.50"), new BigDecimal("2.250"), new BigDecimal(99))));
    Timestamp moment = Timestamp.valueOf("2020-01-01 00:00:00");
    assertEquals(List.of("1"), run(sql.formatted("m"), array("timestamp", moment)));
    UUID uuid = new UUID(0, 1);
    assertEquals(List.of("1"), run(sql.formatted("u"), array("uuid", uuid, UUID.randomUUID())));
    assertEquals(List.of("1"), run(sql.formatted("b"), array("bool", true)));
    assertEquals(List.of("2"), run(sql.formatted("f"), array("float8", 2.5, Double.NaN)));
    assertEquals(List.of("1"), run(sql.formatted("v"), array("bytea", new byte[] {1})));
  }

  @Test
  void theyAreLists() throws SQLException {
    Array list = array("int", 1, 3, null);
    assertEquals(List.of("[1, 3, null]"), run("select ?", list));
    assertEquals(List.of("3"), run("select len(?)", list));
    assertEquals(List.of("1"), run("select id from t where list_contains(?, id)", list));
    assertEquals(List.of("1", "3"), run("select u from unnest(?) as t(u) where u > 0", list));
    assertEquals(List.of("1"), run("select id from t where l = ?", array("int", 1, 2)));
    assertEquals(
        List.of("[[1, 2], [], [null]]"),
        run("select ?", array("int", new Integer[] {1, 2}, new Integer[0], new Integer[] {null})));
    assertEquals("[1, 3, null]", list.toString());
    assertEquals(Types.INTEGER, list.getBaseType());
    assertArrayEquals(new Integer[] {1, 3, null}, (Object[]) list.getArray());
  }

  @Test
  void theyAreInsertedAndSet() throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("insert into t (id, l) values (?, ?)")) {
      insert.setInt(1, 7);
      insert.setArray(2, array("int", 1, null));
      insert.addBatch();
      insert.setInt(1, 8);
      insert.setArray(2, array("text", "5", "6"));
      insert.addBatch();
      insert.setInt(1, 9);
      insert.setObject(2, new int[] {4});
      insert.addBatch();
      insert.executeBatch();
    }
    try (PreparedStatement update =
        connection.prepareStatement("update t set l = ? where id = 2")) {
      update.setArray(1, array("int"));
      assertEquals(1, update.executeUpdate());
    }
    assertEquals(
        List.of("[1, 2]", "[]", "[1, null]", "[5, 6]", "[4]"),
        query(connection, "select l from t where id is not null order by id"));
  }

  /** An array of a result is a parameter as it is. */
  @Test
  void ofAResult() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select l from t where id = 1")) {
      rows.next();
      assertEquals(
          List.of("1", "2"),
          run("select id from t where id = any (?) order by 1", rows.getArray(1)));
    }
  }

  @Test
  void whatIsNone() {
    assertError(ErrorCode.INVALID_CALL, () -> array("nonsense", 1), "nonsense");
    assertError(ErrorCode.INVALID_CALL, () -> array("int", "x"), "x");
    assertError(ErrorCode.NUMERIC_OVERFLOW, () -> array("int2", 70_000), "70000");
    assertError(
        ErrorCode.TYPE_UNSUPPORTED,
        () -> run("select ?", (Object) new Object[] {1, "a"}),
        "INTEGER and VARCHAR");
    assertError(
        ErrorCode.INVALID_STATEMENT,
        () -> run("select id from t where id = any (?)", 1),
        "parameter 1 is of type INTEGER");
  }

  @Test
  void timesKeepTheirDigits() throws SQLException {
    Timestamp fine = Timestamp.valueOf("1960-01-01 00:00:00.123456789");
    Timestamp coarse = Timestamp.valueOf("2020-01-01 00:00:00");
    assertEquals(
        List.of("[1960-01-01 00:00:00.123456789, 2020-01-01 00:00:00, null]"),
        run("select ?", array("timestamp", fine, coarse, null)));
  }
}
