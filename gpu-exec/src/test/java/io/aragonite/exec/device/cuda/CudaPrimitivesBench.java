package io.aragonite.exec.device.cuda;

import static io.aragonite.exec.device.cuda.BenchData.mix;

import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.CudaRadixSort.SortPairs;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.Arrays;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The main primitives on a GPU, each from launch to completion as Java sees it: median, best and
 * worst of several runs after a warm-up; bytes that must be moved over the time, absolutely and
 * beside the rate of a large copy; and the time of a copy of just as many bytes, with the same
 * launch and wait, beside the primitive's. What must be moved is each input once and each output
 * once: of select all flags and the positions found, of a gather ids, rows and results. Answers are
 * checked after the last run; what restores an input is not in the time.
 *
 * <p>Run {@code PrimitivesBench} with {@code -Daragonite.test.device=cuda}; the first argument
 * selects by name (a regular expression), the second is the number of rows as a power of two (27).
 */
public final class CudaPrimitivesBench {
  private static final int RUNS = 15;

  /** Calls that are not timed: so many at least, and then until the JVM has compiled the call. */
  private static final int WARM_UP = 3;

  private static final int WARM_CALLS = 300;
  private static final long WARM_NANOS = 150_000_000;

  /** Of more bytes than twice this, a copy of as many is no comparison worth its memory. */
  private static final long COPIED = 3L << 30;

  private final String filter;
  private final int rows;
  private final CudaDevice device;
  private final TestContext context;
  private final CudaStream stream;
  private final BenchData data;
  private double copyRate;

  private CudaPrimitivesBench(String filter, int rows) {
    this.filter = filter;
    this.rows = rows;
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
        "%s, %d rows, median of %d runs%n%-40s %9s %9s %9s %9s %7s %9s %7s %7s%n",
        gpu.productName(),
        rows,
        RUNS,
        "primitive",
        "median ms",
        "best",
        "worst",
        "GB/s",
        "of copy",
        "copied ms",
        "of that",
        "peer ms");
  }

  public static void main(String[] args) {
    if (MemoryDebug.ON) {
      System.err.println("aragonite.memory.debug is on: these figures mean nothing");
    }
    int power = args.length < 2 ? 27 : Integer.parseInt(args[1]);
    new CudaPrimitivesBench(args.length == 0 ? "" : args[0], 1 << power).run();
  }

  private void run() {
    copy();
    scans();
    selects();
    gathers();
    texts();
    searches();
    sorts();
    new CudaPagesBench(context, data, rows)
        .run((name, bytes, body) -> {
          if (wanted(name)) {
            measure(name, bytes, body);
          }
        });
    context.close();
    device.close();
  }

  private boolean wanted(String name) {
    return name.matches(".*(" + filter + ").*");
  }

  private void measure(String name, double bytes, Runnable body) {
    measure(name, bytes, 0, () -> {}, body);
  }

  /**
   * @param peer milliseconds to be compared with; 0: none
   * @param restore makes the input again, not timed
   */
  private void measure(String name, double bytes, double peer, Runnable restore, Runnable body) {
    double[] times = times(restore, body);
    double median = times[RUNS / 2];
    double rate = bytes / median / 1e6;
    if (copyRate == 0) {
      copyRate = rate;
    }
    double copied = copied(bytes);
    System.out.printf(
        "%-40s %9.3f %9.3f %9.3f %9.0f %6.0f%% %9s %7s %7s%n",
        name,
        median,
        times[0],
        times[RUNS - 1],
        rate,
        100 * rate / copyRate,
        copied == 0 ? "" : "%.3f".formatted(copied),
        copied == 0 ? "" : "%.0f%%".formatted(100 * copied / median),
        peer == 0 ? "" : "%.2f".formatted(peer));
  }

  /** Milliseconds of the runs, ascending. */
  private double[] times(Runnable restore, Runnable body) {
    double[] times = new double[RUNS];
    long began = System.nanoTime();
    for (int call = 0;
        call < WARM_UP || call < WARM_CALLS && System.nanoTime() - began < WARM_NANOS;
        call++) {
      restore.run();
      body.run();
      stream.sync();
    }
    for (int run = 0; run < RUNS; run++) {
      restore.run();
      stream.sync();
      long start = System.nanoTime();
      body.run();
      stream.sync();
      times[run] = (System.nanoTime() - start) / 1e6;
    }
    Arrays.sort(times);
    return times;
  }

  /** Milliseconds of a copy that moves as many bytes, both ways together; 0 if that is too much. */
  private double copied(double bytes) {
    long half = (long) (bytes / 2);
    if (half > COPIED) {
      return 0;
    }
    Buffer from = context.memory().allocate(half);
    Buffer to = context.memory().allocate(half);
    double[] times = times(() -> {}, () -> stream.copy(from.address(), to.address(), half));
    context.memory().free(from);
    context.memory().free(to);
    return times[RUNS / 2];
  }

  /** The floor: all else is compared with it. */
  private void copy() {
    Buffer from = data.make(rows, 8, BenchData::mix);
    Buffer to = data.room(8L * rows);
    measure("copy", 16.0 * rows, () -> stream.copy(from.address(), to.address(), 8L * rows));
    data.expect("copy", to, rows, 8, BenchData::mix);
    data.free();
  }

  private void scans() {
    if (wanted("exclusiveSum")) {
      Buffer in = data.make(rows, 4, i -> mix(i) & 3);
      Buffer out = data.room(8L * rows + 8);
      measure(
          "exclusiveSum", 12.0 * rows, () -> context.scan().exclusiveSum(context, in, rows, out));
      long[] sum = {0};
      data.check(
          "exclusiveSum",
          out,
          rows,
          8,
          (row, value) -> {
            long expected = sum[0];
            sum[0] += mix(row) & 3;
            return value == expected ? null : "not " + expected;
          });
      data.free();
    }
    if (wanted("iota and fill")) {
      Buffer out = data.room(4L * rows);
      measure("iota and fill", 4.0 * rows, () -> context.scan().iota(context, out, 7, rows));
      data.expect("iota", out, rows, 4, i -> i + 7L);
      measure(
          "iota and fill: fill", 4.0 * rows, () -> context.scan().fill(context, out, 4, 9, rows));
      data.expect("fill", out, rows, 4, i -> 9);
      data.free();
    }
  }

  private void selects() {
    for (int percent : new int[] {2, 50, 98}) {
      if (wanted("select")) {
        Buffer flags = data.make(rows, 1, i -> chosen(i, percent) ? 1 : 0);
        Buffer out = data.room(4L * rows);
        int n = context.scan().select(context, flags, rows, true, out);
        measure(
            "select " + percent + " %",
            rows + 4.0 * n,
            () -> context.scan().select(context, flags, rows, true, out));
        checkChosen("select", out, n, percent);
        data.free();
        Buffer ids = data.make(rows, 4, i -> chosen(i, percent) ? i : -1);
        Buffer outIds = data.room(4L * rows);
        measure(
            "selectIds " + percent + " %",
            4.0 * rows + 4.0 * n,
            () -> context.scan().selectIds(context, ids, rows, true, outIds));
        checkChosen("selectIds", outIds, n, percent);
        data.free();
      }
    }
    if (wanted("runLengthEncode")) {
      Buffer keys = data.make(rows, 8, i -> i / 4);
      Buffer starts = data.room(4L * rows + 4);
      measure(
          "runLengthEncode, runs of 4",
          9.0 * rows,
          () -> context.sort().runLengthEncode(context, keys, rows, starts));
      data.expect("runLengthEncode", starts, (rows + 3) / 4, 4, i -> 4L * i);
      data.free();
    }
  }

  private static boolean chosen(int row, int percent) {
    return (mix(row) >>> 33) % 100 < percent;
  }

  private void checkChosen(String name, Buffer out, int n, int percent) {
    int[] at = {-1};
    data.check(
        name,
        out,
        n,
        4,
        (row, value) -> {
          do {
            at[0]++;
          } while (!chosen(at[0], percent));
          return value == at[0] ? null : "not " + at[0];
        });
  }

  /** Ids that come in another order within neighbourhoods of 64 rows. */
  private static long clustered(int row) {
    return row ^ (mix(row >> 6) & 63);
  }

  private long random(int row) {
    return mix(row) >>> 1 & rows - 1;
  }

  private void gathers() {
    gathers("clustered", CudaPrimitivesBench::clustered);
    gathers("random", this::random);
    if (wanted("scatter 4, random")) {
      // An odd factor permutes the numbers below a power of two.
      scatter("scatter 4, random", i -> (i * 0x9E3779B1L) & rows - 1);
    }
    if (wanted("scatter 4, clustered")) {
      scatter("scatter 4, clustered", CudaPrimitivesBench::clustered);
    }
  }

  private void gathers(String kind, IntToLongFunction map) {
    if (!wanted("gather, " + kind)) {
      return;
    }
    Buffer ids = data.make(rows, 4, map);
    Buffer ints = data.make(rows, 4, i -> mix(i));
    Buffer outInts = data.room(4L * rows);
    measure(
        "gather, " + kind + ": gatherIds",
        12.0 * rows,
        () -> context.gather().gatherIds(context, ints, ids, rows, outInts));
    data.expect("gatherIds", outInts, rows, 4, i -> mix(map.applyAsLong(i)));
    Buffer longs = data.make(rows, 8, i -> mix(i));
    Buffer bits = data.make(rows / 64, 8, i -> mix(i));
    for (boolean nulls : new boolean[] {false, true}) {
      Column column =
          new Column(
                  ColumnShape.of(DataType.of(TypeKind.INT64, nulls)),
                  rows,
                  longs,
                  Buffer.EMPTY,
                  nulls ? bits : null,
                  null)
              .withRowIds(new RowIds(ids, rows, false));
      Column[] result = new Column[1];
      measure(
          "gather, " + kind + ": materialize 8" + (nulls ? " nulls" : ""),
          (20.0 + (nulls ? 0.25 : 0)) * rows,
          () -> freeColumn(result),
          () -> result[0] = context.gather().materialize(context, column, context.memory()));
      data.expect("materialize", result[0].values(), rows, 8, i -> mix(map.applyAsLong(i)));
      freeColumn(result);
    }
    data.free();
  }

  private void measure(String name, double bytes, Runnable restore, Runnable body) {
    measure(name, bytes, 0, restore, body);
  }

  private void freeColumn(@Nullable Column[] result) {
    Column column = result[0];
    if (column != null) {
      context.memory().free(column.values());
      context.memory().free(column.offsets());
      if (column.validity() != null) {
        context.memory().free(column.validity());
      }
    }
    result[0] = null;
  }

  private void scatter(String name, IntToLongFunction map) {
    Buffer ids = data.make(rows, 4, map);
    Buffer in = data.make(rows, 4, map);
    Buffer out = data.room(4L * rows);
    measure(name, 12.0 * rows, () -> context.gather().scatter(context, in, ids, rows, 4, out));
    data.expect(name, out, rows, 4, i -> i);
    data.free();
  }

  /** Texts of 0 to 30 bytes, whose bytes are the low ones of their place. */
  private void texts() {
    if (!wanted("text")) {
      return;
    }
    int count = rows / 8;
    int[] ends = new int[count + 1];
    for (int i = 0; i < count; i++) {
      ends[i + 1] = ends[i] + (int) ((mix(i) >>> 8) % 31);
    }
    Buffer offsets = data.make(count + 1, 4, i -> ends[i]);
    Buffer bytes = data.make(ends[count], 1, i -> i);
    Buffer ids = data.make(count, 4, CudaPrimitivesBench::clustered);
    Column column =
        new Column(
                new ColumnShape(DataType.VARCHAR, Storage.BYTES, false, null, null),
                count,
                bytes,
                offsets,
                null,
                null)
            .withRowIds(new RowIds(ids, count, false));
    Column[] result = new Column[1];
    measure(
        "text, 1/8 of the rows, clustered",
        2.0 * ends[count] + 12.0 * count,
        () -> freeColumn(result),
        () -> result[0] = context.gather().materialize(context, column, context.memory()));
    int[] row = {0};
    int[] place = {0};
    data.check(
        "text",
        result[0].values(),
        ends[count],
        1,
        (at, value) -> {
          int id = (int) clustered(row[0]);
          while (place[0] == ends[id + 1] - ends[id]) {
            row[0]++;
            place[0] = 0;
            id = (int) clustered(row[0]);
          }
          byte expected = (byte) (ends[id] + place[0]++);
          return (byte) value == expected ? null : "not " + expected;
        });
    freeColumn(result);
    data.free();
  }

  private void searches() {
    if (wanted("expand")) {
      // 0 to 3 outputs a row, 3/2 on average.
      int count = rows / 2;
      Buffer counts = data.make(count, 4, i -> mix(i) & 3);
      Buffer sums = data.room(8L * count + 8);
      int total = (int) context.scan().exclusiveSum(context, counts, count, sums);
      Buffer outRow = data.room(4L * total);
      Buffer outPlace = data.room(4L * total);
      measure(
          "expand",
          8.0 * count + 8.0 * total,
          () -> context.scan().expand(context, sums, count, 0, total, outRow, outPlace));
      int[] at = {0, 0};
      data.check(
          "expand",
          outRow,
          total,
          4,
          (row, value) -> {
            while (at[1] == (mix(at[0]) & 3)) {
              at[0]++;
              at[1] = 0;
            }
            at[1]++;
            return value == at[0] ? null : "not " + at[0];
          });
      data.free();
    }
    if (wanted("bound")) {
      Buffer keys = data.make(rows, 8, i -> 2L * i);
      Buffer sorted = data.make(rows, 8, i -> 2L * i + 1);
      Buffer out = data.room(4L * rows);
      measure(
          "bound, needles in order",
          20.0 * rows,
          () -> context.sort().bound(context, keys, rows, sorted, rows, false, out));
      data.expect("bound", out, rows, 4, i -> i + 1L);
      Buffer random = data.make(rows, 8, i -> 2 * random(i) + 1);
      measure(
          "bound, random needles",
          20.0 * rows,
          () -> context.sort().bound(context, keys, rows, random, rows, false, out));
      data.expect("bound", out, rows, 4, i -> random(i) + 1);
      data.free();
    }
  }

  private void sorts() {
    sort("sort 4+4, 32 bits", 4, 4, 32, 3.74);
    sort("sort 4+4, 16 bits", 4, 4, 16, 1.91);
    sort("sort 4+4, 8 bits", 4, 4, 8, 1.04);
    sort("sort 4+8, 16 bits", 4, 8, 16, 2.58);
    sort("sort 8+8, 16 bits", 8, 8, 16, 3.25);
    sort("sort 8+4, 64 bits", 8, 4, 64, 10.1);
    partition();
    sortPairs("sortPairs, 40 random bits", i -> mix(i) >>> 24);
    sortPairs("sortPairs, 27 dense bits", this::random);
    sortPairs("sortPairs, one of 100 keys in half", i -> (i & 1) == 0 ? 5 : mix(i) & 127);
  }

  private void sort(String name, int keyBytes, int valueBytes, int bits, double peer) {
    if (!wanted(name)) {
      return;
    }
    long keyMask = keyBytes == 8 ? -1L : 0xFFFF_FFFFL;
    Buffer keys = data.make(rows, keyBytes, BenchData::mix);
    Buffer values = data.make(rows, valueBytes, i -> i);
    SortPairs in =
        new SortPairs(data.room((long) keyBytes * rows), data.room((long) valueBytes * rows));
    SortPairs other =
        new SortPairs(data.room((long) keyBytes * rows), data.room((long) valueBytes * rows));
    SortPairs[] sorted = new SortPairs[1];
    int passes = (bits + 7) / 8;
    measure(
        name,
        // One more pass over the keys counts the digits.
        (keyBytes + 2.0 * passes * (keyBytes + valueBytes)) * rows,
        peer,
        () -> {
          stream.copy(keys.address(), in.keys().address(), (long) keyBytes * rows);
          stream.copy(values.address(), in.values().address(), (long) valueBytes * rows);
        },
        () ->
            sorted[0] =
                new CudaRadixSort(context, keyBytes, valueBytes).sort(in, other, rows, 0, bits));
    long digit = bits == 64 ? -1L : (1L << bits) - 1;
    checkSorted(name, sorted[0].values(), valueBytes, i -> mix(i) & keyMask, digit);
    long[] hash = {0};
    data.check(
        name,
        sorted[0].keys(),
        rows,
        keyBytes,
        (row, key) -> {
          hash[0] += mix(key);
          return null;
        });
    for (int i = 0; i < rows; i++) {
      hash[0] -= mix(mix(i) & keyMask);
    }
    if (hash[0] != 0) {
      throw new AssertionError(name + ": the keys are not those that were given");
    }
    data.free();
  }

  /** Values are row numbers: in the order of their keys, and of themselves where keys agree. */
  private void checkSorted(
      String name, Buffer values, int width, IntToLongFunction key, long digit) {
    long[] last = {0, -1};
    data.check(
        name,
        values,
        rows,
        width,
        (row, value) -> {
          if (value < 0 || value >= rows) {
            return "no row";
          }
          long now = key.applyAsLong((int) value) & digit;
          int order = row == 0 ? 1 : Long.compareUnsigned(now, last[0]);
          boolean ordered = order > 0 || order == 0 && value > last[1];
          last[0] = now;
          last[1] = value;
          return ordered ? null : "out of order";
        });
  }

  private void partition() {
    if (!wanted("radixPartition")) {
      return;
    }
    Buffer keys = data.make(rows, 8, BenchData::mix);
    Buffer ids = data.make(rows, 4, i -> i);
    Buffer outKeys = data.room(8L * rows);
    Buffer outIds = data.room(4L * rows);
    for (int bits : new int[] {8, 11}) {
      Buffer offsets = data.room((4L << bits) + 4);
      measure(
          "radixPartition 8+4, " + bits + " bits",
          (8 + 24.0 * ((bits + 7) / 8)) * rows,
          () ->
              context
                  .partition()
                  .radixPartition(context, keys, ids, rows, 0, bits, outKeys, outIds, offsets));
      checkSorted("radixPartition", outIds, 4, BenchData::mix, (1L << bits) - 1);
    }
    data.free();
  }

  private void sortPairs(String name, IntToLongFunction key) {
    if (!wanted(name)) {
      return;
    }
    Buffer master = data.make(rows, 8, key);
    Buffer ids = data.room(4L * rows);
    Buffer keys = data.room(8L * rows);
    measure(
        name,
        24.0 * rows,
        () -> {
          stream.copy(master.address(), keys.address(), 8L * rows);
          context.scan().iota(context, ids, 0, rows);
        },
        () -> context.sort().sortPairs(context, keys, ids, rows, 0, 64));
    checkSorted(name, ids, 4, key, -1L);
    data.free();
  }
}
