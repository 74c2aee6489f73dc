package io.aragonite.exec.engine;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.ptx.InterpretingRunner;
import io.aragonite.exec.device.cuda.ptx.PtxExpressionCompiler;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.Dictionary;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An engine for tests, and its results as boxed rows. Closing it checks that nothing leaks. */
public final class TestEngine implements AutoCloseable {
  private final List<MemoryBudget> budgets = new ArrayList<>();
  private final List<Device> devices = new ArrayList<>();
  private final Engine engine;

  public TestEngine(int workers, int batchRows) {
    this(workers, batchRows, 1L << 30);
  }

  /**
   * @param memory bytes of the budget of its device
   */
  public TestEngine(int workers, int batchRows, long memory) {
    this(workers, batchRows, memory, TestDevices.count());
  }

  /**
   * @param memory bytes of the budget of each device
   * @param count how many devices run queries together
   */
  public TestEngine(int workers, int batchRows, long memory, int count) {
    for (int i = 0; i < count; i++) {
      MemoryBudget budget = new MemoryBudget("memory", memory);
      budgets.add(budget);
      devices.add(TestDevices.create(i, workers, budget, batchRows, 2 * batchRows));
    }
    engine =
        count == 1 ? new Engine(devices.getFirst()) : new Engine(new DeviceGroup(devices, true));
  }

  private TestEngine(Device device, MemoryBudget budget) {
    budgets.add(budget);
    devices.add(device);
    engine = new Engine(device);
  }

  /** An engine whose device runs expressions as PTX: a GPU, or a CPU that interprets them. */
  public static TestEngine withKernels(int workers, int batchRows, long memory) {
    if (TestDevices.name().equals("cuda")) {
      return new TestEngine(workers, batchRows, memory, 1);
    }
    MemoryBudget budget = new MemoryBudget("memory", memory);
    PtxExpressionCompiler compiler =
        new PtxExpressionCompiler(new InterpretingRunner(false), new CpuExpressionCompiler());
    return new TestEngine(
        new CpuDevice(workers, budget, compiler, batchRows, 2 * batchRows), budget);
  }

  /** The devices that run queries together. */
  public List<Device> devices() {
    return devices;
  }

  /** All rows of a plan, in order. */
  public List<List<@Nullable Object>> run(PhysicalPlan plan) {
    return run(plan, QueryOptions.DEFAULT);
  }

  /** All rows of a plan, in order. */
  public List<List<@Nullable Object>> run(PhysicalPlan plan, QueryOptions options) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    try (BatchResult result = engine.execute(plan, options)) {
      for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
        rows.addAll(rows(batch));
      }
    } catch (RuntimeException | Error e) {
      if (devices.size() > 1) {
        e.addSuppressed(new IllegalStateException("on " + devices.size() + " devices"));
      }
      throw e;
    } finally {
      assertReleased();
    }
    return rows;
  }

  public Engine engine() {
    return engine;
  }

  public MemoryBudget budget() {
    return budgets.getFirst();
  }

  /** The rows of a batch. */
  public static List<List<@Nullable Object>> rows(ColumnBatch batch) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < batch.rows(); i++) {
      @Nullable Object[] row = new Object[batch.columns().size()];
      for (int c = 0; c < row.length; c++) {
        row[c] = value(batch.column(c), i);
      }
      rows.add(Arrays.asList(row));
    }
    return rows;
  }

  private static @Nullable Object value(Column column, int row) {
    int i = column.rowIds() == null ? row : Mem.getInt(column.rowIds().ids().address() + 4L * row);
    if (i < 0 || (column.validity() != null && !Mem.getBit(column.validity().address(), i))) {
      return null;
    }
    long at = column.values().address();
    TypeKind kind = column.shape().type().kind();
    int scale = column.shape().type().scale();
    return switch (column.shape().storage()) {
      case NONE, HANDLE -> null;
      case BYTE ->
          kind == TypeKind.BOOLEAN
              ? (Object) (Mem.getByte(at + i) != 0)
              : integer(kind, scale, Mem.getByte(at + i));
      case SHORT -> integer(kind, scale, Mem.getShort(at + 2L * i));
      case INT -> integer(kind, scale, Mem.getInt(at + 4L * i));
      case LONG -> integer(kind, scale, Mem.getLong(at + 8L * i));
      case LONG128 -> {
        BigInteger high = BigInteger.valueOf(Mem.getLong(at + 16L * i + 8)).shiftLeft(64);
        String low = Long.toUnsignedString(Mem.getLong(at + 16L * i));
        yield new BigDecimal(high.add(new BigInteger(low)), scale);
      }
      case FLOAT -> (double) Mem.getFloat(at + 4L * i);
      case DOUBLE -> Mem.getDouble(at + 8L * i);
      case BYTES -> {
        int from = Mem.getInt(column.offsets().address() + 4L * i);
        byte[] bytes = new byte[Mem.getInt(column.offsets().address() + 4L * i + 4) - from];
        Mem.copy(at + from, bytes, 0, bytes.length);
        yield new String(bytes, StandardCharsets.UTF_8);
      }
      case CODE, CODE8, CODE16 -> {
        Dictionary dictionary = Objects.requireNonNull(column.shape().dictionary());
        yield dictionary.text(column.code(i));
      }
    };
  }

  private static Object integer(TypeKind kind, int scale, long value) {
    return kind == TypeKind.DECIMAL ? (Object) BigDecimal.valueOf(value, scale) : (Object) value;
  }

  /** How often each row occurs. */
  public static <T> Map<T, Integer> counts(List<T> rows) {
    Map<T, Integer> counts = new HashMap<>();
    rows.forEach(row -> counts.merge(row, 1, Integer::sum));
    return counts;
  }

  @Override
  public void close() {
    engine.close();
    assertReleased();
  }

  /** Asserts that no query holds memory, of the device or its host. */
  public void assertReleased() {
    budgets.forEach(MemoryLeaks::assertReleased);
    devices.forEach(device -> MemoryLeaks.assertReleased(device.host().memory()));
  }
}
