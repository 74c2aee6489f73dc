package io.aragonite.bench.group;

import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.engine.TestEngine;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.engine.Devices;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

/**
 * {@code SELECT COUNT(*), SUM(n), SUM(s), SUM(k) FROM (SELECT k, COUNT(*) n, SUM(v) s FROM t GROUP
 * BY k)} over tables that the device keeps, by number of groups: milliseconds, median of several
 * runs after others, with a hash table, by sorting, in order, with a table that the key addresses,
 * and as the engine chooses. Answers are checked.
 *
 * <p>Arguments: device (cuda), rows as a power of two (27), least and greatest power of groups (10,
 * 26), and kinds of keys (dense,hashed,ordered).
 */
public final class GroupBench {
  private static final int RUNS = 5;

  /** Until kernels are assembled. */
  private static final int WARMUPS = 8;

  private static final DataType LONG = DataType.INT64;

  /** Figures that say how rows were grouped. */
  private static final Map<String, String> STRATEGIES =
      Map.of(
          "rows grouped by sorting", "sort",
          "rows grouped in order", "order",
          "rows summed by a kernel of all expressions", "direct");

  private final Device device;
  private final Engine engine;
  private final int rows;

  private GroupBench(String name, int power) {
    device = Devices.open(name, Runtime.getRuntime().availableProcessors(), 30L << 30);
    engine = new Engine(device);
    rows = 1 << power;
  }

  /** What keys are like. */
  private enum Keys {
    /** In random order; their bounds are known, so that words are as short as can be. */
    DENSE,
    /** Two columns whose bounds are too wide for one word. */
    HASHED,
    /** As DENSE, ascending. */
    ORDERED
  }

  /** A table of host memory. */
  private record Rows(List<ColumnShape> shapes, List<Column> columns, int count) implements Table {
    @Override
    public String name() {
      return "t";
    }

    @Override
    public List<String> columnNames() {
      return columns.stream().map(column -> "c").toList();
    }

    @Override
    public List<DataType> columnTypes() {
      return shapes.stream().map(ColumnShape::type).toList();
    }

    @Override
    public long rows() {
      return count;
    }

    @Override
    public Pin pin(List<Integer> wanted) {
      return new Pin() {
        @Override
        public List<ColumnShape> shapes() {
          return wanted.stream().map(shapes::get).toList();
        }

        @Override
        public List<ColumnBatch> chunks() {
          return List.of(new ColumnBatch(wanted.stream().map(columns::get).toList(), count));
        }

        @Override
        public void close() {}
      };
    }
  }

  private static long mix(long i) {
    long x = (i ^ i >>> 31) * 0x9E37_79B9_7F4A_7C15L;
    x = (x ^ x >>> 29) * 0xBF58_476D_1CE4_E5B9L;
    return (x ^ x >>> 32) >>> 1;
  }

  private Column column(Arena arena, ColumnShape shape, LongUnaryOperator value) {
    long address = arena.allocate(8L * rows + 64, 64).address();
    int pieces = 256;
    IntStream.range(0, pieces)
        .parallel()
        .forEach(piece -> {
          int end = (int) ((long) rows * (piece + 1) / pieces);
          for (int i = (int) ((long) rows * piece / pieces); i < end; i++) {
            Mem.putLong(address + 8L * i, value.applyAsLong(i));
          }
        });
    Buffer values = new Buffer(address, 8L * rows);
    return new Column(shape, rows, values, Buffer.EMPTY, null, null);
  }

  private static ColumnShape range(long most) {
    return new ColumnShape(LONG, Storage.LONG, false, null, new ValueRange(0, most));
  }

  private Rows table(Arena arena, Keys kind, int groupBits) {
    long groups = 1L << groupBits;
    List<ColumnShape> shapes = new ArrayList<>();
    List<Column> columns = new ArrayList<>();
    ColumnShape known = range(groups - 1);
    LongUnaryOperator random = i -> mix(i) & groups - 1;
    switch (kind) {
      case DENSE -> columns.add(column(arena, known, random));
      case ORDERED -> columns.add(column(arena, known, i -> i * groups / rows));
      case HASHED -> {
        columns.add(column(arena, ColumnShape.of(LONG), random));
        columns.add(column(arena, ColumnShape.of(LONG), i -> random.applyAsLong(i) * 7));
      }
    }
    columns.forEach(column -> shapes.add(column.shape()));
    shapes.add(range(1023));
    columns.add(column(arena, shapes.getLast(), i -> i & 1023));
    return new Rows(shapes, columns, rows);
  }

  private void run(Keys kind, int groupBits) {
    try (Arena arena = Arena.ofShared()) {
      Rows table = table(arena, kind, groupBits);
      List<String> ways = new ArrayList<>(List.of("table", "sort", ""));
      if (kind == Keys.ORDERED) {
        ways.add("order");
      } else if (kind == Keys.DENSE) {
        ways.add("direct");
      }
      StringBuilder line = new StringBuilder("%-8s 2^%-3d".formatted(kind, groupBits));
      List<Long> expected = null;
      String chosen = "";
      for (String way : ways) {
        System.setProperty("aragonite.group", way);
        double[] millis = new double[RUNS];
        for (int i = -WARMUPS; i < RUNS; i++) {
          Run run = run(table);
          if (i >= 0) {
            millis[i] = run.millis;
          }
          if (expected == null) {
            expected = run.answer;
          }
          if (!run.answer.equals(expected) || run.answer.get(1) != rows) {
            throw new IllegalStateException(way + ": " + run.answer + ", not " + expected);
          }
          if (way.isEmpty()) {
            chosen = run.strategy;
          }
        }
        Arrays.sort(millis);
        line.append(" %5s %8.2f".formatted(way.isEmpty() ? "auto" : way, millis[RUNS / 2]));
      }
      System.out.printf("%s (%s)%n", line, chosen);
    }
  }

  /** What one query took and answered, and how its rows were grouped. */
  private record Run(double millis, List<Long> answer, String strategy) {}

  private Run run(Rows table) {
    int keys = table.columns.size() - 1;
    PhysicalPlan.Aggregate plan = plan(table, keys);
    long start = System.nanoTime();
    try (BatchResult result = engine.execute(totals(plan, keys), QueryOptions.DEFAULT)) {
      List<Long> answer =
          TestEngine.rows(Objects.requireNonNull(result.next())).getFirst().stream()
              .map(v -> ((Number) Objects.requireNonNull(v)).longValue())
              .toList();
      double millis = (System.nanoTime() - start) / 1e6;
      Map<String, Long> figures = result.metrics().node(plan).figures;
      String strategy =
          STRATEGIES.entrySet().stream()
              .filter(known -> figures.containsKey(known.getKey()))
              .map(Map.Entry::getValue)
              .findFirst()
              .orElse("table");
      return new Run(millis, answer, strategy);
    }
  }

  private static PhysicalPlan.Aggregate plan(Table table, int keys) {
    List<Integer> all = IntStream.rangeClosed(0, keys).boxed().toList();
    List<Integer> first = IntStream.range(0, keys).boxed().toList();
    List<DataType> types = new ArrayList<>();
    first.forEach(key -> types.add(LONG));
    types.add(LONG);
    types.add(LONG);
    return new PhysicalPlan.Aggregate(
        new PhysicalPlan.Scan(table, all, table.columnTypes()),
        first,
        List.of(first),
        List.of(
            AggregateCall.of(AggregateFunction.COUNT, LONG),
            AggregateCall.of(AggregateFunction.SUM, LONG, keys)),
        false,
        types);
  }

  private static PhysicalPlan totals(PhysicalPlan groups, int keys) {
    return new PhysicalPlan.Aggregate(
        groups,
        List.of(),
        List.of(List.of()),
        List.of(
            AggregateCall.of(AggregateFunction.COUNT, LONG),
            AggregateCall.of(AggregateFunction.SUM, LONG, keys),
            AggregateCall.of(AggregateFunction.SUM, LONG, keys + 1),
            AggregateCall.of(AggregateFunction.SUM, LONG, 0)),
        false,
        List.of(LONG, LONG, LONG, LONG));
  }

  public static void main(String[] args) {
    String name = args.length > 0 ? args[0] : "cuda";
    int power = args.length > 1 ? Integer.parseInt(args[1]) : 27;
    int least = args.length > 2 ? Integer.parseInt(args[2]) : 10;
    int most = args.length > 3 ? Integer.parseInt(args[3]) : 26;
    String kinds = args.length > 4 ? args[4] : "dense,hashed,ordered";
    GroupBench bench = new GroupBench(name, power);
    System.out.printf(
        "%s, 2^%d rows, COUNT and SUM by groups; ms, median of %d, whole queries%n",
        bench.device.name(), power, RUNS);
    for (String kind : kinds.split(",")) {
      for (int bits = least; bits <= most; bits += bits < 20 ? 5 : 2) {
        bench.run(Keys.valueOf(kind.toUpperCase(Locale.ROOT)), bits);
      }
    }
  }
}
