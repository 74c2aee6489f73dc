package io.aragonite.bench.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds the planner's estimates against what is really there, through JDBC: match ratios of joins
 * of two tables, and the rows of all joins of queries. A q-error is the larger of estimate over
 * truth and truth over estimate.
 */
public final class EstimateBench {
  /**
   * A join of two tables.
   *
   * @param left a table and what its rows must satisfy
   * @param leftKeys columns, separated by commas
   */
  public record Pair(
      String left,
      String leftKeys,
      String leftFilter,
      String right,
      String rightKeys,
      String rightFilter) {}

  /** An estimate beside the truth. */
  public record EstimateCheck(String what, double estimated, double actual) {
    /** The q-error; what nobody can see the difference of counts as right. */
    public double error() {
      double least = 1e-9;
      double a = Math.max(least, estimated);
      double b = Math.max(least, actual);
      return Math.max(a / b, b / a);
    }
  }

  private static final ObjectMapper JSON = new ObjectMapper();

  /** A join a line: the fields of a {@link Pair}. */
  private static final String TPCH_JOINS =
      """
      lineitem | l_orderkey | | orders | o_orderkey |
      lineitem | l_partkey | | part | p_partkey |
      lineitem | l_suppkey | | supplier | s_suppkey |
      lineitem | l_partkey,l_suppkey | | partsupp | ps_partkey,ps_suppkey |
      orders | o_custkey | | customer | c_custkey |
      partsupp | ps_partkey | | part | p_partkey |
      customer | c_nationkey | | nation | n_nationkey |
      partsupp | ps_partkey | | part | p_partkey | p_size = 15 and p_type like '%BRASS'
      nation | n_regionkey | | region | r_regionkey | r_name = 'EUROPE'
      lineitem | l_orderkey | l_shipdate > date '1995-03-15' | orders | o_orderkey | \
      o_orderdate < date '1995-03-15'
      orders | o_custkey | o_orderdate < date '1995-03-15' | customer | c_custkey | \
      c_mktsegment = 'BUILDING'
      orders | o_orderkey | o_orderdate >= date '1993-07-01' and \
      o_orderdate < date '1993-10-01' | lineitem | l_orderkey | l_commitdate < l_receiptdate
      lineitem | l_orderkey | | orders | o_orderkey | o_orderdate >= date '1994-01-01' and \
      o_orderdate < date '1995-01-01'
      supplier | s_nationkey | | nation | n_nationkey | n_name in ('FRANCE', 'GERMANY')
      lineitem | l_suppkey | l_shipdate between date '1995-01-01' and date '1996-12-31' | \
      supplier | s_suppkey | s_nationkey in (6, 7)
      lineitem | l_orderkey | l_shipdate between date '1995-01-01' and date '1996-12-31' | \
      orders | o_orderkey |
      lineitem | l_partkey | | part | p_partkey | p_type = 'ECONOMY ANODIZED STEEL'
      lineitem | l_orderkey | | orders | o_orderkey | o_orderdate between date '1995-01-01' and \
      date '1996-12-31'
      lineitem | l_partkey | | part | p_partkey | p_name like '%green%'
      partsupp | ps_partkey | | part | p_partkey | p_name like '%green%'
      lineitem | l_orderkey | l_returnflag = 'R' | orders | o_orderkey | \
      o_orderdate >= date '1993-10-01' and o_orderdate < date '1994-01-01'
      partsupp | ps_suppkey | | supplier | s_suppkey | s_nationkey = 7
      lineitem | l_orderkey | l_shipmode in ('MAIL', 'SHIP') and \
      l_commitdate < l_receiptdate and l_shipdate < l_commitdate and \
      l_receiptdate >= date '1994-01-01' and l_receiptdate < date '1995-01-01' | orders | \
      o_orderkey |
      customer | c_custkey | | orders | o_custkey | o_comment not like '%special%requests%'
      lineitem | l_partkey | l_shipdate >= date '1995-09-01' and \
      l_shipdate < date '1995-10-01' | part | p_partkey | p_type like 'PROMO%'
      partsupp | ps_partkey | | part | p_partkey | p_brand <> 'Brand#45' and \
      p_type not like 'MEDIUM POLISHED%' and p_size in (49, 14, 23, 45, 19, 3, 36, 9)
      lineitem | l_partkey | | part | p_partkey | p_brand = 'Brand#23' and \
      p_container = 'MED BOX'
      lineitem | l_partkey | l_shipmode in ('AIR', 'AIR REG') and \
      l_shipinstruct = 'DELIVER IN PERSON' and l_quantity between 1 and 30 | part | p_partkey | \
      p_brand in ('Brand#12', 'Brand#23', 'Brand#34') and p_size between 1 and 15
      partsupp | ps_partkey | | part | p_partkey | p_name like 'forest%'
      partsupp | ps_partkey,ps_suppkey | | lineitem | l_partkey,l_suppkey | \
      l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
      lineitem | l_orderkey | l_receiptdate > l_commitdate | orders | o_orderkey | \
      o_orderstatus = 'F'
      lineitem | l_suppkey | l_receiptdate > l_commitdate | supplier | s_suppkey | \
      s_nationkey = 20
      customer | c_custkey | \
      substring(c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17') and \
      c_acctbal > 0 | orders | o_custkey |
      orders | o_custkey | o_totalprice > 400000 | customer | c_custkey | c_acctbal < 0
      """;

  /** The joins of TPC-H's queries, table by table, with and without their filters. */
  public static final List<Pair> TPCH = tpch();

  private final Connection connection;

  public EstimateBench(Connection connection) {
    this.connection = connection;
  }

  private static List<Pair> tpch() {
    return TPCH_JOINS
        .lines()
        .map(line -> Arrays.stream(line.split("\\|", -1)).map(String::strip).toList())
        .map(r -> new Pair(r.get(0), r.get(1), r.get(2), r.get(3), r.get(4), r.get(5)))
        .toList();
  }

  private static String where(String filter) {
    return filter.isEmpty() ? "" : " where " + filter;
  }

  private static String side(String table, String keys, String filter) {
    StringBuilder columns = new StringBuilder();
    String[] names = keys.split(",");
    for (int i = 0; i < names.length; i++) {
      columns.append(i == 0 ? "" : ", ").append(names[i]).append(" k").append(i);
    }
    return "(select %s from %s%s)".formatted(columns, table, where(filter));
  }

  /** The match ratio that the planner expects with the side built that it chose, and the truth. */
  public EstimateCheck matchRatio(Pair p) throws SQLException, IOException {
    String left = side(p.left, p.leftKeys, p.leftFilter);
    String right = side(p.right, p.rightKeys, p.rightFilter);
    StringBuilder equal = new StringBuilder();
    for (int i = 0; i < p.leftKeys.split(",").length; i++) {
      equal.append(i == 0 ? "" : " and ").append("a.k%d = b.k%d".formatted(i, i));
    }
    String sql = "select count(*) from %s a join %s b on %s".formatted(left, right, equal);
    JsonNode join = find(explained("EXPLAIN AS JSON " + sql).path("plan"), "Join");
    if (join == null) {
      throw new IllegalStateException("no join in the plan of " + sql);
    }
    boolean buildLeft = join.path("variant").asText().contains("left side built");
    JsonNode probe = find(join.path("inputs").get(buildLeft ? 1 : 0), "TableScan");
    String table = probe == null ? "" : probe.path("table").asText();
    boolean probeIsLeft = table.endsWith("." + p.left);
    double rows = count("select count(*) from %s a".formatted(probeIsLeft ? left : right));
    double matched =
        count(
            "select count(*) from %s a where exists (select 1 from %s b where %s)"
                .formatted(probeIsLeft ? left : right, probeIsLeft ? right : left, equal));
    String what = probeIsLeft ? p.left + " into " + p.right : p.right + " into " + p.left;
    String filters = p.leftFilter + (p.rightFilter.isEmpty() ? "" : " / " + p.rightFilter);
    return new EstimateCheck(
        what + (filters.isEmpty() ? "" : ", " + filters),
        join.path("expected").path("matchRatio").asDouble(),
        rows == 0 ? 0 : matched / rows);
  }

  /** Rows of each join of a query with keys, as expected and as counted. */
  public List<EstimateCheck> joinRows(String name, String sql) throws SQLException, IOException {
    return rows(name, sql, "Join", "condition");
  }

  /** Rows of each grouping of a query by keys, as expected and as counted. */
  public List<EstimateCheck> groupRows(String name, String sql) throws SQLException, IOException {
    return rows(name, sql, "Aggregate", "keys");
  }

  private List<EstimateCheck> rows(String name, String sql, String kind, String what)
      throws SQLException, IOException {
    List<EstimateCheck> found = new ArrayList<>();
    Consumer<JsonNode> note =
        node -> {
          if (node.path("node").asText().endsWith(kind)
              && node.has("actualRows")
              && node.has(what)
              && (node.has("expected") || node.has("keys"))) {
            found.add(
                new EstimateCheck(
                    name + ": " + node.path(what).asText(),
                    Math.max(1, node.path("estimatedRows").asDouble()),
                    Math.max(1, node.path("actualRows").asDouble())));
          }
        };
    visit(explained("EXPLAIN ANALYZE AS JSON " + sql).path("plan"), note);
    return found;
  }

  private static void visit(JsonNode node, Consumer<JsonNode> visitor) {
    visitor.accept(node);
    node.path("inputs").forEach(input -> visit(input, visitor));
  }

  private static @Nullable JsonNode find(JsonNode node, String name) {
    if (node.path("node").asText().endsWith(name)) {
      return node;
    }
    for (JsonNode input : node.path("inputs")) {
      JsonNode found = find(input, name);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private JsonNode explained(String sql) throws SQLException, IOException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return JSON.readTree(rows.getString(1));
    }
  }

  private double count(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getDouble(1);
    }
  }

  /** The q-error that a share of the estimates does not exceed. */
  public static double error(List<EstimateCheck> estimates, double share) {
    double[] errors = estimates.stream().mapToDouble(EstimateCheck::error).sorted().toArray();
    int at = (int) Math.ceil(share * errors.length) - 1;
    return errors.length == 0 ? 1 : errors[Math.clamp(at, 0, errors.length - 1)];
  }

  /** A line each, and a summary. */
  public static void print(String title, List<EstimateCheck> estimates, PrintWriter out) {
    for (EstimateCheck e : estimates) {
      String what = e.what.length() > 110 ? e.what.substring(0, 107) + "..." : e.what;
      out.printf(
          Locale.ROOT, "%-110s %12.5g %12.5g %6.2f%n", what, e.estimated, e.actual, e.error());
    }
    out.printf(
        Locale.ROOT,
        "%s: %d estimates, q-error median %.2f, 95 %% %.2f, worst %.2f%n",
        title,
        estimates.size(),
        error(estimates, 0.5),
        error(estimates, 0.95),
        error(estimates, 1));
    out.flush();
  }
}
