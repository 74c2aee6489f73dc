package io.aragonite.exec.integration.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The choice of an algorithm when the build side's rows are known. */
final class JoinChoiceTest {
  private static final int ROWS = 1000;

  private static Join join(JoinAlgorithm planned, @Nullable JoinEstimate expected) {
    List<ColumnShape> shapes = List.of(ColumnShape.of(DataType.INT64));
    List<List<@Nullable Object>> rows =
        LongStream.range(0, ROWS).mapToObj(i -> List.<@Nullable Object>of(i)).toList();
    TestTable table = new TestTable(shapes, rows, 256);
    return new Join(
        table.scan(),
        table.scan(),
        JoinType.INNER,
        List.of(new JoinKey(0, 0, false)),
        null,
        planned,
        false,
        List.of(DataType.INT64, DataType.INT64),
        expected);
  }

  private static JoinEstimate expecting(double buildRows) {
    return new JoinEstimate(buildRows, ROWS, buildRows, 1, ROWS, 0, "", false);
  }

  private static QueryMetrics.NodeMetrics run(Join join) {
    // One device: several have a part of the estimate each.
    try (TestEngine engine = new TestEngine(2, 256, 1L << 30, 1)) {
      assertEquals(ROWS, engine.run(join).size());
      try (BatchResult result = engine.engine().execute(join, QueryOptions.DEFAULT)) {
        while (result.next() != null) {
          continue;
        }
        return result.metrics().node(join);
      }
    }
  }

  @Test
  void aSmallBuildSideThatWasExpectedToBeLargeIsNotPartitioned() {
    for (JoinAlgorithm planned :
        List.of(JoinAlgorithm.PARTITIONED_HASH, JoinAlgorithm.SORT_MERGE)) {
      QueryMetrics.NodeMetrics node = run(join(planned, expecting(1e9)));
      assertTrue(
          node.note.startsWith(
              "switched at run time: 1,000,000,000 build rows were expected, 1,000 came; hash, "),
          node.note);
      assertFalse(node.figures.containsKey("partitions"), node.figures::toString);
    }
  }

  @Test
  void whatWasPlannedWellStays() {
    QueryMetrics.NodeMetrics node = run(join(JoinAlgorithm.NON_PARTITIONED_HASH, expecting(ROWS)));
    assertEquals("", node.note);
  }

  @Test
  void withoutExpectationsThePlanIsObeyed() {
    QueryMetrics.NodeMetrics node = run(join(JoinAlgorithm.PARTITIONED_HASH, null));
    assertEquals("", node.note);
    assertTrue(node.figures.containsKey("partitions"), node.figures::toString);
  }

  private static final DataType TEXT = DataType.VARCHAR.withNullable(true);
  private static final DataType LONG = DataType.INT64.withNullable(true);

  /** Key and text of each row; keys repeat, some are null. */
  private static TestTable pairs(int count, int keys, Random random) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      @Nullable Object key = random.nextInt(10) == 0 ? null : (Object) (long) random.nextInt(keys);
      rows.add(Arrays.asList(key, random.nextInt(10) == 0 ? null : "row " + i));
    }
    List<ColumnShape> shapes =
        List.of(ColumnShape.of(LONG).withMayBeNull(true), ColumnShape.of(TEXT).withMayBeNull(true));
    return new TestTable(shapes, rows, 256);
  }

  /** A build side of some thousand rows, as a filter leaves them, with a probe side. */
  private static Join lopsided(
      TestTable few,
      TestTable many,
      JoinType type,
      List<JoinKey> keys,
      boolean buildLeft,
      boolean residual,
      @Nullable JoinEstimate expected) {
    Expr notFirst =
        Expr.call(
            Op.IS_NOT_FALSE,
            DataType.BOOLEAN,
            Expr.call(
                Op.NE,
                DataType.BOOLEAN.withNullable(true),
                Expr.ref(0, LONG),
                new Expr.Literal(0L, DataType.INT64)));
    PhysicalPlan filtered = new PhysicalPlan.Filter(many.scan(), notFirst);
    Expr differ =
        Expr.call(Op.NE, DataType.BOOLEAN.withNullable(true), Expr.ref(1, TEXT), Expr.ref(3, TEXT));
    return new Join(
        buildLeft ? filtered : few.scan(),
        buildLeft ? few.scan() : filtered,
        type,
        keys,
        residual ? differ : null,
        JoinAlgorithm.NON_PARTITIONED_HASH,
        buildLeft,
        List.of(LONG, TEXT, LONG, TEXT),
        expected);
  }

  private static List<String> rows(TestEngine engine, Join join) {
    return engine.run(join).stream().map(String::valueOf).sorted().toList();
  }

  private static String note(TestEngine engine, Join join) {
    try (BatchResult result = engine.engine().execute(join, QueryOptions.DEFAULT)) {
      while (result.next() != null) {
        continue;
      }
      return result.metrics().node(join).note;
    }
  }

  @Test
  void aBuildSideFarLargerThanTheOtherIsProbed() {
    Random random = TestSeed.random(JoinChoiceTest.class);
    List<List<JoinKey>> all =
        List.of(
            List.of(new JoinKey(0, 0, false)),
            List.of(new JoinKey(0, 0, true)),
            List.of(new JoinKey(1, 1, false)),
            List.of(new JoinKey(0, 0, false), new JoinKey(1, 1, true)));
    try (TestEngine engine = new TestEngine(2, 256, 1L << 30, 1)) {
      for (int few : new int[] {0, 1, 50}) {
        for (List<JoinKey> keys : all) {
          for (boolean left : new boolean[] {false, true}) {
            boolean residual = random.nextBoolean();
            TestTable small = pairs(few, 40, random);
            TestTable large = pairs(9_000, 400, random);
            Join planned =
                lopsided(small, large, JoinType.INNER, keys, left, residual, expecting(10));
            Join obeyed = lopsided(small, large, JoinType.INNER, keys, left, residual, null);
            assertEquals(rows(engine, obeyed), rows(engine, planned), planned::toString);
            String note = note(engine, planned);
            assertTrue(
                note.startsWith("build sides swapped at run time: ")
                    && note.endsWith("of the other side come at most " + few),
                note);
          }
        }
      }
    }
  }

  @Test
  void sidesAreNotExchangedWhereThatCannotPayOrMarksAreNeeded() {
    Random random = TestSeed.random(JoinChoiceTest.class);
    TestTable small = pairs(50, 40, random);
    TestTable large = pairs(9_000, 400, random);
    List<JoinKey> key = List.of(new JoinKey(0, 0, false));
    try (TestEngine engine = new TestEngine(2, 256, 1L << 30, 1)) {
      for (JoinType type : List.of(JoinType.LEFT, JoinType.RIGHT, JoinType.FULL)) {
        assertEquals(
            "", note(engine, lopsided(small, large, type, key, false, false, expecting(10))));
      }
      TestTable alike = pairs(8_000, 400, random);
      JoinType inner = JoinType.INNER;
      assertEquals(
          "", note(engine, lopsided(alike, large, inner, key, false, false, expecting(10))));
      JoinEstimate settled = expecting(10).settle();
      assertEquals("", note(engine, lopsided(small, large, inner, key, false, false, settled)));
    }
  }
}
