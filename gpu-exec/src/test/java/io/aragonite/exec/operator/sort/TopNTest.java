package io.aragonite.exec.operator.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What {@link TopN} leaves to be sorted; {@link SortTest} has the answers. */
class TopNTest {
  /** Too few for a worker to leave any out, too many for the host to sort them. */
  private static final int ROWS = 4000;

  private static final int LIMIT = 10;

  /** A device waits for each round of ties in texts; its host sorts few rows with one wait. */
  @Test
  void fewRowsOfADeviceAreLeft() {
    Random random = TestSeed.random(getClass());
    List<ColumnShape> shapes =
        List.of(ColumnShape.of(DataType.INT64), ColumnShape.of(DataType.VARCHAR));
    List<Long> numbers = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      numbers.add((long) random.nextInt(1000));
      texts.add("Supplier#0000" + random.nextInt(10_000));
    }
    List<SortKey> keys = List.of(new SortKey(0, true, false), new SortKey(1, false, false));
    long last =
        numbers.stream()
            .sorted((a, b) -> Long.compare(b, a))
            .skip(LIMIT - 1)
            .findFirst()
            .orElseThrow();
    CpuDevice host =
        new CpuDevice(1, new MemoryBudget("memory", 1L << 30), new CpuExpressionCompiler());
    try (DiscreteDevice device = new DiscreteDevice(new MemoryBudget("gpuMemory", 1L << 30), host);
        TestContext context = new TestContext(device)) {
      List<Column> columns =
          List.of(context.column(shapes.get(0), numbers), context.column(shapes.get(1), texts));
      TopN sink = new TopN(shapes, keys, SortWord.of(shapes, keys), LIMIT, context.memory());
      BatchConsumer worker = sink.newWorker(context);
      worker.accept(new ColumnBatch(columns, ROWS));
      worker.finish();
      sink.finish(context, Parallel.alone(context));
      List<Object> left = new ArrayList<>(context.values(sink.rows().column(0)));
      assertEquals(numbers.stream().filter(number -> number >= last).count(), left.size());
      assertTrue(left.stream().allMatch(number -> (Long) number >= last));
    }
  }
}
