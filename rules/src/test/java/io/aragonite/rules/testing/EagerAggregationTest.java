package io.aragonite.rules.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Join;
import org.junit.jupiter.api.Test;

/** Where the right side of a left join is grouped before the join. */
class EagerAggregationTest {
  private static final TpchPlanner PLANNER = new TpchPlanner();
  private static final String JOIN = " from customer left join orders on c_custkey = o_custkey ";

  /** The aggregates and joins of a plan, from above. */
  private static List<String> shape(String sql) {
    List<String> shape = new ArrayList<>();
    collect(PLANNER.plan(sql).physical(), shape);
    return shape;
  }

  private static void collect(RelNode rel, List<String> shape) {
    if (rel instanceof Aggregate) {
      shape.add("aggregate");
    } else if (rel instanceof Join) {
      shape.add("join");
    }
    rel.getInputs().forEach(input -> collect(input, shape));
  }

  @Test
  void groupsThatAreTheLeftRowsAreNotGroupedAgain() {
    List<String> eager = List.of("join", "aggregate");
    assertEquals(eager, shape("select c_custkey, count(o_orderkey)" + JOIN + "group by c_custkey"));
    assertEquals(
        eager,
        shape("select c_custkey, sum(o_totalprice), count(*)" + JOIN + "group by c_custkey"));
    assertEquals(
        eager, shape("select c_custkey, count(distinct o_clerk)" + JOIN + "group by c_custkey"));
  }

  @Test
  void otherGroupsAreMerged() {
    assertEquals(
        List.of("aggregate", "join", "aggregate"),
        shape("select c_nationkey, count(*), max(o_comment)" + JOIN + "group by c_nationkey"));
  }

  @Test
  void whatTheJoinDropsOrNeedsIsNotGroupedBefore() {
    List<String> lazy = List.of("aggregate", "join");
    assertEquals(
        lazy,
        shape(
            "select c_custkey, count(o_orderkey) from (select * from customer where c_custkey < 9)"
                + " c left join orders on c_custkey = o_custkey group by c_custkey"));
    assertEquals(
        lazy, shape("select c_nationkey, count(distinct o_clerk)" + JOIN + "group by c_nationkey"));
    assertEquals(
        lazy,
        shape("select c_custkey, sum(c_acctbal), count(o_orderkey)" + JOIN + "group by c_custkey"));
    assertEquals(
        lazy,
        shape("select c_custkey, sum(cast(o_orderkey as bigint))" + JOIN + "group by c_custkey"));
    assertEquals(
        lazy,
        shape(
            "select c_custkey, count(o_orderkey) from customer left join orders"
                + " on c_custkey = o_custkey and o_totalprice > c_acctbal group by c_custkey"));
  }
}
