package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Functions of lists of Calcite's library for Spark compare elements as SQL does. */
class SparkListsTest {
  private static Connection connection;

  @BeforeAll
  static void open() throws SQLException {
    connection = TestConnections.open("device=cpu;threads=1;fun=standard,spark");
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  private static void assertCombined(
      String a, String b, String union, String except, String intersect) throws SQLException {
    String lists = "from (values (%s, %s)) t(a, b)".formatted(a, b);
    assertEquals(List.of(union), query(connection, "select array_union(a, b) " + lists));
    assertEquals(List.of(except), query(connection, "select array_except(a, b) " + lists));
    assertEquals(List.of(intersect), query(connection, "select array_intersect(a, b) " + lists));
  }

  @Test
  void combinations() throws SQLException {
    assertCombined("array[0.0e0]", "array[-0.0e0]", "[0.0]", "[]", "[0.0]");
    assertCombined(
        "array[1, null, 1, 2]", "array[2, null, 3, 2]", "[1, null, 2, 3]", "[1]", "[null, 2]");
    assertCombined("array[1, 2]", "array[2.0, 3.5]", "[1.0, 2.0, 3.5]", "[1.0]", "[2.0]");
    assertCombined("array[x'00ff']", "array[x'00ff', x'']", "[00ff, ]", "[]", "[00ff]");
    assertCombined("array[[1], [null]]", "array[[null]]", "[[1], [null]]", "[[1]]", "[[null]]");
    assertCombined(
        "array[row(1, 'a'), row(2, 'b')]",
        "array[row(1, 'a')]",
        "[{1, a}, {2, b}]",
        "[{2, b}]",
        "[{1, a}]");
    assertCombined("cast(null as integer array)", "array[1]", "null", "null", "null");
    assertCombined("array[1]", "array[]", "[1]", "[1]", "[]");
  }

  @Test
  void noComparisonIsLeftToJava() {
    assertError(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        () -> query(connection, "select array_distinct(array[multiset[1], multiset[1]])"),
        "ARRAY_DISTINCT",
        "INTEGER MULTISET ARRAY");
  }
}
