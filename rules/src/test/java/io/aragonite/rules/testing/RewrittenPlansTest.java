package io.aragonite.rules.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.TableScan;
import org.junit.jupiter.api.Test;

/** What is rewritten before operators are chosen, by the plans that come of it. */
class RewrittenPlansTest {
  private static final TpchPlanner PLANNER = new TpchPlanner();

  /** The quotient's expression is too large to be computed once for each of its uses. */
  @Test
  void conditionOnAKeyFiltersRowsAlthoughAnotherCannot() {
    RelNode plan =
        plan(
            """
            select * from (
              select p_brand, p_type, s, m, case m when 0 then null else s / m end as cov
              from (select p_brand, p_type, stddev_samp(p_size) as s, avg(p_size) as m
                    from part group by p_brand, p_type) as g
              where case m when 0 then 0 else s / m end > 1) as spread
            where p_type = 'ECONOMY' and cov > 1.5\
            """);
    Aggregate groups = first(plan, Aggregate.class);
    Filter rows = first(groups, Filter.class);
    assertEquals(1, all(rows, TableScan.class).size());
    assertTrue(rows.getCondition().toString().contains("ECONOMY"), RelOptUtil.toString(plan));
    assertEquals(2, all(plan, Filter.class).size(), RelOptUtil.toString(plan));
  }

  @Test
  void scalarSubqueriesOverTheSameRowsReadThemOnce() {
    RelNode plan =
        plan(
            """
            select
              case when (select count(*) from lineitem where l_quantity < 10) > 5
                then (select avg(l_extendedprice) from lineitem where l_quantity < 10)
                else (select max(l_discount) from lineitem where l_quantity < 10) end,
              (select max(l_discount) from lineitem where l_quantity < 20)
            from region\
            """);
    assertEquals(3, all(plan, TableScan.class).size(), RelOptUtil.toString(plan));
    List<Integer> calls =
        all(plan, Aggregate.class).stream()
            .map(rel -> rel.getAggCallList().size())
            .sorted()
            .toList();
    assertEquals(List.of(1, 3), calls, RelOptUtil.toString(plan)); // count, sum, max
  }

  @Test
  void scalarSubqueriesOfOtherRowsStayApart() {
    RelNode plan =
        plan(
            """
            select (select max(l_tax) from lineitem), (select max(o_orderkey) from orders),
              (select max(l_tax) from lineitem where l_orderkey = r_regionkey),
              (select count(*) from (select l_tax from lineitem limit 3))
            from region\
            """);
    assertEquals(5, all(plan, TableScan.class).size(), RelOptUtil.toString(plan));
  }

  @Test
  void falseFilterIsAnEmptyRelation() {
    for (String rows :
        List.of("(values (1), (2)) as t(x)", "(select r_regionkey as x from region) as t")) {
      String text = RelOptUtil.toString(plan("select x from " + rows + " where x = 1 and 1 = 0"));
      assertEquals(
          List.of("GpuToEnumerableConverter", "GpuValues(tuples=[[]])"),
          text.lines().map(String::strip).toList());
    }
    assertEquals(
        List.of(),
        all(
            plan(
                "select o_orderkey from orders left join (select n_nationkey from nation where 1 ="
                    + " 0) as n on o_orderkey = n_nationkey"),
            Join.class));
  }

  @Test
  void outerJoinWhoseNullsAConditionAboveRejectsIsInner() {
    String from = "select o_orderkey, c_name from orders %s join customer on o_custkey = c_custkey";
    assertEquals(
        Set.of(JoinRelType.INNER),
        types(from.formatted("left") + ", nation where c_nationkey = n_nationkey"));
    assertEquals(
        Set.of(JoinRelType.INNER),
        types(
            "select * from ("
                + from.formatted("full")
                + ") as t join part on c_name = p_name"
                + " and o_orderkey = p_partkey"));
    assertTrue(
        types(from.formatted("left") + " left join nation on c_nationkey = n_nationkey")
            .equals(Set.of(JoinRelType.LEFT)));
    assertTrue(
        types(from.formatted("left") + ", nation where coalesce(c_nationkey, 1) = n_nationkey")
            .contains(JoinRelType.LEFT));
  }

  @Test
  void leftJoinOfWhichRowsWithoutAPartnerAreKeptIsAnAntiJoin() {
    String from =
        "select c_name, o_orderkey from customer left join orders on c_custkey = o_custkey where ";
    assertEquals(Set.of(JoinRelType.ANTI), types(from + "o_custkey is null"));
    assertEquals(
        Set.of(JoinRelType.ANTI), types(from + "o_custkey is null and (o_clerk is null or 1 > 2)"));
    // Null in rows with a partner, too, as far as the condition says.
    assertEquals(
        Set.of(JoinRelType.LEFT),
        types(
            from.replace("o_orderkey from", "mod(o_orderkey, 2) from")
                + "coalesce(o_custkey, 0) = 0"));
    assertEquals(
        Set.of(JoinRelType.LEFT),
        types(from.replace("= o_custkey", "is not distinct from o_custkey") + "o_custkey is null"));
  }

  private static Set<JoinRelType> types(String sql) {
    return all(plan(sql), Join.class).stream().map(Join::getJoinType).collect(Collectors.toSet());
  }

  private static RelNode plan(String sql) {
    return PLANNER.plan(sql).physical();
  }

  private static <R extends RelNode> R first(RelNode root, Class<R> kind) {
    List<R> found = new ArrayList<>();
    root.getInputs().forEach(input -> found.addAll(all(input, kind)));
    return found.getFirst();
  }

  private static <R extends RelNode> List<R> all(RelNode root, Class<R> kind) {
    List<R> found = new ArrayList<>();
    if (kind.isInstance(root)) {
      found.add(kind.cast(root));
    }
    root.getInputs().forEach(input -> found.addAll(all(input, kind)));
    return found;
  }
}
