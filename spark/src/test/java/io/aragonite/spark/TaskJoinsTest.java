package io.aragonite.spark;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.testing.TestSample;
import io.aragonite.spark.plan.FragmentExec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How tasks join: what is expected of a task, the algorithm that it takes, and what is told. */
class TaskJoinsTest {
  private static final TestSample SAMPLE = new TestSample(TaskJoinsTest.class);
  private static final String NO_BROADCAST = "spark.sql.autoBroadcastJoinThreshold=-1";
  private static final int BUILD_ROWS = 1500;
  private static final int PROBE_ROWS = 6000;

  private static SparkSide spark;

  @BeforeAll
  static void start() {
    spark = new SparkSide("local[2]", Map.of("spark.aragonite.memory", "1g"));
    for (String[] table :
        new String[][] {
          {"few", "select cast(id % 1400 as int) k, concat('t', id % 7) t, id n from range(0, 1500)"},
          {
            "many",
            "select if(id % 11 = 0, null, cast(id % 3000 as int)) k, concat('t', id % 7) t, id - 3000 m from range(0, 6000)"
          }
        }) {
      spark.session().sql(table[1]).repartition(3).createOrReplaceTempView(table[0]);
    }
  }

  @AfterAll
  static void stop() {
    spark.close();
  }

  private static long joins(Dataset<Row> query, String algorithm) {
    long sum = 0;
    for (FragmentExec fragment : SparkSide.fragments(query)) {
      if (fragment.metrics().contains("joins" + algorithm)) {
        sum += fragment.metrics().apply("joins" + algorithm).value();
      }
    }
    return sum;
  }

  private static void expectations(PhysicalPlan plan, List<JoinEstimate> found) {
    if (plan instanceof PhysicalPlan.Join join) {
      found.add(join.expected());
    }
    plan.inputs().forEach(input -> expectations(input, found));
  }

  /** Of the query's one join. */
  private static JoinEstimate expectation(Dataset<Row> query) {
    List<JoinEstimate> found = new ArrayList<>();
    SparkSide.fragments(query).forEach(fragment -> expectations(fragment.plan(), found));
    assertEquals(1, found.size(), found::toString);
    return found.getFirst();
  }

  @ParameterizedTest
  @ValueSource(strings = {"NPHJ", "PHJ", "PHJ_UM", "SMJ", "SMJ_UM"})
  void allAlgorithmsAreSparks(String algorithm) {
    for (String join :
        SAMPLE.some(
            List.of("join", "left join", "full join", "left semi join", "left anti join"), 0.3)) {
      boolean leftOnly = join.contains("semi") || join.contains("anti");
      String sql =
          "select a.k, a.m%s from many a %s few b on a.k = b.k and a.t = b.t and a.m < b.n"
              .formatted(leftOnly ? "" : ", b.n, b.t", join);
      Dataset<Row> query =
          spark.same(sql, NO_BROADCAST, "spark.aragonite.join=" + algorithm.toLowerCase(Locale.ROOT));
      long tasks = joins(query, algorithm);
      assertTrue(tasks > 0, sql + " has no join by " + algorithm);
      long others =
          List.of("NPHJ", "PHJ", "PHJ_UM", "SMJ", "SMJ_UM").stream()
              .mapToLong(other -> joins(query, other))
              .sum();
      assertEquals(tasks, others, sql);
    }
  }

  /** A side that is a stage has been counted. */
  @Test
  void tasksExpectTheRowsOfStages() {
    Dataset<Row> query =
        spark.same(
            "select /*+ shuffle_hash(b) */ a.m, b.n from many a join few b on a.k = b.k",
            NO_BROADCAST,
            "spark.sql.adaptive.coalescePartitions.enabled=false",
            "spark.sql.shuffle.partitions=5");
    JoinEstimate expected = requireNonNull(expectation(query));
    assertEquals(BUILD_ROWS / 5.0, expected.buildRows(), 1e-9);
    // Spark leaves out what has no key before it is sent.
    assertEquals((PROBE_ROWS - (PROBE_ROWS + 10) / 11) / 5.0, expected.probeRows(), 1e-9);
    assertEquals(5, joins(query, "NPHJ")); // few rows: nothing else pays
  }

  @Test
  void withoutAdaptiveExecutionSparksStatisticsAreExpected() {
    Dataset<Row> query =
        spark.same(
            "select /*+ shuffle_hash(b) */ a.m, b.n from many a join few b on a.k = b.k",
            NO_BROADCAST,
            "spark.sql.adaptive.enabled=false",
            "spark.sql.shuffle.partitions=4");
    JoinEstimate expected = requireNonNull(expectation(query));
    assertEquals(BUILD_ROWS / 4.0, expected.buildRows(), 1e-9);
    assertEquals(PROBE_ROWS / 4.0, expected.probeRows(), 1e-9);
  }

  /** All tasks of an executor share one hash table. */
  @Test
  void whatIsBroadcastIsHashedOnce() {
    Dataset<Row> query = spark.same("select /*+ broadcast(b) */ a.m, b.n from many a join few b on a.k = b.k");
    assertNull(expectation(query));
    assertTrue(joins(query, "NPHJ") > 0);
  }

  @Test
  void anUnknownAlgorithmNamesThoseThatThereAre() {
    Exception error =
        assertThrows(
            Exception.class,
            () ->
                spark.with(
                    List.of(NO_BROADCAST, "spark.aragonite.join=hsmj"),
                    () ->
                        spark
                            .session()
                            .sql("select a.m, b.n from many a join few b on a.k = b.k")
                            .collectAsList()));
    StringBuilder text = new StringBuilder();
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      text.append(cause.getMessage()).append('\n');
    }
    assertTrue(
        text.toString()
            .contains(
                "spark.aragonite.join is 'hsmj'; it can be auto, nphj, phj, phj_um, smj, smj_um."),
        text::toString);
  }

  /** Nobody asks for it: a table that no cache holds, which each probe row would visit for itself. */
  @Test
  void aLargeBuildSideIsPartitioned() {
    String rows =
        "select sum(a.v + b.c0), sum(b.c1 + b.c2), max(b.c3 - b.c4), min(b.c5), max(b.c6), count(*) from "
            + "(select id * 7919 %% 4000037 k, id v from range(%d)) a join (select id * 7919 %% 4000037 k, id c0, id + 1 c1, "
            + "id + 2 c2, id + 3 c3, id * 4 c4, id + 5 c5, id + 6 c6 from range(%d)) b on a.k = b.k";
    String large = rows.formatted(600_000, 300_000);
    String[] settings = {NO_BROADCAST, "spark.sql.shuffle.partitions=1"};
    // Where it is asked for its loops are compiled, which the first join that chooses it waits for.
    spark.same(large, NO_BROADCAST, "spark.sql.shuffle.partitions=1", "spark.aragonite.join=phj");
    Dataset<Row> chosen = spark.same(large, settings);
    assertEquals(List.of(1L, 0L), List.of(joins(chosen, "PHJ"), joins(chosen, "NPHJ")));
    Dataset<Row> small = spark.same(rows.formatted(8_000, 4_000), settings);
    assertEquals(List.of(0L, 1L), List.of(joins(small, "PHJ"), joins(small, "NPHJ")));
  }
}
