package io.aragonite.exec.device.contract;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.GroupTable;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.CudaPrimitivesBench;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import io.aragonite.exec.vector.ValueRange;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Nanoseconds a row of the main primitives on the CPU, on one thread: best and median of several
 * runs, in processor time, so that other load disturbs less. Batches have the device's size and lie
 * in cache; tables and sorts have the sizes that TPC-H has at scale 1. Run it without {@code
 * aragonite.memory.debug}; an argument selects by name. With {@code -Daragonite.test.device=cuda}
 * it is {@link CudaPrimitivesBench}.
 */
public final class PrimitivesBench {
  private static final int BATCH = CpuDevice.BATCH_ROWS;
  private static final int BATCHES = 256;
  private static final int RUNS = 15;
  private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

  private final CpuDevice device =
      new CpuDevice(1, new MemoryBudget("memory", 8L << 30), new CpuExpressionCompiler());
  private final TestContext context = new TestContext(device);
  private final Random random = new Random(42);
  private final String filter;

  private PrimitivesBench(String filter) {
    this.filter = filter;
  }

  public static void main(String[] args) {
    if (MemoryDebug.ON) {
      System.err.println("aragonite.memory.debug is on: these figures mean nothing");
    }
    if (TestDevices.name().equals("cuda")) {
      CudaPrimitivesBench.main(args);
      return;
    }
    new PrimitivesBench(args.length == 0 ? "" : args[0]).run();
  }

  private void run() {
    System.out.printf("%-44s %10s %10s%n", "primitive", "best ns", "median ns");
    scans();
    gathers();
    accumulators();
    groups();
    hashes();
    sorts();
  }

  private interface Body {
    /** Does the work and returns the rows it was for. */
    long run();
  }

  private void measure(String name, Body body) {
    if (!name.matches(".*(" + filter + ").*")) {
      return;
    }
    double[] times = new double[RUNS];
    for (int run = -5; run < RUNS; run++) {
      long start = CLOCK.getCurrentThreadCpuTime();
      long rows = body.run();
      double time = (CLOCK.getCurrentThreadCpuTime() - start) / (double) rows;
      if (run >= 0) {
        times[run] = time;
      }
      context.scratch().reset();
    }
    java.util.Arrays.sort(times);
    System.out.printf("%-44s %10.2f %10.2f%n", name, times[0], times[RUNS / 2]);
  }

  private void measureBatches(String name, Runnable batch) {
    measure(
        name,
        () -> {
          for (int i = 0; i < BATCHES; i++) {
            batch.run();
            context.scratch().reset();
          }
          return (long) BATCHES * BATCH;
        });
  }

  private Buffer room(long bytes) {
    return context.memory().allocate(bytes);
  }

  private Buffer longs(int count, long bound) {
    Buffer buffer = room(8L * count);
    for (int i = 0; i < count; i++) {
      Mem.putLong(buffer.address() + 8L * i, random.nextLong(bound));
    }
    return buffer;
  }

  private Buffer ints(int count, int bound) {
    Buffer buffer = room(4L * count);
    for (int i = 0; i < count; i++) {
      Mem.putInt(buffer.address() + 4L * i, random.nextInt(bound));
    }
    return buffer;
  }

  private void scans() {
    Buffer flags = room(BATCH);
    for (int i = 0; i < BATCH; i++) {
      Mem.putByte(flags.address() + i, (byte) random.nextInt(2));
    }
    Buffer out = room(4L * BATCH);
    measureBatches("select, half", () -> context.scan().select(context, flags, BATCH, true, out));
    Buffer ids = ints(BATCH, BATCH);
    Buffer positions = ints(BATCH, BATCH);
    measureBatches(
        "gatherIds", () -> context.gather().gatherIds(context, ids, positions, BATCH, out));
    Buffer sums = room(8L * (BATCH + 1));
    measureBatches("exclusiveSum", () -> context.scan().exclusiveSum(context, ids, BATCH, sums));
    measureBatches("iota", () -> context.scan().iota(context, out, 0, BATCH));
    measureBatches("fill 8", () -> context.scan().fill(context, sums, 8, 42, BATCH));
  }

  private Column column(Storage storage, int rows, @Nullable ValueRange range, boolean nulls) {
    DataType type =
        switch (storage) {
          case INT -> DataType.of(TypeKind.INT32, nulls);
          case LONG -> DataType.decimal(15, 2, nulls);
          case DOUBLE -> DataType.of(TypeKind.FLOAT64, nulls);
          default -> DataType.of(TypeKind.VARCHAR, nulls);
        };
    Buffer values;
    Buffer offsets = Buffer.EMPTY;
    if (storage == Storage.BYTES) {
      offsets = room(4L * (rows + 1));
      int end = 0;
      for (int i = 0; i <= rows; i++) {
        Mem.putInt(offsets.address() + 4L * i, end);
        end += random.nextInt(30);
      }
      values = room(end);
    } else if (storage == Storage.INT) {
      values = ints(rows, 1_000_000);
    } else {
      values = longs(rows, 10_000_000);
    }
    Buffer validity = null;
    if (nulls) {
      validity = room((rows + 63) / 64 * 8L);
      for (int i = 0; i < rows / 8; i++) {
        Mem.putByte(validity.address() + i, (byte) random.nextInt());
      }
    }
    return new Column(
        new ColumnShape(type, storage, nulls, null, range), rows, values, offsets, validity, null);
  }

  private void gathers() {
    RowIds dense = new RowIds(ascending(BATCH, 2 * BATCH), BATCH, false);
    RowIds outer = new RowIds(dense.ids(), BATCH, true);
    RowIds random8m = new RowIds(ints(BATCH, 1_500_000), BATCH, false);
    for (Storage storage : new Storage[] {Storage.INT, Storage.LONG, Storage.BYTES}) {
      Column column = column(storage, 2 * BATCH, null, false);
      gather("materialize " + storage + ", selection", column.withRowIds(dense));
      gather("materialize " + storage + ", outer", column.withRowIds(outer));
      Column nulls = column(storage, 2 * BATCH, null, true);
      gather("materialize " + storage + ", nulls", nulls.withRowIds(dense));
      Column large = column(storage, 1_500_000, null, false);
      gather("materialize " + storage + ", random of 1.5 M", large.withRowIds(random8m));
    }
  }

  private void gather(String name, Column column) {
    measureBatches(name, () -> context.gather().materialize(context, column, context.scratch()));
  }

  private Buffer ascending(int count, int bound) {
    Buffer buffer = room(4L * count);
    for (int i = 0; i < count; i++) {
      Mem.putInt(buffer.address() + 4L * i, (int) ((long) i * bound / count));
    }
    return buffer;
  }

  private void accumulators() {
    Column longs = column(Storage.LONG, BATCH, new ValueRange(0, 10_000_000), false);
    Column unknown = column(Storage.LONG, BATCH, null, false);
    Column ints = column(Storage.INT, BATCH, null, false);
    Column nulls = column(Storage.LONG, BATCH, null, true);
    Column selected =
        column(Storage.LONG, 2 * BATCH, null, false)
            .withRowIds(new RowIds(ascending(BATCH, 2 * BATCH), BATCH, false));
    Column doubles = column(Storage.DOUBLE, BATCH, null, false);
    DataType sum = DataType.decimal(38, 2, false);
    for (int groups : new int[] {0, 4, 1000, 1_000_000}) {
      String of = groups == 0 ? ", no groups" : ", " + groups + " groups";
      accumulate("COUNT" + of, AggregateFunction.COUNT, null, DataType.INT64, groups);
      accumulate("SUM LONG with range" + of, AggregateFunction.SUM, longs, sum, groups);
      accumulate("SUM LONG" + of, AggregateFunction.SUM, unknown, sum, groups);
      accumulate(
          "SUM LONG nullable result" + of,
          AggregateFunction.SUM,
          longs,
          sum.withNullable(true),
          groups);
      accumulate(
          "SUM INT" + of, AggregateFunction.SUM, ints, DataType.decimal(38, 0, false), groups);
      accumulate("SUM LONG with nulls" + of, AggregateFunction.SUM, nulls, sum, groups);
      accumulate("SUM LONG selected" + of, AggregateFunction.SUM, selected, sum, groups);
      accumulate("SUM DOUBLE" + of, AggregateFunction.SUM, doubles, DataType.FLOAT64, groups);
      accumulate(
          "MIN LONG" + of, AggregateFunction.MIN, longs, DataType.decimal(15, 2, false), groups);
    }
  }

  private void accumulate(
      String name, AggregateFunction function, @Nullable Column column, DataType type, int groups) {
    Buffer numbers = ints(BATCH, Math.max(1, groups));
    try (Accumulator accumulator =
        context
            .aggregate()
            .newAccumulator(
                context,
                function,
                column == null ? null : column.shape(),
                type,
                context.memory())) {
      measureBatches(
          name,
          () ->
              accumulator.update(
                  context, column, groups == 0 ? null : numbers, null, BATCH, Math.max(1, groups)));
    }
  }

  private void groups() {
    for (String kind : new String[] {"dense", "hashed"}) {
      for (int groups : new int[] {4, 1000, 100_000, 1_500_000}) {
        int rows = 1_500_000;
        Buffer words = longs(rows, groups);
        if (kind.equals("hashed")) {
          spread(words, rows);
        }
        measure(
            "assignGroups " + kind + ", " + groups + " groups",
            () -> {
              try (GroupTable table =
                  context.aggregate().newGroupTable(context, context.memory())) {
                Buffer out = context.scratch().allocate(4L * BATCH);
                Buffer added = context.scratch().allocate(4L * BATCH);
                for (int i = 0; i + BATCH <= rows; i += BATCH) {
                  Buffer batch = words.slice(8L * i, 8L * BATCH);
                  table.assign(context, batch, BATCH, out, added);
                }
              }
              return rows;
            });
        context.memory().free(words);
      }
    }
  }

  private static void scale(Buffer words, int rows) {
    for (int i = 0; i < rows; i++) {
      long place = words.address() + 8L * i;
      Mem.putLong(place, Mem.getLong(place) * 20);
    }
  }

  private static void spread(Buffer words, int rows) {
    for (int i = 0; i < rows; i++) {
      long place = words.address() + 8L * i;
      long x = Mem.getLong(place) * 0xA0761D6478BD642FL;
      Mem.putLong(place, x ^ x >>> 29);
    }
  }

  private void hashes() {
    for (String kind : new String[] {"dense", "sparse", "hashed"}) {
      for (int rows : new int[] {1000, 200_000, 1_500_000}) {
        Buffer build = room(8L * rows);
        for (int i = 0; i < rows; i++) {
          Mem.putLong(build.address() + 8L * i, i);
        }
        Buffer probe = longs(rows, 2L * rows);
        if (kind.equals("hashed")) {
          spread(build, rows);
          spread(probe, rows);
        } else if (kind.equals("sparse")) {
          scale(build, rows);
          scale(probe, rows);
        }
        int repeat = Math.max(1, 1_000_000 / rows);
        measure(
            "hashBuild " + kind + ", " + rows,
            () -> {
              for (int i = 0; i < repeat; i++) {
                context.hash().build(context, build, null, rows, context.memory()).close();
              }
              return (long) rows * repeat;
            });
        try (HashTable table = context.hash().build(context, build, null, rows, context.memory())) {
          probe("hashLookup " + kind + ", half of " + rows, table, probe, rows, false);
          probe("hashProbe " + kind + ", half of " + rows, table, probe, rows, true);
        }
        Buffer repeated = longs(rows, rows / 4);
        if (kind.equals("hashed")) {
          spread(repeated, rows);
        } else if (kind.equals("sparse")) {
          scale(repeated, rows);
        }
        measure(
            "hashBuild " + kind + ", 4 times " + rows / 4,
            () -> {
              for (int i = 0; i < repeat; i++) {
                context.hash().build(context, repeated, null, rows, context.memory()).close();
              }
              return (long) rows * repeat;
            });
        try (HashTable table =
            context.hash().build(context, repeated, null, rows, context.memory())) {
          probe("hashProbe " + kind + ", 4 times " + rows / 4, table, probe, rows, true);
        }
        context.memory().free(build);
        context.memory().free(probe);
        context.memory().free(repeated);
      }
    }
  }

  private void probe(String name, HashTable table, Buffer words, int rows, boolean pairs) {
    Buffer outProbe = room(4L * BATCH);
    Buffer outBuild = room(4L * BATCH);
    int batch = Math.min(BATCH, rows);
    int repeat = Math.max(1, 1_000_000 / rows);
    measure(
        name,
        () -> {
          for (int r = 0; r < repeat; r++) {
            for (int i = 0; i + batch <= rows; i += batch) {
              Buffer slice = words.slice(8L * i, 8L * batch);
              if (!pairs) {
                table.lookup(context, slice, batch, outBuild);
                continue;
              }
              ProbeCursor cursor = new ProbeCursor();
              while (!cursor.done) {
                table.probe(context, slice, batch, cursor, outProbe, outBuild, BATCH);
              }
            }
          }
          return (long) rows * repeat;
        });
    context.memory().free(outProbe);
    context.memory().free(outBuild);
  }

  private void sorts() {
    for (int rows : new int[] {1000, 100_000, 1_500_000}) {
      for (int bits : new int[] {20, 62}) {
        Buffer keys = longs(rows, 1L << bits);
        Buffer sorted = room(8L * rows);
        Buffer ids = room(4L * rows);
        int repeat = Math.max(1, 200_000 / rows);
        measure(
            "sortPairs " + rows + ", " + bits + " bits",
            () -> {
              for (int i = 0; i < repeat; i++) {
                Mem.copy(keys.address(), sorted.address(), 8L * rows);
                context.scan().iota(context, ids, 0, rows);
                context.sort().sortPairs(context, sorted, ids, rows, 0, 64);
              }
              return (long) rows * repeat;
            });
      }
    }
  }
}
