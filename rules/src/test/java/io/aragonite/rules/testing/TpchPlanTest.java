package io.aragonite.rules.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.rules.rel.GpuJoin;
import io.aragonite.rules.rel.GpuRelImplementor;
import io.aragonite.rules.rel.GpuToEnumerableConverter;
import io.aragonite.tpch.TpchQuery;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.sql.SqlExplainLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The plans of the 22 TPC-H queries at scale 1 against stored ones. After a wanted change write
 * them anew with {@code JAVA_TOOL_OPTIONS=-Daragonite.plans=<folder of the stored plans>} and look
 * at the difference.
 */
class TpchPlanTest {
  private static final TpchPlanner PLANNER = new TpchPlanner();
  private static final int WARM_RUNS = 3;
  private static final int MANY = 40;
  private static final String WRITE_TO = System.getProperty("aragonite.plans", "");

  @ParameterizedTest
  @MethodSource("io.aragonite.tpch.TpchQuery#all")
  void planIsTheStoredOne(TpchQuery query) throws IOException {
    long start = cpuNanos();
    TpchPlanner.PlannedQuery plan = PLANNER.plan(query.sql());
    double first = (cpuNanos() - start) / 1e6;
    double best = Double.MAX_VALUE;
    for (int i = 0; i < WARM_RUNS; i++) {
      start = cpuNanos();
      PLANNER.plan(query.sql());
      best = Math.min(best, (cpuNanos() - start) / 1e6);
    }
    System.out.printf("%s planned in %.0f ms of CPU, warm in %.0f ms%n", query, first, best);
    assertEquals(List.of(), plan.reasons().fallbacks());
    assertEquals(GpuToEnumerableConverter.class, plan.physical().getClass());
    assertNoCrossJoin(plan.physical());
    GpuRelImplementor.query(plan.physical().getInput(0));
    String text = RelOptUtil.toString(plan.physical(), SqlExplainLevel.EXPPLAN_ATTRIBUTES);
    String name = "q" + query.number() + ".txt";
    if (!WRITE_TO.isEmpty()) {
      Files.createDirectories(Path.of(WRITE_TO));
      Files.writeString(Path.of(WRITE_TO, name), text);
    }
    try (InputStream stored = TpchPlanTest.class.getResourceAsStream("plans/" + name)) {
      assertTrue(stored != null, "no stored plan " + name);
      assertEquals(new String(stored.readAllBytes(), StandardCharsets.UTF_8), text);
    }
  }

  /** Time of this thread, since a build machine may be busy with other things. */
  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static void assertNoCrossJoin(RelNode rel) {
    if (rel instanceof GpuJoin join && join.algorithm() == JoinAlgorithm.NESTED_LOOP) {
      // A scalar subquery is a single row.
      double rows = join.getCluster().getMetadataQuery().getRowCount(join.getRight());
      assertEquals(1, rows, () -> "a cross join: " + join);
    }
    rel.getInputs().forEach(TpchPlanTest::assertNoCrossJoin);
  }

  @Test
  void planningIsSafeForSeveralThreads() throws Exception {
    List<TpchQuery> queries = List.of(TpchQuery.of(3), TpchQuery.of(5), TpchQuery.of(16));
    List<String> expected = queries.stream().map(TpchPlanTest::text).toList();
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Callable<List<String>>> tasks =
          java.util.Collections.nCopies(4, () -> queries.stream().map(TpchPlanTest::text).toList());
      for (var result : threads.invokeAll(tasks)) {
        assertEquals(expected, result.get());
      }
    }
  }

  @Test
  void manyJoinsArePlannedGreedily() {
    StringBuilder from = new StringBuilder("select count(*) from nation n0");
    for (int i = 1; i < MANY; i++) {
      from.append(
          " join nation n%d on n%d.n_nationkey = n%d.n_nationkey".formatted(i, i, (i - 1) / 2));
    }
    TpchPlanner.PlannedQuery plan = PLANNER.plan(from.toString());
    assertEquals(List.of(), plan.reasons().fallbacks());
    assertNoCrossJoin(plan.physical());
  }

  /** Fewer groups are worth a semi-join where few parts are wanted, and not where most are. */
  @Test
  void groupsAreReducedWhereThatIsCheaper() {
    String parts =
        "select count(*) from part join (select l_partkey, avg(l_quantity) as a from lineitem"
            + " group by l_partkey) as g on p_partkey = l_partkey where a > 10 and ";
    String few = parts + "p_brand = 'Brand#23' and p_container = 'MED BOX'";
    assertEquals(1, semiJoins(PLANNER.plan(few).physical()));
    String most = parts + "p_size > 5";
    assertEquals(0, semiJoins(PLANNER.plan(most).physical()));
    // Suppliers' groups lie in the cache: a semi-join looks as much up and spares little.
    String suppliers =
        "select count(*) from supplier join (select l_suppkey, avg(l_quantity) as a from lineitem"
            + " group by l_suppkey) as g on s_suppkey = l_suppkey where a > 10 and s_nationkey <"
            + " 14";
    assertEquals(0, semiJoins(PLANNER.plan(suppliers).physical()));
  }

  /** An expression of columns that a key determines needs no place in GROUP BY. */
  @Test
  void expressionsOfDeterminedColumnsAreNoKeys() {
    String grouped =
        "select p_partkey, substring(p_name, 1, 30), l_shipdate, count(*) from part join lineitem"
            + " on p_partkey = l_partkey group by p_partkey, substring(p_name, 1, 30), l_shipdate";
    String plan = physical(grouped);
    assertTrue(plan.matches("(?s).*GpuAggregate\\(group=\\[\\{\\d, \\d}].*"), plan);
    // One part has several dates.
    String dates =
        "select p_partkey, l_shipdate + interval '1' day, count(*) from part join lineitem on"
            + " p_partkey = l_partkey group by p_partkey, l_shipdate + interval '1' day";
    String kept = physical(dates);
    assertTrue(kept.matches("(?s).*GpuAggregate\\(group=\\[\\{\\d, \\d}].*"), kept);
  }

  @Test
  void branchesThatAConditionRulesOutAreGone() {
    String plan =
        physical(
            "select k, c from (select 'n' as o, n_regionkey as k, count(*) as c from nation group"
                + " by n_regionkey union all select 'r', r_regionkey, count(*) from region group"
                + " by r_regionkey) as t where o = 'r'");
    assertTrue(plan.contains("region"), plan);
    assertTrue(!plan.contains("nation") && !plan.contains("Union"), plan);
  }

  private static String physical(String sql) {
    return RelOptUtil.toString(PLANNER.plan(sql).physical(), SqlExplainLevel.EXPPLAN_ATTRIBUTES);
  }

  private static long semiJoins(RelNode rel) {
    boolean here = rel instanceof GpuJoin join && join.getJoinType() == JoinRelType.SEMI;
    return (here ? 1 : 0) + rel.getInputs().stream().mapToLong(TpchPlanTest::semiJoins).sum();
  }

  private static String text(TpchQuery query) {
    return physical(query.sql());
  }
}
