package io.aragonite.exec.integration.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Filter;
import io.aragonite.exec.plan.PhysicalPlan.Project;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.TestTable;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What one device alone does behind the last exchange is the host's if few rows have come. */
@Timeout(120)
class LastExchangeTest {
  private static final String EVERYWHERE = "aragonite.exchange.replicate";
  private static final String ON_HOST = "aragonite.exchange.host";
  private static final int[] COUNTS = {2, 3, 4, 8};
  private static final DataType TEXT = DataType.VARCHAR.withNullable(true);
  private static final DataType MONEY = DataType.decimal(38, 2, true);
  private static final DataType NUMBER = DataType.INT64.withNullable(true);

  @BeforeEach
  void spreadAllTables() {
    System.setProperty(EVERYWHERE, "0");
  }

  @AfterEach
  void clear() {
    System.clearProperty(EVERYWHERE);
    System.clearProperty(ON_HOST);
  }

  /** Whatever the tests' device is: a device with memory of its own, and the third out of reach. */
  private static List<DiscreteDevice> devices(int count) {
    List<DiscreteDevice> devices = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      devices.add(
          new DiscreteDevice(
              i,
              new MemoryBudget("memory", 64 << 20),
              new CpuDevice(1, new MemoryBudget("memory", 64 << 20), new CpuExpressionCompiler())));
    }
    return devices;
  }

  /** Rows (text of a dictionary, text, money of 128 bits, number), some of each null. */
  private static TestTable table(long seed, int rows) {
    Random random = new Random(seed);
    byte[][] texts = new byte[30][];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = "key %02d".formatted(i).getBytes(UTF_8);
    }
    Dictionary dictionary = new Dictionary(texts);
    List<List<@Nullable Object>> values = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      values.add(
          Arrays.asList(
              some(random, new String(texts[random.nextInt(texts.length)], UTF_8)),
              some(random, "text " + random.nextInt(1000)),
              some(random, new BigInteger(100, random).subtract(BigInteger.ONE.shiftLeft(99))),
              some(random, (long) random.nextInt(1000))));
    }
    return new TestTable(
        List.of(
            new ColumnShape(TEXT, Storage.CODE, true, dictionary, null),
            ColumnShape.of(TEXT),
            ColumnShape.of(MONEY),
            ColumnShape.of(NUMBER)),
        values,
        640);
  }

  private static @Nullable Object some(Random random, Object value) {
    return random.nextInt(7) == 0 ? null : value;
  }

  private static Aggregate byKey(PhysicalPlan input) {
    return new Aggregate(
        input,
        List.of(0),
        List.of(List.of(0)),
        List.of(
            AggregateCall.of(AggregateFunction.MIN, TEXT, 1),
            AggregateCall.of(AggregateFunction.SUM, MONEY, 2),
            AggregateCall.of(AggregateFunction.MAX, NUMBER, 3),
            AggregateCall.of(AggregateFunction.COUNT, DataType.INT64)),
        false,
        List.of(TEXT, TEXT, MONEY, NUMBER, DataType.INT64),
        31);
  }

  /** With a function that only the host has. */
  private static Project projected(PhysicalPlan input) {
    return new Project(
        input,
        List.of(
            new Expr.HostFunctionCall(
                "reversed",
                arguments -> {
                  Object text = arguments[0];
                  return text == null
                      ? null
                      : new StringBuilder((String) text).reverse().toString();
                },
                List.of(Expr.ref(1, TEXT)),
                true,
                TEXT),
            Expr.ref(0, TEXT),
            Expr.ref(2, MONEY),
            Expr.call(Op.PLUS, NUMBER, Expr.ref(3, NUMBER), Expr.literal(1L, DataType.INT64)),
            Expr.ref(4, DataType.INT64)));
  }

  private static Sort sorted(PhysicalPlan input, long fetch) {
    return new Sort(
        input,
        List.of(new SortKey(1, true, false)),
        Expr.literal(2L, DataType.INT64),
        Expr.literal(fetch, DataType.INT64));
  }

  private static List<List<@Nullable Object>> expected(PhysicalPlan plan) {
    try (TestEngine engine = new TestEngine(1, 1024, 64 << 20, 1)) {
      return engine.run(plan);
    }
  }

  /** The rows of a plan, and what is said of some of its nodes. */
  private record Ran(List<List<@Nullable Object>> rows, List<String> notes) {}

  private static Ran run(List<DiscreteDevice> devices, PhysicalPlan plan, PhysicalPlan... nodes) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    List<String> notes;
    try (Engine engine = new Engine(new DeviceGroup(devices, true))) {
      try (BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
        for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
          rows.addAll(TestEngine.rows(batch));
        }
        notes = Arrays.stream(nodes).map(node -> result.metrics().node(node).note).toList();
      }
      assertReleased(devices);
    }
    return new Ran(rows, notes);
  }

  private static void assertReleased(List<DiscreteDevice> devices) {
    for (DiscreteDevice device : devices) {
      MemoryLeaks.assertReleased(device.memory());
      MemoryLeaks.assertReleased(device.host().memory());
    }
  }

  @Test
  void fewRowsEndOnTheHost() {
    Aggregate groups = byKey(table(1, 5000).scan());
    Project project = projected(groups);
    Sort sort = sorted(project, 20);
    List<List<@Nullable Object>> expected = expected(sort);
    assertEquals(20, expected.size());
    for (int count : COUNTS) {
      Ran ran = run(devices(count), sort, sort, project, groups);
      assertEquals(expected, ran.rows, count + " devices");
      // 30 keys and null, on each.
      String note = "on the host, over %d rows".formatted(31 * count);
      assertEquals(List.of(note, note, note), ran.notes);
    }
  }

  /** Whether all devices have few rows, or some, or none. */
  @Test
  void rowsOfSomeDevicesAreTooMany() {
    Aggregate groups = byKey(table(2, 400).scan());
    Sort sort = sorted(projected(groups), 100);
    List<List<@Nullable Object>> expected = expected(sort);
    int onHost = 0;
    int most = 31;
    for (int rows = 0; rows <= most; rows++) {
      System.setProperty(ON_HOST, Integer.toString(rows));
      Ran ran = run(devices(4), sort, groups);
      assertEquals(expected, ran.rows, rows + " rows");
      onHost += ran.notes.getFirst().startsWith("on the host") ? 1 : 0;
    }
    assertTrue(onHost > 0 && onHost < most, onHost + " times");
  }

  @Test
  void noRows() {
    Filter none =
        new Filter(
            table(3, 3000).scan(),
            Expr.call(
                Op.LT,
                DataType.BOOLEAN.withNullable(true),
                Expr.ref(3, NUMBER),
                Expr.literal(-1L, DataType.INT64)));
    for (int count : COUNTS) {
      assertEquals(List.of(), run(devices(count), sorted(byKey(none), 5)).rows);
      Ran one = run(devices(count), total(none));
      assertEquals(List.of(Arrays.asList((Object) null)), one.rows);
      assertEquals(List.of(), run(devices(count), none).rows);
    }
  }

  private static Aggregate total(PhysicalPlan input) {
    return new Aggregate(
        input,
        List.of(),
        List.of(List.of()),
        List.of(AggregateCall.of(AggregateFunction.SUM, NUMBER, 3)),
        false,
        List.of(NUMBER));
  }

  /** Several of what the tests run on, a GPU or an emulated one say. */
  @Test
  void onTheTestsDevice() {
    TestTable table = table(5, 5000);
    Aggregate total = total(table.scan());
    Aggregate both =
        new Aggregate(
            table.scan(),
            List.of(),
            List.of(List.of()),
            List.of(
                AggregateCall.of(AggregateFunction.MIN, TEXT, 1),
                AggregateCall.of(AggregateFunction.SUM, MONEY, 2),
                AggregateCall.of(AggregateFunction.COUNT, DataType.INT64, 3)),
            false,
            List.of(TEXT, MONEY, DataType.INT64));
    try (TestEngine engine = new TestEngine(1, 1024, 64 << 20, 3)) {
      for (Aggregate plan : List.of(total, both)) {
        List<List<@Nullable Object>> expected = expectedOnHost(plan);
        try (BatchResult result = engine.engine().execute(plan, QueryOptions.DEFAULT)) {
          assertEquals(expected, TestEngine.rows(Objects.requireNonNull(result.next())));
          boolean host = !engine.devices().getFirst().traits().hostMemory();
          assertEquals(host ? "on the host, over 3 rows" : "", result.metrics().node(plan).note);
        }
      }
    }
  }

  private static List<List<@Nullable Object>> expectedOnHost(PhysicalPlan plan) {
    CpuDevice cpu =
        new CpuDevice(1, new MemoryBudget("memory", 64 << 20), new CpuExpressionCompiler());
    try (Engine engine = new Engine(cpu);
        BatchResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
      return TestEngine.rows(Objects.requireNonNull(result.next()));
    }
  }

  /** Which no device's part has. */
  @Test
  void overflowOfTheMerge() {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      rows.add(Arrays.asList(null, null, null, Long.MAX_VALUE / 150));
    }
    TestTable table =
        new TestTable(
            List.of(
                ColumnShape.of(TEXT),
                ColumnShape.of(TEXT),
                ColumnShape.of(MONEY),
                ColumnShape.of(NUMBER)),
            rows,
            64);
    List<DiscreteDevice> devices = devices(3);
    AragoniteException error =
        assertThrows(AragoniteException.class, () -> run(devices, total(table.scan())));
    assertEquals(ErrorCode.NUMERIC_OVERFLOW, error.code());
    assertReleased(devices);
  }

  /** However far it has come. */
  @Test
  void cancelled() {
    Sort plan = sorted(projected(byKey(table(4, 3000).scan())), 10);
    int ended = 0;
    for (int after = 1; ended < 3; after++) {
      List<DiscreteDevice> devices = devices(2);
      int when = after;
      AtomicInteger polls = new AtomicInteger();
      QueryOptions options =
          new QueryOptions(List.of(), 0, 0, null, () -> polls.incrementAndGet() >= when, null);
      try (Engine engine = new Engine(new DeviceGroup(devices, true))) {
        try (BatchResult result = engine.execute(plan, options)) {
          while (result.next() != null) {}
          ended++;
        } catch (AragoniteException e) {
          assertEquals(ErrorCode.CANCELLED, e.code());
        }
        assertReleased(devices);
      }
    }
  }
}
