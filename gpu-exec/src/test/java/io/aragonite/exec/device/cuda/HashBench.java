package io.aragonite.exec.device.cuda;

import static io.aragonite.exec.device.cuda.BenchData.mix;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.GroupTable;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.ValueRange;
import java.util.Arrays;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Hash tables, groups, accumulators and segmented reductions on a GPU, each from launch to
 * completion as Java sees it: median, best and worst of several runs after a warm-up, rows a second
 * and bytes that must be moved over the time. Answers are checked after the last run. Allocation of
 * tables and results is in the times.
 *
 * <p>The first argument selects by name (a regular expression), the second is the number of rows as
 * a power of two (27). Peers are those of the NPHJ column of join-peers.csv: unique keys, 2^27 with
 * 2^27 rows.
 */
public final class HashBench {
  private static final int RUNS = 9;

  /** Calls that are not timed: so many at least, and then until the JVM has compiled the call. */
  private static final int WARM_UP = 2;

  private static final int WARM_CALLS = 200;
  private static final long WARM_NANOS = 100_000_000;

  /** The greatest value of a group without rows, which is null: its word may be anything. */
  private static final long NO_ROWS = Long.MIN_VALUE;

  private final String filter;
  private final int power;
  private final int rows;
  private final CudaDevice device;
  private final TestContext context;
  private final CudaStream stream;
  private final BenchData data;

  private HashBench(String filter, int power) {
    this.filter = filter;
    this.power = power;
    this.rows = 1 << power;
    CudaGpu gpu = CudaDriver.get().gpu(0);
    device =
        new CudaDevice(
            gpu,
            CudaDevice.defaultBudget(gpu),
            new CpuDevice(1, new MemoryBudget("memory", 4L << 30), new CpuExpressionCompiler()));
    context = new TestContext(device);
    stream = CudaStream.of(context);
    data = new BenchData(context);
    System.out.printf(
        "%s, %d rows, median of %d runs%n%-44s %9s %9s %9s %9s %9s %8s%n",
        gpu.productName(),
        rows,
        RUNS,
        "primitive",
        "median ms",
        "best",
        "worst",
        "Mrows/s",
        "GB/s",
        "peer ms");
  }

  public static void main(String[] args) {
    if (MemoryDebug.ON) {
      System.err.println("aragonite.memory.debug is on: these figures mean nothing");
    }
    int power = args.length < 2 ? 27 : Integer.parseInt(args[1]);
    new HashBench(args.length == 0 ? "" : args[0], power).run();
  }

  private void run() {
    if (wanted("copy")) {
      Buffer from = data.make(rows, 8, BenchData::mix);
      Buffer to = data.room(8L * rows);
      measure("copy", 16.0 * rows, 0, () -> stream.copy(from.address(), to.address(), 8L * rows));
      data.free();
    }
    for (Keys keys : Keys.values()) {
      hashes(keys);
    }
    groups();
    accumulators();
    segments();
    context.close();
    device.close();
  }

  private boolean wanted(String name) {
    return name.matches(".*(" + filter + ").*");
  }

  /**
   * @param bytes that must be moved
   * @param peer milliseconds to be compared with; 0: none
   */
  private void measure(String name, double bytes, double peer, Runnable body) {
    double[] times = new double[RUNS];
    long began = System.nanoTime();
    for (int call = 0;
        call < WARM_UP || call < WARM_CALLS && System.nanoTime() - began < WARM_NANOS;
        call++) {
      body.run();
      stream.sync();
    }
    for (int run = 0; run < RUNS; run++) {
      stream.sync();
      long start = System.nanoTime();
      body.run();
      stream.sync();
      times[run] = (System.nanoTime() - start) / 1e6;
    }
    Arrays.sort(times);
    double median = times[RUNS / 2];
    System.out.printf(
        "%-44s %9.3f %9.3f %9.3f %9.0f %9.0f %8s%n",
        name,
        median,
        times[0],
        times[RUNS - 1],
        rows / median / 1e3,
        bytes / median / 1e6,
        peer == 0 ? "" : "%.1f".formatted(peer));
  }

  /** A permutation of the row numbers that jumps about. */
  private long shuffled(long i, long salt) {
    long mask = rows - 1L;
    long x = (i * 0x9E3779B1L + salt) & mask;
    x ^= x >>> power / 2;
    x = x * 0x85EBCA6BL & mask;
    x ^= x >>> power / 2;
    return x * 0xC2B2AE35L & mask;
  }

  /** How the words of a join lie: each suits another layout of the table. */
  private enum Keys {
    DENSE,
    SPARSE,
    HASHED;

    long word(long number) {
      return switch (this) {
        case DENSE -> number;
        case SPARSE -> number * 20;
        case HASHED -> mix(number);
      };
    }
  }

  private void hashes(Keys keys) {
    for (int times : new int[] {1, 4}) {
      String kind = " " + keys + (times == 1 ? ", unique" : ", 4 rows a key");
      if (!wanted("hashBuild" + kind)
          && !wanted("hashLookup" + kind)
          && !wanted("hashProbe" + kind)) {
        continue;
      }
      IntToLongFunction build = i -> keys.word(shuffled(i, 1) / times);
      IntToLongFunction probe = i -> keys.word(shuffled(i, 7) / times);
      Buffer buildWords = data.make(rows, 8, build);
      Buffer probeWords = data.make(rows, 8, probe);
      measure(
          "hashBuild" + kind,
          8.0 * rows,
          times == 1 ? 10.2 : 0,
          () -> context.hash().build(context, buildWords, null, rows, context.memory()).close());
      try (HashTable table =
          context.hash().build(context, buildWords, null, rows, context.memory())) {
        expect("distinct", rows / times, table.distinct());
        expect("maxMultiplicity", times, table.maxMultiplicity());
        lookup(kind, table, build, probeWords, probe);
        probe(kind, table, build, probeWords, probe, times);
      }
      data.free();
    }
  }

  private static void expect(String name, long expected, long actual) {
    if (expected != actual) {
      throw new AssertionError(name + " is " + actual + " and should be " + expected);
    }
  }

  private void lookup(
      String kind,
      HashTable table,
      IntToLongFunction build,
      Buffer probeWords,
      IntToLongFunction probe) {
    Buffer out = data.room(4L * rows);
    measure(
        "hashLookup" + kind, 12.0 * rows, 0, () -> table.lookup(context, probeWords, rows, out));
    data.check(
        "hashLookup" + kind,
        out,
        rows,
        4,
        (row, found) -> same(build.applyAsLong((int) found), probe.applyAsLong(row)));
  }

  private static String same(long actual, long expected) {
    return actual == expected ? null : "its word is not that of the probe row";
  }

  private void probe(
      String kind,
      HashTable table,
      IntToLongFunction build,
      Buffer probeWords,
      IntToLongFunction probe,
      int times) {
    Buffer outProbe = data.room(4L * rows);
    Buffer outBuild = data.room(4L * rows);
    // All pairs of a quarter of the probe rows fit the outputs.
    int count = rows / times;
    measure(
        "hashProbe" + kind + (times == 1 ? "" : ", a quarter of the rows"),
        8.0 * count + 8.0 * rows,
        times == 1 ? 6.0 : 0,
        () -> {
          try (ProbeCursor cursor = new ProbeCursor()) {
            int pairs = table.probe(context, probeWords, count, cursor, outProbe, outBuild, rows);
            expect("pairs", rows, pairs);
          }
        });
    data.expect("hashProbe" + kind, outProbe, rows, 4, k -> k / times);
    data.check(
        "hashProbe" + kind,
        outBuild,
        rows,
        4,
        (k, found) -> same(build.applyAsLong((int) found), probe.applyAsLong(k / times)));
  }

  private void groups() {
    for (Keys keys : new Keys[] {Keys.DENSE, Keys.HASHED}) {
      for (int distinct : new int[] {4, 1000, 1 << 20, rows / 2}) {
        String name = "assignGroups " + keys + ", of " + distinct;
        groups(name, keys, distinct, i -> Long.remainderUnsigned(mix(i), distinct));
      }
      for (int times : new int[] {4, 1}) {
        int distinct = rows / times;
        String name = "assignGroups " + keys + ", of " + distinct + " in order";
        groups(name, keys, distinct, i -> i / times);
      }
    }
  }

  private void groups(String name, Keys keys, int distinct, IntToLongFunction number) {
    if (!wanted(name)) {
      return;
    }
    Buffer words = data.make(rows, 8, i -> keys.word(number.applyAsLong(i)));
    Buffer out = data.room(4L * rows);
    Buffer newRows = data.room(4L * rows);
    int[] groups = {0};
    measure(
        name,
        12.0 * rows,
        0,
        () -> {
          try (GroupTable table = context.aggregate().newGroupTable(context, context.memory())) {
            groups[0] = table.assign(context, words, rows, out, newRows);
          }
        });
    int[] expected = new int[distinct];
    Arrays.fill(expected, -1);
    int[] next = {0};
    data.check(
        name,
        out,
        rows,
        4,
        (row, group) -> {
          int which = (int) number.applyAsLong(row);
          if (expected[which] < 0) {
            expected[which] = next[0]++;
          }
          return group == expected[which] ? null : "not " + expected[which];
        });
    expect("groups", next[0], groups[0]);
    data.free();
  }

  private Column column(Storage storage, Buffer values, ValueRange range) {
    DataType type =
        switch (storage) {
          case INT -> DataType.INT32;
          case DOUBLE -> DataType.FLOAT64;
          default -> DataType.decimal(15, 2, false);
        };
    return new Column(
        new ColumnShape(type, storage, false, null, range), rows, values, Buffer.EMPTY, null, null);
  }

  private static long value(int i) {
    return mix(i) & 0xFFFF_FFFFL;
  }

  private void accumulators() {
    for (int groups : new int[] {0, 4, 16, 200, 4000, 1 << 20, rows / 32}) {
      String of = groups == 0 ? ", no groups" : ", " + groups + " groups";
      if (!wanted("COUNT" + of) && !wanted("SUM" + of) && !wanted("MAX" + of)) {
        continue;
      }
      int states = Math.max(1, groups);
      Buffer numbers = data.make(rows, 4, i -> Long.remainderUnsigned(mix(~i), states));
      Buffer longs = data.make(rows, 8, HashBench::value);
      Buffer doubles = data.make(rows, 8, i -> Double.doubleToRawLongBits((double) value(i)));
      ValueRange range = new ValueRange(0, 1L << 32);
      long[] sums = new long[states];
      long[] counts = new long[states];
      long[] most = new long[states];
      Arrays.fill(most, NO_ROWS);
      for (int i = 0; i < rows; i++) {
        int group = (int) Long.remainderUnsigned(mix(~i), states);
        sums[group] += value(i);
        counts[group]++;
        most[group] = Math.max(most[group], value(i));
      }
      Buffer given = groups == 0 ? null : numbers;
      Column known = column(Storage.LONG, longs, range);
      Column unknown = column(Storage.LONG, longs, null);
      Column floats = column(Storage.DOUBLE, doubles, null);
      DataType wide = DataType.decimal(38, 2, false);
      accumulate("COUNT" + of, AggregateFunction.COUNT, null, DataType.INT64, given, counts);
      accumulate("SUM in 64 bits" + of, AggregateFunction.SUM, known, wide, given, sums);
      accumulate("SUM in 128 bits" + of, AggregateFunction.SUM, unknown, wide, given, sums);
      accumulate(
          "SUM, nullable" + of, AggregateFunction.SUM, known, wide.withNullable(true), given, sums);
      accumulate("SUM DOUBLE" + of, AggregateFunction.SUM, floats, DataType.FLOAT64, given, sums);
      accumulate(
          "MAX" + of, AggregateFunction.MAX, known, DataType.decimal(15, 2, false), given, most);
      data.free();
    }
  }

  private void accumulate(
      String name,
      AggregateFunction function,
      @Nullable Column values,
      DataType type,
      @Nullable Buffer groups,
      long[] expected) {
    if (!wanted(name)) {
      return;
    }
    double bytes = (values == null ? 0 : 8.0 * rows) + (groups == null ? 0 : 4.0 * rows);
    Column[] result = new Column[1];
    measure(
        name,
        bytes,
        0,
        () -> {
          long mark = context.scratch().mark();
          try (Accumulator accumulator =
              context
                  .aggregate()
                  .newAccumulator(
                      context,
                      function,
                      values == null ? null : values.shape(),
                      type,
                      context.memory())) {
            accumulator.update(context, values, groups, null, rows, expected.length);
            result[0] = accumulator.finish(context, expected.length, context.scratch());
          }
          context.scratch().release(mark);
        });
    check(name, result[0], expected);
  }

  private void check(String name, Column result, long[] expected) {
    boolean isDouble = result.shape().type().kind() == TypeKind.FLOAT64;
    data.check(
        name,
        result.values(),
        expected.length,
        8,
        (group, bits) -> {
          double wanted = expected[group];
          boolean right =
              isDouble
                  ? Math.abs(Double.longBitsToDouble(bits) - wanted) <= 1e-12 * wanted
                  : expected[group] == NO_ROWS || bits == expected[group];
          return right ? null : "not " + expected[group];
        });
  }

  private void segments() {
    for (int length : new int[] {4, 100, 1_000_000}) {
      String of = ", segments of " + length;
      if (!wanted("segmentedReduce SUM" + of) && !wanted("segmentedReduce MAX" + of)) {
        continue;
      }
      int segments = (rows + length - 1) / length;
      Buffer starts = data.make(segments + 1, 4, i -> Math.min(rows, (long) i * length));
      Buffer longs = data.make(rows, 8, HashBench::value);
      long[] sums = new long[segments];
      long[] most = new long[segments];
      for (int i = 0; i < rows; i++) {
        sums[i / length] += value(i);
        most[i / length] = Math.max(most[i / length], value(i));
      }
      Column values = column(Storage.LONG, longs, new ValueRange(0, 1L << 32));
      DataType wide = DataType.decimal(38, 2, false);
      reduce("segmentedReduce SUM" + of, AggregateFunction.SUM, values, wide, starts, sums);
      Column any = column(Storage.LONG, longs, null);
      reduce(
          "segmentedReduce SUM in 128 bits" + of, AggregateFunction.SUM, any, wide, starts, sums);
      DataType narrow = DataType.decimal(15, 2, false);
      reduce("segmentedReduce MAX" + of, AggregateFunction.MAX, values, narrow, starts, most);
      data.free();
    }
  }

  private void reduce(
      String name,
      AggregateFunction function,
      Column values,
      DataType type,
      Buffer starts,
      long[] expected) {
    Column[] result = new Column[1];
    measure(
        name,
        8.0 * rows + 12.0 * expected.length,
        0,
        () -> {
          long mark = context.scratch().mark();
          result[0] =
              context
                  .aggregate()
                  .segmentedReduce(
                      context, function, values, starts, expected.length, type, context.scratch());
          context.scratch().release(mark);
        });
    check(name, result[0], expected);
  }
}
