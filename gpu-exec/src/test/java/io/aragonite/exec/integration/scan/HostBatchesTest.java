package io.aragonite.exec.integration.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.codegen.ColumnWriter;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.HostObjects;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Batches that the host hands over. */
class HostBatchesTest {
  private static final List<DataType> TYPES =
      List.of(DataType.INT64, DataType.VARCHAR.withNullable(true));
  private static final PhysicalPlan INPUT =
      new PhysicalPlan.BatchInput(
          new Expr.Parameter(0, DataType.of(TypeKind.OPAQUE, false)), TYPES);

  /** Batches of 1, 2, 3 ... rows until there are so many. */
  private static final class Batches implements BatchSource, BatchSource.BatchReader {
    private final int count;
    private int opened;
    private int closed;
    private int batch;
    private int given;

    Batches(int count) {
      this.count = count;
    }

    static List<@Nullable Object> row(long i) {
      return Arrays.asList(i, i % 5 == 3 ? null : "t" + i);
    }

    @Override
    public BatchReader open() {
      opened++;
      return this;
    }

    @Override
    public @Nullable ColumnBatch next(QueryMemory memory, int wanted) {
      int rows = Math.min(Math.min(++batch, wanted), count - given);
      if (rows == 0) {
        return null;
      }
      List<Column> columns = new ArrayList<>();
      for (int c = 0; c < TYPES.size(); c++) {
        ColumnWriter writer =
            new ColumnWriter(ColumnShape.of(TYPES.get(c)), rows, memory, new HostObjects());
        for (int i = 0; i < rows; i++) {
          writer.add(row(given + i).get(c));
        }
        columns.add(writer.finish());
      }
      given += rows;
      return new ColumnBatch(columns, rows);
    }

    @Override
    public void close() {
      closed++;
    }
  }

  /** Numbers that the reader keeps, each batch where the one before was, and texts as codes. */
  private static final class OwnedBatches implements BatchSource, BatchSource.BatchReader {
    private static final int ROWS = 64;
    private static final List<String> TEXTS = List.of("", "a", "bc");

    private final MemoryBudget budget = new MemoryBudget("reader", 1 << 20);
    private final QueryMemory own = new NativeQueryMemory(budget, 0);
    private final Buffer numbers = own.allocate(8L * ROWS);
    private final ColumnShape coded;
    private int given;

    OwnedBatches() {
      Dictionary dictionary =
          new Dictionary(
              TEXTS.stream()
                  .map(text -> text.getBytes(StandardCharsets.UTF_8))
                  .toArray(byte[][]::new));
      coded = new ColumnShape(TYPES.get(1), Storage.CODE8, true, dictionary, null);
    }

    static List<@Nullable Object> row(long i) {
      return Arrays.asList(i * 7919 % 1000, i % 5 == 3 ? null : TEXTS.get((int) i % 3));
    }

    @Override
    public BatchReader open() {
      return this;
    }

    @Override
    public List<ColumnShape> shapes(List<DataType> types) {
      return List.of(ColumnShape.of(types.get(0)), coded);
    }

    @Override
    public @Nullable ColumnBatch next(QueryMemory memory, int wanted) {
      Mem.fill(numbers.address(), numbers.size(), (byte) -1);
      if (given == 10 * ROWS) {
        return null;
      }
      Buffer codes = memory.allocate(ROWS);
      Buffer validity = memory.allocate(ROWS / Byte.SIZE);
      Mem.putLong(validity.address(), -1);
      for (int i = 0; i < ROWS; i++) {
        List<@Nullable Object> row = row(given + i);
        Mem.putLong(numbers.address() + 8L * i, (Long) Objects.requireNonNull(row.get(0)));
        Object text = row.get(1);
        Mem.putByte(codes.address() + i, (byte) (text == null ? 0 : TEXTS.indexOf(text)));
        if (text == null) {
          Mem.putLong(validity.address(), Mem.getLong(validity.address()) & ~(1L << i));
        }
      }
      given += ROWS;
      ColumnShape number = ColumnShape.of(TYPES.get(0));
      return new ColumnBatch(
          List.of(
              new Column(number, ROWS, numbers, Buffer.EMPTY, null, null),
              new Column(coded, ROWS, codes, Buffer.EMPTY, validity, null)),
          ROWS);
    }

    @Override
    public boolean owns(int column) {
      return column == 0;
    }

    @Override
    public void close() {
      Mem.fill(numbers.address(), numbers.size(), (byte) -1);
    }
  }

  private static QueryOptions options(Object parameter, int workers) {
    return new QueryOptions(List.of(parameter), workers, 0, null);
  }

  @Test
  void allRowsComeInTheirOrder() {
    for (int count : new int[] {0, 1, 100, 5000}) {
      List<List<@Nullable Object>> expected = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        expected.add(Batches.row(i));
      }
      Batches source = new Batches(count);
      try (TestEngine engine = new TestEngine(1, 64)) {
        assertEquals(expected, engine.run(INPUT, options(source, 1)));
      }
      assertEquals(1, source.opened);
      assertEquals(1, source.closed);
    }
  }

  /**
   * What keeps rows copies those that are the reader's, on a device with memory of its own, too.
   */
  @Test
  void columnsMayBeTheReadersAndCodes() {
    Expr some =
        Expr.call(
            Op.NE,
            DataType.BOOLEAN,
            Expr.ref(1, TYPES.get(1)),
            Expr.literal("bc", DataType.VARCHAR));
    PhysicalPlan plan =
        new PhysicalPlan.Sort(
            new PhysicalPlan.Filter(INPUT, some),
            List.of(new SortKey(0, false, false)),
            null,
            null);
    List<List<@Nullable Object>> expected = new ArrayList<>();
    for (int i = 0; i < 10 * OwnedBatches.ROWS; i++) {
      List<@Nullable Object> row = OwnedBatches.row(i);
      if (row.get(1) != null && !Objects.equals(row.get(1), "bc")) {
        expected.add(row);
      }
    }
    expected.sort(Comparator.comparing(row -> (Long) Objects.requireNonNull(row.get(0))));
    OwnedBatches source = new OwnedBatches();
    try (TestEngine engine = new TestEngine(1, 64)) {
      assertEquals(expected, engine.run(plan, options(source, 1)));
    }
    OwnedBatches again = new OwnedBatches();
    MemoryBudget host = new MemoryBudget("memory", 1 << 28);
    MemoryBudget memory = new MemoryBudget("gpuMemory", 1 << 28);
    try (Engine engine =
        new Engine(
            new DiscreteDevice(
                memory, new CpuDevice(1, host, new CpuExpressionCompiler(), 64, 128)))) {
      List<List<@Nullable Object>> rows = new ArrayList<>();
      try (BatchResult result = engine.execute(plan, options(again, 1))) {
        for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
          rows.addAll(TestEngine.rows(batch));
        }
      }
      assertEquals(expected, rows);
      assertEquals(0, memory.used() - memory.cached());
    }
    source.own.close();
    again.own.close();
  }

  @Test
  void plansOverBatchesAreSerialized() throws IOException, ClassNotFoundException {
    Expr small =
        Expr.call(
            Op.LT,
            DataType.BOOLEAN,
            Expr.ref(0, DataType.INT64),
            Expr.literal(1000L, DataType.INT64));
    PhysicalPlan plan =
        new PhysicalPlan.Sort(
            new PhysicalPlan.Filter(INPUT, small),
            List.of(new SortKey(0, true, false)),
            null,
            Expr.literal(3L, DataType.INT64));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(plan);
    }
    PhysicalPlan read;
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      read = (PhysicalPlan) in.readObject();
    }
    assertEquals(plan, read);
    try (TestEngine engine = new TestEngine(2, 64)) {
      assertEquals(
          List.of(Batches.row(999), Batches.row(998), Batches.row(997)),
          engine.run(read, options(new Batches(5000), 0)));
    }
  }

  @Test
  void whoNeedsFewRowsReadsFewBatches() {
    PhysicalPlan plan =
        new PhysicalPlan.Sort(INPUT, List.of(), null, Expr.literal(4L, DataType.INT64));
    Batches source = new Batches(100_000);
    try (TestEngine engine = new TestEngine(1, 64)) {
      assertEquals(4, engine.run(plan, options(source, 1)).size());
    }
    assertTrue(source.given < 1000, source.given + " rows were read");
    assertEquals(1, source.closed);
  }

  @Test
  void aParameterThatIsNoSourceIsADefect() {
    try (TestEngine engine = new TestEngine(1, 64)) {
      AragoniteException e =
          assertThrows(AragoniteException.class, () -> engine.run(INPUT, options("batches", 1)));
      assertEquals(ErrorCode.INTERNAL, e.code());
    }
  }
}
