package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hints that name the algorithm of a join. */
class JoinHintTest {
  private static final String THREE =
      " count(*) from lineitem l join orders o on l.l_orderkey = o.o_orderkey"
          + " join customer c on o.o_custkey = c.c_custkey";

  @SuppressWarnings("NullAway.Init")
  private static Connection connection;

  @BeforeAll
  static void connect() throws SQLException {
    connection = DriverManager.getConnection("jdbc:aragonite:tpch=0.01;threads=2;memory=1051MB");
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  private static List<String> query(String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        rows.add(result.getString(1));
      }
    }
    return rows;
  }

  /** The joins of a plan, from the top. */
  private static List<String> joins(String sql) throws SQLException {
    return String.join("\n", query("explain plan for " + sql))
        .lines()
        .filter(line -> line.contains("Join ["))
        .toList();
  }

  private static long count(List<String> joins, String algorithm) {
    return joins.stream().filter(line -> line.strip().startsWith(algorithm + " [")).count();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/*+ phj */|0|2|0",
        "/*+ SMJ(o, c) */|1|0|1",
        "/*+ PHJ(lineitem, o) */|1|1|0",
        "/*+ PHJ(L) */|1|1|0",
        "/*+ PHJ(l, c), SMJ(o, l, c) */|0|1|1",
        "/*+ NPHJ(l), SMJ */|1|0|1",
      })
  void algorithmsAreTheNamedOnes(String hint, int hash, int partitioned, int sorted)
      throws SQLException {
    List<String> joins = joins("select " + hint + THREE);
    assertEquals(2, joins.size());
    assertEquals(hash, count(joins, "HashJoin"), joins::toString);
    assertEquals(partitioned, count(joins, "PartitionedHashJoin"), joins::toString);
    assertEquals(sorted, count(joins, "SortMergeJoin"), joins::toString);
    assertEquals(query("select" + THREE), query("select " + hint + THREE));
  }

  @Test
  void hintsStandBesideTheProperty() throws SQLException {
    try (Connection forced =
            DriverManager.getConnection(
                "jdbc:aragonite:tpch=0.01;threads=2;memory=1052MB;join=smj");
        Statement statement = forced.createStatement();
        ResultSet rows =
            statement.executeQuery("explain analyze select /*+ PHJ(o, c) */" + THREE)) {
      StringBuilder plan = new StringBuilder();
      while (rows.next()) {
        plan.append(rows.getString(1)).append('\n');
      }
      String text = plan.toString();
      assertTrue(text.contains("PartitionedHashJoin ["), text);
      assertTrue(text.contains("SortMergeJoin ["), text);
      assertTrue(text.contains("partitions"), text);
      assertTrue(text.contains("sorted sides"), text);
    }
  }

  @Test
  void subqueriesAndOtherJoinTypes() throws SQLException {
    String semi =
        " count(*) from orders where o_orderkey in"
            + " (select l_orderkey from lineitem where l_quantity > 49)";
    List<String> joins = joins("select /*+ SMJ(orders, lineitem) */" + semi);
    assertEquals(1, count(joins, "SortMergeJoin"), joins::toString);
    assertEquals(query("select" + semi), query("select /*+ SMJ(orders, lineitem) */" + semi));
    String named =
        " count(*) from customer left join (select o_custkey k, count(*) n from orders group by"
            + " o_custkey) as many on c_custkey = k";
    joins = joins("select /*+ PHJ(many, customer) */" + named);
    assertEquals(1, count(joins, "PartitionedHashJoin"), joins::toString);
    assertEquals(query("select" + named), query("select /*+ PHJ(many, customer) */" + named));
  }

  /** Tables in host memory: sorted ones are cut as they are, others are sorted before. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        " count(*), sum(l_extendedprice), sum(o_totalprice) from lineitem join orders"
            + " on l_orderkey = o_orderkey where o_orderdate < date '1995-01-01'",
        " count(*), sum(o_totalprice), max(c_name) from customer left join orders"
            + " on c_custkey = o_custkey and o_totalprice > 100000",
        " count(*), sum(o_totalprice) from orders where o_orderkey in"
            + " (select l_orderkey from lineitem where l_quantity > 49)",
        " count(*), sum(s_acctbal + c_acctbal) from supplier full join customer"
            + " on s_nationkey = c_nationkey where s_suppkey < 5 or s_suppkey is null",
      })
  void tablesInHostMemory(String sql) throws SQLException {
    List<String> joins = joins("select /*+ HSMJ */" + sql);
    assertEquals(1, count(joins, "HostSortMergeJoin"), joins::toString);
    assertEquals(query("select" + sql), query("select /*+ HSMJ */" + sql));
    String text = String.join("\n", query("explain analyze select /*+ HSMJ */" + sql));
    assertTrue(text.contains("pieces"), text);
    assertEquals(sql.contains("l_orderkey"), text.contains("left side sorted, right side sorted"));
  }

  /** A sort-merge join's order is declared: ORDER BY its key sorts nothing more. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        " o_orderkey, l_linenumber from orders join lineitem on o_orderkey = l_orderkey"
            + " where l_quantity > 48 order by o_orderkey",
        " l_orderkey || '' t, o_orderkey k from orders join lineitem on o_orderkey = l_orderkey"
            + " where o_totalprice > 200000 order by k",
        " o_orderkey from orders where o_orderkey in"
            + " (select l_orderkey from lineitem where l_quantity > 9) order by o_orderkey",
      })
  void anOrderThatTheJoinHasIsNotMade(String sql) throws SQLException {
    String merged = "select /*+ SMJ */" + sql;
    assertFalse(plan(merged).contains("Sort "), plan(merged));
    assertTrue(plan(merged).contains("order=[["), plan(merged));
    assertTrue(plan("select /*+ NPHJ */" + sql).contains("Sort "));
    assertEquals(query("select /*+ NPHJ */" + sql).size(), query(merged).size());
    List<Long> keys = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(merged)) {
      int key = sql.contains("order by k") ? 2 : 1;
      while (rows.next()) {
        keys.add(rows.getLong(key));
      }
    }
    assertTrue(keys.size() > 100);
    assertEquals(keys.stream().sorted().toList(), keys);
  }

  private static String plan(String sql) throws SQLException {
    return String.join("\n", query("explain plan for " + sql));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "select /*+ PHJ(nation, region) */ count(*) from nation, region|505|no equality",
        "select /*+ SMJ */ count(*) from nation join region on n_regionkey > r_regionkey|505|no"
            + " equality",
        "select /*+ PHJ */ count(*) from nation|505|no such join",
        "select /*+ PHJ(nation, part) */ count(*) from nation|104|names part",
        "select /*+ HSMJ */ count(*) from lineitem join partsupp on l_partkey = ps_partkey"
            + " and l_suppkey = ps_suppkey|505|it has 2 keys",
        "select /*+ HSMJ(orders, nation) */ count(*) from orders join (customer join nation"
            + " on c_nationkey = n_nationkey) on o_custkey = c_custkey|505|no table with a filter",
        "select /*+ HASH(nation) */ count(*) from nation|104|no hint HASH",
        "select /*+ AUTO(nation) */ count(*) from nation|104|no hint AUTO",
      })
  void whatCannotBeFollowedIsAnError(String sql, int code, String part) throws SQLException {
    for (String start : List.of("", "explain plan for ")) {
      SQLException e = assertThrows(SQLException.class, () -> query(start + sql));
      assertEquals(code, e.getErrorCode(), e.getMessage());
      assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
      assertFalse(query("select count(*) from nation").isEmpty());
    }
  }

  /**
   * A property speaks of all joins: one that it cannot be, but for sides of one row, is refused.
   */
  @Test
  void theAskedAlgorithmIsRefusedWithoutEquality() throws SQLException {
    String url = "jdbc:aragonite:tpch=0.01;threads=2;memory=1053MB;join=phj";
    try (Connection forced = DriverManager.getConnection(url);
        Statement statement = forced.createStatement()) {
      for (String start : List.of("", "explain plan for ")) {
        SQLException e =
            assertThrows(
                SQLException.class,
                () ->
                    statement.executeQuery(
                        start
                            + "select count(*) from nation join region"
                            + " on n_regionkey > r_regionkey"));
        assertEquals(505, e.getErrorCode(), e.getMessage());
        String message = String.valueOf(e.getMessage());
        assertTrue(message.contains("join=phj") && message.contains("nation with region"), message);
      }
      try (ResultSet rows =
          statement.executeQuery(
              "select count(*) from nation where n_nationkey > (select avg(r_regionkey) from"
                  + " region)")) {
        assertTrue(rows.next());
        assertEquals(22, rows.getInt(1));
      }
    }
  }
}
