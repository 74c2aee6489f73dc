package io.aragonite.exec.integration.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
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
}
