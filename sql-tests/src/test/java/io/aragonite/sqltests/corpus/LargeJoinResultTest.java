package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** Joins one of whose keys is that of all rows on both sides, so that the result is huge. */
class LargeJoinResultTest {
  private static final String URL = "jdbc:aragonite:tpch=0.01;threads=2;memory=40MB";

  private static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      assertTrue(rows.next());
      return rows.getLong(1);
    }
  }

  /** More pairs than 2^31, in the memory of the tables and some batches. */
  @Test
  void pairsStreamBeyondTwoToThe31() throws SQLException {
    try (Connection connection = DriverManager.getConnection(URL);
        Statement statement = connection.createStatement()) {
      long left = number(statement, "select count(*) from lineitem");
      long right = number(statement, "select count(*) from lineitem where l_linenumber < 4");
      long pairs =
          number(
              statement,
              "select count(*) from lineitem a join lineitem b"
                  + " on a.l_orderkey * 0 = b.l_orderkey * 0 where b.l_linenumber < 4");
      assertTrue(pairs > 1L << 31);
      assertEquals(left * right, pairs);
    }
  }

  /** A result that must be collected and fits neither memory nor disk; then the next statement. */
  @Test
  void whatFitsNowhereIsAnErrorThatNamesTheEstimateAndTheBudget() throws SQLException {
    // A GPU has room for all of the rows, unless it is given less.
    String little = URL + ";gpuMemory=64MB;spillLimit=1MB";
    try (Connection connection = DriverManager.getConnection(little);
        Statement statement = connection.createStatement()) {
      SQLException e =
          assertThrows(
              SQLException.class,
              () ->
                  number(
                      statement,
                      "select a.l_orderkey, b.l_partkey from lineitem a join lineitem b"
                          + " on a.l_linestatus = b.l_linestatus order by 2, 1"));
      assertEquals(604, e.getErrorCode(), e.getMessage());
      assertTrue(
          String.valueOf(e.getMessage())
              .matches(
                  "(?s).*bytes more, but of spillLimit=1,048,576 bytes.*planner expected"
                      + " [1-9][0-9,]{8,} rows, and [0-9,]+ had come.*"),
          e.getMessage());
      assertEquals(25, number(statement, "select count(*) from nation"));
    }
  }
}
