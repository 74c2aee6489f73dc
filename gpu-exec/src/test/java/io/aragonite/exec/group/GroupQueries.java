package io.aragonite.exec.group;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.FailingBudget;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Columns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Tables, plans and devices of tests of groups of devices. */
public final class GroupQueries {
  public static final DataType NUMBER = DataType.INT64.withNullable(true);
  public static final DataType TEXT = DataType.VARCHAR.withNullable(true);

  private GroupQueries() {}

  /** Rows (number, text), every seventh of nulls. */
  public static TestTable table(Random random, int rows, int distinct) {
    List<List<@Nullable Object>> values = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      boolean none = random.nextInt(7) == 0;
      values.add(
          Arrays.asList(
              none ? null : (Object) (long) random.nextInt(distinct),
              random.nextInt(7) == 0 ? null : "text " + random.nextInt(1000)));
    }
    return new TestTable(List.of(ColumnShape.of(NUMBER), ColumnShape.of(TEXT)), values, 640);
  }

  public static Join join(PhysicalPlan left, PhysicalPlan right, JoinType type) {
    List<DataType> types = new ArrayList<>(left.types());
    if (!type.leftOnly()) {
      types.addAll(right.types());
    }
    return new Join(
        left,
        right,
        type,
        List.of(new JoinKey(0, 0, false)),
        null,
        JoinAlgorithm.PARTITIONED_HASH,
        false,
        types);
  }

  public static Aggregate count(PhysicalPlan input) {
    return new Aggregate(
        input,
        List.of(),
        List.of(List.of()),
        List.of(AggregateCall.of(AggregateFunction.COUNT, DataType.INT64)),
        false,
        List.of(DataType.INT64));
  }

  /** The engine over fakes whatever the tests' device is, so that one of them can fail. */
  public static List<DiscreteDevice> fakes(int count, long bytes) {
    List<DiscreteDevice> fakes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      fakes.add(
          new DiscreteDevice(
              i,
              new FailingBudget("memory", bytes),
              new CpuDevice(1, new MemoryBudget("memory", 64 << 20), new CpuExpressionCompiler())));
    }
    return fakes;
  }

  public static List<List<@Nullable Object>> rows(BatchResult result) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
      rows.addAll(Columns.rows(batch));
    }
    return rows;
  }

  public static void assertReleased(Device device) {
    MemoryLeaks.assertReleased(device.memory());
    MemoryLeaks.assertReleased(device.host().memory());
  }
}
