package io.aragonite.exec.operator.join;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.operator.join.TransferGraph.Edge;
import io.aragonite.exec.operator.join.TransferGraph.TransferNode;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which relations of sales, their days, and the last month may filter each other. */
class TransferGraphTest {
  private static final DataType LONG = DataType.INT64.withNullable(true);
  private static final PhysicalPlan SALES = table(5000);
  private static final PhysicalPlan DAYS = table(200);
  private static final Aggregate LAST =
      new Aggregate(
          table(200),
          List.of(),
          List.of(List.of()),
          List.of(AggregateCall.of(AggregateFunction.MAX, LONG, 1)),
          false,
          List.of(LONG));

  private static PhysicalPlan table(int rows) {
    List<List<@Nullable Object>> all =
        LongStream.range(0, rows)
            .mapToObj(i -> Arrays.<@Nullable Object>asList(i / 25, i / 30))
            .toList();
    return new TestTable(List.of(ColumnShape.of(LONG), ColumnShape.of(LONG)), all, rows).scan();
  }

  private static Join join(
      PhysicalPlan left, PhysicalPlan right, JoinKey key, double build, double probe) {
    int columns = left.types().size() + right.types().size();
    return new Join(
        left,
        right,
        JoinType.INNER,
        List.of(key),
        null,
        JoinAlgorithm.NON_PARTITIONED_HASH,
        true,
        Collections.nCopies(columns, LONG),
        new JoinEstimate(build, probe, build, 1, 100, 0, "", false),
        List.of());
  }

  private static TransferNode relation(TransferGraph graph, PhysicalPlan node) {
    return graph.relations().stream()
        .filter(relation -> relation.node().equals(node))
        .findFirst()
        .orElseThrow();
  }

  /** A subquery's one row filters the days before these filter sales. */
  @Test
  void joinsTellTheRowsOfWhatIsNoTable() {
    Join ofDays = join(SALES, DAYS, new JoinKey(0, 0, false), 5000, 200);
    TransferGraph graph = new TransferGraph(join(ofDays, LAST, new JoinKey(3, 0, false), 5000, 1));
    TransferNode last = relation(graph, LAST);
    assertEquals(1, last.rows());
    assertEquals(1, last.planned());
    assertEquals(-1, last.base());
    assertEquals(200, relation(graph, DAYS).rows(), "a table has its rows");
    Edge edge = graph.edges().stream().filter(e -> e.from() == last).findFirst().orElseThrow();
    assertEquals(DAYS, edge.to().node());
    assertEquals(List.of(1), edge.toColumns());
  }
}
