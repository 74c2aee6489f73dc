package io.aragonite.exec.operator;

import com.sun.management.OperatingSystemMXBean;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Aggregate;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.plan.PhysicalPlan.Scan;
import io.aragonite.exec.plan.PhysicalPlan.Sort;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.SortKey;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.plan.WindowFrame;
import io.aragonite.exec.plan.WindowFrame.Bound;
import io.aragonite.exec.plan.WindowFrame.Exclude;
import io.aragonite.exec.plan.WindowFrame.Kind;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.runtime.QueryResult;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

/**
 * Joins, sorts and windows over tables of TPC-H's sizes at scale 1: best and median milliseconds of
 * several runs on two threads, with the time booked to the node itself. Each run's number of rows
 * is checked. Run it without {@code aragonite.memory.debug}; an argument selects by name.
 */
public final class OperatorsBench {
  private static final int LINES = 6_000_000;
  private static final int ORDERS = 1_500_000;
  private static final int RUNS = 7;
  private static final OperatingSystemMXBean OS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final DataType LONG = DataType.INT64;

  private final Arena arena = Arena.ofShared();
  private final Engine engine =
      new Engine(
          new CpuDevice(2, new MemoryBudget("memory", 8L << 30), new CpuExpressionCompiler()));
  private final String filter;

  private OperatorsBench(String filter) {
    this.filter = filter;
  }

  public static void main(String[] args) {
    if (MemoryDebug.ON) {
      System.err.println("aragonite.memory.debug is on: these figures mean nothing");
    }
    new OperatorsBench(args.length == 0 ? "" : args[0]).run();
  }

  private record Stored(List<ColumnShape> shapes, ColumnBatch data) implements Table {
    @Override
    public String name() {
      return "bench";
    }

    @Override
    public List<String> columnNames() {
      return IntStream.range(0, shapes.size()).mapToObj(i -> "c" + i).toList();
    }

    @Override
    public List<DataType> columnTypes() {
      return shapes.stream().map(ColumnShape::type).toList();
    }

    @Override
    public Pin pin(List<Integer> columns) {
      List<Column> pinned = columns.stream().map(data::column).toList();
      return new Pin() {
        @Override
        public List<ColumnShape> shapes() {
          return pinned.stream().map(Column::shape).toList();
        }

        @Override
        public List<ColumnBatch> chunks() {
          return List.of(new ColumnBatch(pinned, data.rows()));
        }

        @Override
        public void close() {}
      };
    }

    PhysicalPlan scan() {
      return new Scan(this, IntStream.range(0, shapes.size()).boxed().toList(), columnTypes());
    }
  }

  private Stored table(int rows, LongUnaryOperator... columns) {
    List<Column> data = new ArrayList<>();
    for (LongUnaryOperator column : columns) {
      Buffer values = new Buffer(arena.allocate(rows * 8L + 64, 64).address(), rows * 8L);
      long min = Long.MAX_VALUE;
      long max = Long.MIN_VALUE;
      for (int i = 0; i < rows; i++) {
        long value = column.applyAsLong(i);
        min = Math.min(min, value);
        max = Math.max(max, value);
        Mem.putLong(values.address() + i * 8L, value);
      }
      ColumnShape shape =
          new ColumnShape(LONG, Storage.LONG, false, null, new ValueRange(min, max));
      data.add(new Column(shape, rows, values, Buffer.EMPTY, null, null));
    }
    return new Stored(data.stream().map(Column::shape).toList(), new ColumnBatch(data, rows));
  }

  private static PhysicalPlan sum(PhysicalPlan input, int column) {
    return new Aggregate(
        input,
        List.of(),
        List.of(List.of()),
        List.of(
            AggregateCall.of(AggregateFunction.COUNT, LONG),
            AggregateCall.of(AggregateFunction.BIT_XOR, LONG.withNullable(true), column)),
        false,
        List.of(LONG, LONG.withNullable(true)));
  }

  private static Join join(JoinType type, PhysicalPlan left, PhysicalPlan right) {
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
        JoinAlgorithm.NON_PARTITIONED_HASH,
        false,
        types);
  }

  private void measure(String name, PhysicalPlan plan, PhysicalPlan node, long expected) {
    if (!name.contains(filter)) {
      return;
    }
    double[] times = new double[RUNS];
    double own = Double.MAX_VALUE;
    double cpu = Double.MAX_VALUE;
    for (int run = -3; run < RUNS; run++) {
      long start = System.nanoTime();
      long cpuStart = OS.getProcessCpuTime();
      long rows = 0;
      try (QueryResult result = engine.execute(plan, QueryOptions.DEFAULT)) {
        for (ColumnBatch batch = result.next(); batch != null; batch = result.next()) {
          rows +=
              batch.rows() == 1 ? Mem.getLong(batch.column(0).values().address()) : batch.rows();
        }
        QueryMetrics.Node metrics = result.metrics().node(node);
        if (run >= 0) {
          own = Math.min(own, metrics.nanos.sum() / 1e6);
        }
      }
      if (rows != expected) {
        throw new IllegalStateException(name + ": " + rows + " rows, not " + expected);
      }
      if (run >= 0) {
        times[run] = (System.nanoTime() - start) / 1e6;
        cpu = Math.min(cpu, (OS.getProcessCpuTime() - cpuStart) / 1e6);
      }
    }
    java.util.Arrays.sort(times);
    System.out.printf("%-42s %9.1f %9.1f %9.1f %9.1f%n", name, times[0], times[RUNS / 2], cpu, own);
  }

  private void run() {
    System.out.printf("%-42s %9s %9s %9s %9s%n", "plan", "best ms", "median", "cpu ms", "own ms");
    Random random = new Random(42);
    Stored lines =
        table(LINES, i -> i / 4 * 4 + 1, i -> random.nextLong(1L << 40), i -> random.nextInt(1000));
    Stored orders = table(ORDERS, i -> i * 4 + 1, i -> i);
    Stored few = table(ORDERS / 20, i -> i * 80 + 1, i -> i);
    Stored sparse = table(ORDERS / 20, i -> (i * 80 + 1) * 0x1_0000_0001L, i -> i);
    PhysicalPlan l = lines.scan();
    Join join = join(JoinType.INNER, l, orders.scan());
    measure("inner, 6M into 1.5M unique, dense", sum(join, 4), join, LINES);
    Join selective = join(JoinType.INNER, l, few.scan());
    measure("inner, 6M into 75k, 5 % match", sum(selective, 4), selective, LINES / 20);
    Join hashed = join(JoinType.INNER, l, sparse.scan());
    measure("inner, 6M into 75k, sparse, no match", sum(hashed, 4), hashed, 0);
    Join semi = join(JoinType.SEMI, l, few.scan());
    measure("semi, 6M into 75k", sum(semi, 1), semi, LINES / 20);
    Join left = join(JoinType.LEFT, l, few.scan());
    measure("left, 6M into 75k", sum(left, 4), left, LINES);
    Join many = join(JoinType.INNER, orders.scan(), l);
    measure("inner, 1.5M into 6M, four matches each", sum(many, 3), many, LINES);
    for (int keys = 1; keys <= 2; keys++) {
      List<SortKey> order = new ArrayList<>();
      order.add(new SortKey(keys == 1 ? 1 : 2, false, false));
      if (keys == 2) {
        order.add(new SortKey(1, true, false));
      }
      Sort sort = new Sort(l, order, null, null);
      measure("sort 6M by " + keys + " keys", sum(sort, 0), sort, LINES);
      Sort top = new Sort(l, order, null, Expr.literal(100L, LONG));
      measure("top 100 of 6M by " + keys + " keys", top, top, 100);
    }
    for (boolean sliding : new boolean[] {false, true}) {
      WindowFrame frame =
          new WindowFrame(
              true,
              sliding
                  ? new Bound(Kind.PRECEDING, Expr.literal(100L, LONG))
                  : new Bound(Kind.UNBOUNDED_PRECEDING, null),
              new Bound(Kind.CURRENT_ROW, null),
              Exclude.NO_OTHERS);
      for (AggregateFunction function : List.of(AggregateFunction.SUM, AggregateFunction.MIN)) {
        WindowCall call =
            new WindowCall(
                WindowCall.Function.AGGREGATE,
                AggregateCall.of(function, LONG.withNullable(true), 1),
                List.of(),
                false,
                LONG.withNullable(true));
        Window window =
            new Window(
                orders.scan(),
                List.of(),
                List.of(new SortKey(0, false, false)),
                frame,
                List.of(call));
        measure(
            (sliding ? "sliding " : "running ") + function + " 1.5M",
            sum(window, 2),
            window,
            ORDERS);
      }
    }
    engine.close();
  }
}
