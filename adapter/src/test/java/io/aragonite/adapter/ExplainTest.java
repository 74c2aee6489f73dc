package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.aragonite.exec.error.ErrorCode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ExplainTest {
  private static final String JOIN =
      "select n_name, count(*) as customers from customer join nation on c_nationkey = n_nationkey"
          + " where c_acctbal > 100 group by n_name order by customers desc limit 3";

  private static Connection connection;

  @BeforeAll
  static void open() throws SQLException {
    connection = TestConnections.tpch();
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  private static String explain(String sql) throws SQLException {
    return String.join("\n", query(connection, sql));
  }

  @Test
  void planNamesDeviceAlgorithmAndEstimate() throws SQLException {
    String plan = explain("explain plan for " + JOIN);
    assertTrue(plan.startsWith("TopN [cpu], order=[customers desc"), plan);
    assertTrue(plan.contains("HashJoin [cpu], "), plan);
    assertTrue(plan.contains("estimate: 25 rows, "), plan);
    assertTrue(plan.contains("table=[tpch.customer], columns=[c_nationkey, c_acctbal]"), plan);
    assertTrue(plan.contains("condition=[>(c_acctbal, 100"), plan);
    assertFalse(plan.contains("actual"), plan);
  }

  /** Whatever the window computes of its own, and keeps. */
  @Test
  void windowsReadTheColumnsThatAreWanted() throws SQLException {
    for (String window : List.of("row_number()", "rank()", "count(*)", "lag(c_acctbal)")) {
      String plan =
          explain(
              "explain plan for select c_acctbal, %s over (partition by c_nationkey order by c_acctbal) from customer"
                  .formatted(window));
      assertTrue(plan.contains("table=[tpch.customer], columns=[c_nationkey, c_acctbal]"), plan);
    }
  }

  /**
   * UNNEST of an outer column stays correlated. The joins beside it, and those within it, have
   * their conditions and an order all the same.
   */
  @Test
  void whatStaysCorrelatedLeavesTheRestOptimized() throws SQLException {
    String from =
        " from customer, region, nation where c_nationkey = n_nationkey and n_regionkey ="
            + " r_regionkey and r_name = 'ASIA' and c_acctbal > 9000";
    String names =
        "cardinality(multiset(select 1 from nation n where n.n_regionkey < c_nationkey))";
    String plan = explain("explain plan for select c_custkey, " + names + " x" + from);
    assertTrue(plan.contains("EnumerableCorrelate"), plan);
    assertTrue(plan.contains("HashJoin [cpu], right side built, condition=[=(c_nat"), plan);
    assertTrue(plan.contains("condition=[=(n_regionkey, r_regionkey)]"), plan);
    assertTrue(plan.contains("Filter [cpu], condition=[>(c_acctbal, 9000"), plan);
    assertTrue(plan.contains("Filter [cpu], condition=[=(r_name, 'ASIA')]"), plan);
    assertEquals(
        query(
            connection,
            "select count(*), sum((select count(*) from nation n where n.n_regionkey <"
                + " c_nationkey))"
                + from),
        query(connection, "select count(*), sum(x) from (select " + names + " as x" + from + ")"));
    String inside =
        explain(
            "explain plan for select r_name, multiset(select c_custkey from customer, nation,"
                + " (values 1, 2) as v(k) where c_nationkey = n_nationkey and n_regionkey ="
                + " r_regionkey + k - k and c_acctbal > 9000) from region where r_name = 'ASIA'");
    assertTrue(inside.contains("EnumerableCorrelate"), inside);
    assertTrue(inside.contains("condition=[=(c_nationkey, n_nationkey)]"), inside);
    assertTrue(inside.contains("condition=[>(c_acctbal, 9000"), inside);
    assertTrue(inside.contains("condition=[=(r_name, 'ASIA')]"), inside);
  }

  /** A comparison of the preserved side's key filters the other side's scan, below its grouping. */
  @Test
  void filtersOfKeysReachTheOtherSideOfOuterJoins() throws SQLException {
    String join =
        "select c.k, o.n from (select c_custkey k from customer where c_custkey %1$s) c %2$s join"
            + " (select o_custkey k, count(*) n from orders group by o_custkey) o on %3$s";
    String plan = explain("explain " + join.formatted("= 7", "left", "c.k = o.k"));
    assertTrue(plan.contains("Filter [cpu], condition=[=(o_custkey, 7)]"), plan);
    plan = explain("explain " + join.formatted("< 7", "left", "c.k = o.k and o.n > 2"));
    assertTrue(plan.contains("Filter [cpu], condition=[<(o_custkey, 7)]"), plan);
    plan = explain("explain " + join.formatted("= 7", "right", "c.k = o.k"));
    assertFalse(plan.contains("condition=[=(o_custkey, 7)]"), plan);
    plan = explain("explain " + join.formatted("= 7", "left", "c.k = o.k + 1"));
    assertFalse(plan.contains("condition=[=(o_custkey, "), plan);
    plan = explain("explain " + join.formatted("= 7", "full", "c.k = o.k"));
    assertFalse(plan.contains("condition=[=(o_custkey, 7)]"), plan);
  }

  /** Whichever side's keys leave less of the other one is built: they filter the other's scans. */
  @Test
  void semiJoinsBuildTheSideWhoseKeysFilterMore() throws SQLException {
    String few = "select count(*) from orders where o_orderdate = date '1995-01-01' and ";
    String lines = "(select l_orderkey from lineitem, part where l_partkey = p_partkey%s)";
    String plan = explain("explain " + few + "o_orderkey in " + lines.formatted(""));
    assertTrue(plan.contains("left side built, condition=[=(o_orderkey, l_orderkey)]"), plan);
    assertTrue(plan.contains("joinType=[semi], filter=[keys filter the probe side's scan"), plan);
    plan =
        explain(
            "explain select count(*) from orders where o_orderkey in "
                + lines.formatted(" and p_size = 1 and p_container = 'JUMBO JAR'"));
    assertTrue(plan.contains("right side built, condition=[=(o_orderkey, l_orderkey)]"), plan);
  }

  @Test
  void joinsShowTheirCandidates() throws SQLException {
    String plan = explain("explain verbose " + JOIN);
    assertTrue(plan.contains("candidate: hash, right side built, "), plan);
    assertTrue(plan.contains("candidate: hash, left side built, "), plan);
    assertTrue(plan.contains("candidate: nested loop, refused: "), plan);
    assertTrue(plan.contains(", chosen"), plan);
    String cross =
        explain("explain verbose select * from nation a join nation b on a.n_name < b.n_name");
    assertTrue(cross.contains("refused: no equality between the two sides"), cross);
    assertEquals(plan, explain("explain Verbose /* x */ plan for " + JOIN));
    String ran = explain("explain analyze verbose " + JOIN);
    assertTrue(ran.contains("candidate: nested loop, refused: "), ran);
    assertTrue(ran.contains("actual: 3 rows") && ran.contains("expected: "), ran);
    assertTrue(explain("explain verbose analyze " + JOIN).contains("actual: 3 rows"));
  }

  @Test
  void plansAreShortUnlessVerbose() throws SQLException {
    for (String form : List.of("explain plan for ", "explain ", "explain analyze ")) {
      String plan = explain(form + JOIN);
      assertTrue(plan.contains("Join [") && plan.contains("estimate: "), plan);
      assertFalse(plan.contains("candidate: ") || plan.contains("expected: "), plan);
    }
    assertTrue(explain("explain as json " + JOIN).contains("\"candidates\""));
    assertTrue(explain("explain verbose as json " + JOIN).contains("\"candidates\""));
  }

  @Test
  void shortFormAndComments() throws SQLException {
    assertEquals(
        explain("explain plan for select n_name from nation"),
        explain("-- a plan\n EXPLAIN /* now */ select n_name from nation"));
  }

  @Test
  void analyzeCounts() throws SQLException {
    String plan = explain("explain analyze " + JOIN);
    assertTrue(plan.contains("; actual: 3 rows, "), plan);
    assertTrue(plan.contains("; actual: 25 rows, "), plan);
    assertTrue(plan.lines().reduce((a, b) -> b).orElse("").startsWith("Total: 3 rows in "), plan);
  }

  @Test
  void analyzeOfNoRows() throws SQLException {
    String plan = explain("explain analyze select * from nation where n_nationkey < 0");
    assertTrue(plan.contains("actual"), plan);
  }

  @Test
  void analyzeTakesParameters() throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("explain analyze select * from nation where n_regionkey = ?")) {
      statement.setInt(1, 1);
      try (ResultSet rows = statement.executeQuery()) {
        String plan = String.join("\n", TestConnections.rows(rows));
        assertTrue(plan.contains("actual: 5 rows"), plan);
      }
    }
  }

  @Test
  void json() throws Exception {
    JsonNode plan = new ObjectMapper().readTree(explain("explain plan as json for " + JOIN));
    assertEquals("TopN", plan.at("/plan/node").asText());
    assertEquals("cpu", plan.at("/plan/device").asText());
    assertNull(plan.get("rows"));
    assertTrue(plan.get("fallbacks").isEmpty());
    JsonNode analyzed = new ObjectMapper().readTree(explain("explain analyze as json " + JOIN));
    assertEquals(3, analyzed.get("rows").asInt());
    assertNotNull(analyzed.at("/plan/actualRows"));
    assertTrue(analyzed.toString().contains("\"candidates\":["));
  }

  @Test
  void hostFunctionsAreNamed() throws Exception {
    String sql = "select md5(n_name), upper(n_name) from nation where md5(n_comment) <> 'x'";
    String plan = explain("explain " + sql);
    assertTrue(plan.contains("hostFunctions=[MD5]"), plan);
    assertTrue(plan.contains("Host functions, which"), plan);
    JsonNode json = new ObjectMapper().readTree(explain("explain plan as json for " + sql));
    assertEquals("MD5", json.at("/hostFunctions/0").asText());
    assertEquals("MD5", json.at("/plan/hostFunctions").asText());
    String own = explain("explain select upper(n_name), round(n_regionkey, 0) from nation");
    assertTrue(!own.contains("ost functions") && !own.contains("hostFunctions"), own);
  }

  @Test
  void errorsKeepTheirPosition() {
    assertError(
        ErrorCode.UNKNOWN_COLUMN,
        () -> explain("explain analyze\nselect nosuch from nation"),
        "line 2, column 8");
  }
}
