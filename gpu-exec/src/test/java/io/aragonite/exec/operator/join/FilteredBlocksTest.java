package io.aragonite.exec.operator.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.operator.join.TransferGraph.Edge;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What filters read of tables: sales lie by their day, items come anyhow. */
class FilteredBlocksTest {
  private static final DataType LONG = DataType.INT64.withNullable(true);

  /** Blocks of 50 rows, two days each. */
  private static final TestTable SALES = table(5000, i -> Arrays.asList(i / 25, i * 37 % 200));

  private static final TestTable DAYS = table(200, i -> Arrays.asList(i, i));

  private static TestTable table(int rows, LongFunction<List<@Nullable Object>> row) {
    return new TestTable(
        List.of(ColumnShape.of(LONG), ColumnShape.of(LONG)),
        LongStream.range(0, rows).mapToObj(row).toList(),
        rows);
  }

  /** Of a filter of some days on a column of sales. */
  private static Edge edge(int column, double days) {
    Expr some = new Expr.InputRef(0, DataType.BOOLEAN);
    Join join =
        new Join(
            SALES.scan(),
            new PhysicalPlan.Filter(DAYS.scan(), some, days),
            JoinType.INNER,
            List.of(new JoinKey(column, 0, false)),
            null,
            JoinAlgorithm.NON_PARTITIONED_HASH,
            false,
            List.of(LONG, LONG, LONG, LONG));
    return new TransferGraph(join)
        .edges().stream()
            .filter(edge -> edge.from().node() instanceof PhysicalPlan.Filter)
            .findFirst()
            .orElseThrow();
  }

  private static double read(LongFunction<List<@Nullable Object>> key, int keys) {
    TestTable made = table(keys, key);
    try (Table.Pin pin = made.pin(List.of(0, 1))) {
      ColumnBatch rows = pin.chunks().getFirst();
      Edge edge = edge(0, keys);
      edge.from().expect(keys);
      return new FilteredBlocks().read(edge, rows);
    }
  }

  @Test
  void keysAreTakenToLieTogetherUntilTheyAreKnown() {
    assertEquals(10.0 / 200 + 0.01, new FilteredBlocks().read(edge(0, 10), null), 1e-9);
    assertEquals(1, new FilteredBlocks().read(edge(0, 200), null));
    assertEquals(1, new FilteredBlocks().read(edge(1, 10), null), "items come anyhow");
  }

  @Test
  void knownKeysAreLookedForInBlocks() {
    assertEquals(0.05, read(i -> Arrays.asList(40 + i, i), 10), "days in a row");
    assertEquals(0.1, read(i -> Arrays.asList(20 * i, i), 10), "a day here and there");
    assertEquals(
        0.01, read(i -> Arrays.asList(i == 1 ? 7L : null, i), 10), "nulls have no partner");
    assertEquals(0, read(i -> Arrays.asList(500 + i, i), 10));
    // Too many for their values: the range of all.
    assertTrue(read(i -> Arrays.asList(100 + i % 2 * 50, i), 150) >= 0.25);
  }
}
