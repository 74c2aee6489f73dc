package io.aragonite.exec.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Results of a device that does at once what the host's memory does not hold: they leave in pieces,
 * as they are asked for.
 */
@Timeout(60)
class ResultPiecesTest {
  /** Of the host, which results fill many times over. */
  private static final long LITTLE = 6_000_000;

  private static final DataType TEXT = DataType.VARCHAR.withNullable(true);

  private final MemoryBudget host = new MemoryBudget("memory", LITTLE);
  private final MemoryBudget device = new MemoryBudget("memory", 1 << 28);

  private Engine engine(int batchRows) {
    CpuDevice beside = new CpuDevice(1, host, new CpuExpressionCompiler(), batchRows, batchRows);
    return new Engine(new DiscreteDevice(device, beside));
  }

  /** As large as the device makes it, which is all that there is. */
  @Test
  void aBatchLeavesInPieces() {
    int count = 200_000;
    List<List<@Nullable Object>> rows =
        LongStream.range(0, count).mapToObj(ResultPiecesTest::row).toList();
    ColumnShape number = ColumnShape.of(DataType.INT64);
    List<ColumnShape> shapes = List.of(number, ColumnShape.of(TEXT), number, number, number);
    PhysicalPlan scan = new TestTable(shapes, rows, 1 << 18).scan();
    try (Engine engine = engine(1 << 19);
        BatchResult result = engine.execute(scan, QueryOptions.DEFAULT)) {
      long next = 0;
      int pieces = 0;
      for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
        for (List<@Nullable Object> row : TestEngine.rows(batch)) {
          assertEquals(row(next), row);
          next++;
        }
        pieces++;
      }
      assertEquals(count, next);
      assertTrue(pieces > 5, pieces + " pieces");
    }
    nothingIsLeft();
  }

  private static List<@Nullable Object> row(long number) {
    String text = number % 100 == 0 ? "number " + number : null;
    return Arrays.asList(number, text, 3 * number, 5 * number, 7 * number);
  }

  /** More pairs than a hundred batches have, of a join that nothing collects. */
  @Test
  void pairsLeaveInPieces() {
    pairs(JoinAlgorithm.NON_PARTITIONED_HASH, JoinType.INNER);
  }

  /** The same of joins over sorted pieces of their sides. */
  @Test
  void pairsOfMergesLeaveInPieces() {
    pairs(JoinAlgorithm.HOST_SORT_MERGE, JoinType.INNER);
    pairs(JoinAlgorithm.HOST_SORT_MERGE, JoinType.FULL);
  }

  private void pairs(JoinAlgorithm algorithm, JoinType type) {
    int count = 3000;
    TestTable table =
        new TestTable(
            List.of(ColumnShape.of(DataType.INT64)),
            Collections.nCopies(count, List.of(7L)),
            1 << 12);
    DataType key = DataType.INT64.withNullable(type == JoinType.FULL);
    Join join =
        new Join(
            table.scan(),
            table.scan(),
            type,
            List.of(new JoinKey(0, 0, false)),
            null,
            algorithm,
            false,
            List.of(key, key));
    try (Engine engine = engine(1 << 15);
        BatchResult result = engine.execute(join, QueryOptions.DEFAULT)) {
      long pairs = 0;
      for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
        pairs += batch.rows();
      }
      assertEquals((long) count * count, pairs);
    }
    nothingIsLeft();
  }

  private void nothingIsLeft() {
    MemoryLeaks.assertReleased(host);
    MemoryLeaks.assertReleased(device);
  }
}
