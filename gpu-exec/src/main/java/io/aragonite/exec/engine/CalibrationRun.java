package io.aragonite.exec.engine;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/**
 * Measures a device through its primitives, once. Each figure is the quickest of some runs, since
 * others on the machine only ever make things slower.
 */
final class CalibrationRun {
  /** The least runs, those without a quicker one that end a measurement, and the most. */
  private static final int RUNS = 4;

  private static final int STEADY = 3;
  private static final int MOST_RUNS = 16;

  /** What is quicker by less is not. */
  private static final double QUICKER = 0.97;

  private static final int PIECE = 1 << 20;
  private static final int TABLES = 5;

  /** Work over a part of the rows, by one worker. */
  private interface Part {
    void run(ExecContext worker, int from, int count);
  }

  private final Device device;
  private final boolean ofHost;
  private final int smallBits;
  private final int largeBits;
  private final Map<String, Double> curves;
  private final ExecContext context;
  private final QueryMemory memory;
  private final Buffer word;
  private final int large;
  private final int small;

  /**
   * @param ofHost whether the device is a core of the host
   * @param smallBits 2 to this power rows make a table that the cache holds
   * @param largeBits 2 to this power rows make one that it does not hold by far
   * @param curves gets what is measured by size or width
   * @param context of a query on the device
   */
  CalibrationRun(
      Device device,
      boolean ofHost,
      int smallBits,
      int largeBits,
      Map<String, Double> curves,
      ExecContext context) {
    this.device = device;
    this.ofHost = ofHost;
    this.smallBits = smallBits;
    this.largeBits = largeBits;
    this.curves = curves;
    this.context = context;
    this.memory = context.memory();
    this.word = memory.allocate(8);
    this.large = 1 << largeBits;
    this.small = 1 << smallBits;
  }

  /** What stands for each figure of a profile, in their order. */
  double[] measure() {
    double start = start();
    double sync = nanos(() -> context.scan().fill(context, word, 8, 0, 1));
    double sequential = sequential();
    gathers();
    double[] lookups = lookups(sequential);
    double hit = lookups[1];
    double cache = cache(lookups, hit);
    double small = build(this.small, KeyPattern.PERMUTED, sequential);
    double large = build(this.large, KeyPattern.PERMUTED, sequential);
    double sparse = build(this.small, KeyPattern.SPARSE, sequential);
    double ordered = build(this.large, KeyPattern.ORDERED, sequential);
    double denseGroups = build(this.large, KeyPattern.REPEATED, sequential);
    double sparseGroups = build(this.large, KeyPattern.SPARSE_REPEATED, sequential);
    double mixed = lookups[TABLES + 1];
    double narrow = partition(0);
    double wide = partition(2);
    double value = value();
    return new double[] {
      sequential,
      1,
      1,
      cache,
      lookups[0],
      hit,
      lookups[TABLES],
      small,
      large,
      ordered,
      small,
      sparse,
      sparse,
      mixed,
      sparseGroups,
      denseGroups,
      hit,
      hit,
      narrow,
      narrow,
      wide,
      sort() / 8,
      start,
      sync,
      build(this.small, KeyPattern.SPREAD, sequential),
      lookup(this.small, KeyPattern.SPREAD, sequential),
      mixed,
      value,
      wide,
      hit,
      fresh(),
      host(device.host().newQueryMemory(0)),
      host(device.newHostMemory(0))
    };
  }

  /**
   * Nanoseconds of a task and of waiting for it, at best. It runs until it gets no quicker: the
   * first runs time code that the JVM has not compiled, the longer the fewer processors it has.
   */
  private double nanos(Runnable task) {
    double best = Double.MAX_VALUE;
    int steady = 0;
    for (int run = 0; run < MOST_RUNS && (run < RUNS || steady < STEADY); run++) {
      context.checkCancelled();
      long begin = System.nanoTime();
      task.run();
      device.transfers().readInt(context, word, 0);
      double nanos = System.nanoTime() - begin;
      steady = nanos < QUICKER * best ? 0 : steady + 1;
      best = Math.min(best, nanos);
    }
    return best;
  }

  /** As {@link #nanos} of work that pipelines would share among workers. */
  private double shared(int rows, Part part) {
    int workers = device.properties().workers();
    int each = (rows + workers - 1) / workers;
    return nanos(() ->
        context
            .parallel()
            .forEach(
                workers,
                (worker, i) -> {
                  int from = Math.min(rows, i * each);
                  int count = Math.min(each, rows - from);
                  if (count > 0) {
                    part.run(worker, from, count);
                  }
                }));
  }

  private double start() {
    int calls = 200;
    double all =
        nanos(() -> {
          for (int i = 0; i < calls; i++) {
            context.scan().fill(context, word, 8, i, 1);
          }
        });
    return all / calls;
  }

  private double sequential() {
    Buffer from = memory.allocate(8L * large);
    Buffer to = memory.allocate(8L * large);
    context.scan().fill(context, from, 8, 7, large);
    double nanos =
        shared(
            large,
            (worker, at, count) ->
                device
                    .transfers()
                    .copy(
                        worker,
                        from.slice(8L * at, 8L * count),
                        to.slice(8L * at, 8L * count),
                        8L * count));
    memory.free(from);
    memory.free(to);
    return 16.0 * large / nanos;
  }

  /**
   * Nanoseconds of a lookup by size of the table, small ones first; at last of sparse keys in a
   * small one.
   */
  private double[] lookups(double sequential) {
    double[] result = new double[TABLES + 2];
    result[0] = lookup(Math.max(64, small >> 6), KeyPattern.PERMUTED, sequential);
    for (int i = 1; i <= TABLES; i++) {
      int bits = bits(i);
      result[i] = lookup(1 << bits, KeyPattern.PERMUTED, sequential);
      curves.put("lookupNanos.table." + (4L << bits), result[i]);
    }
    for (int i = 1; i <= TABLES; i++) {
      int bits = bits(i);
      curves.put(
          "insertNanos.table." + (4L << bits), build(1 << bits, KeyPattern.PERMUTED, sequential));
    }
    // In the cache, since larger tables of mixed keys are priced by their size as well.
    result[TABLES + 1] = lookup(small, KeyPattern.SPARSE, sequential);
    return result;
  }

  /** The size of a table of a curve, the first of them 1. */
  private int bits(int i) {
    return smallBits + (largeBits - smallBits) * (i - 1) / (TABLES - 1);
  }

  /**
   * Values of 8 bytes that are fetched from working sets of several sizes: from anywhere, and from
   * within a stretch of some thousand that goes through them, as after partitioning.
   */
  private void gathers() {
    int rows = large / 4;
    int near = 1 << Math.min(12, smallBits);
    for (int i = 1; i <= TABLES; i++) {
      long values = 1L << bits(i);
      double random = gather(values, ids(rows, row -> mix(row) & values - 1), rows);
      double clustered =
          gather(
              values,
              ids(rows, row -> (row * values / rows & -near) + (mix(row) & near - 1)),
              rows);
      curves.put("randomBytesPerNano.in." + 8 * values, random);
      curves.put("clusteredBytesPerNano.in." + 8 * values, clustered);
    }
  }

  /** Bytes of values a nanosecond. */
  private double gather(long values, Buffer ids, int rows) {
    Buffer from = memory.allocate(8 * values);
    context.scan().fill(context, from, 8, 7, (int) values);
    Column column =
        new Column(ColumnShape.of(DataType.INT64), rows, from, Buffer.EMPTY, null, null)
            .withRowIds(new RowIds(ids, rows, false));
    double nanos =
        nanos(() -> memory.free(context.gather().materialize(context, column, memory).values()));
    memory.free(ids);
    memory.free(from);
    return 8.0 * rows / nanos;
  }

  private double lookup(int keys, KeyPattern kind, double sequential) {
    Buffer build = words(keys, i -> kind.word(i, keys));
    HashTable table = context.hash().build(context, build, null, keys, memory);
    memory.free(build);
    int rows = Math.max(keys, large / 4);
    Buffer probe = words(rows, i -> kind.word((int) (mix(i) & (keys - 1)), keys));
    Buffer out = memory.allocate(4L * rows);
    double nanos =
        shared(
            rows,
            (worker, from, count) ->
                table.lookup(
                    worker,
                    probe.slice(8L * from, 8L * count),
                    count,
                    out.slice(4L * from, 4L * count)));
    table.close();
    memory.free(probe);
    memory.free(out);
    return Math.max(1e-4, (nanos - 12.0 * rows / sequential) / rows);
  }

  /** What of a table the cache seems to hold, by how much slower lookups are in larger ones. */
  private double cache(double[] lookups, double hit) {
    double miss = lookups[TABLES];
    List<Double> found = new ArrayList<>();
    for (int i = 2; i < TABLES; i++) {
      double missing = (lookups[i] - hit) / Math.max(1e-9, miss - hit);
      if (missing > 0.1 && missing < 0.9) {
        found.add((1 - missing) * 4.0 * (1L << bits(i)));
      }
    }
    found.sort(null);
    return found.isEmpty() ? 4.0 * small : found.get(found.size() / 2);
  }

  private double build(int rows, KeyPattern kind, double sequential) {
    Buffer words = words(rows, i -> kind.word(i, rows));
    double nanos = nanos(() -> context.hash().build(context, words, null, rows, memory).close());
    memory.free(words);
    return Math.max(1e-4, (nanos - 20.0 * rows / sequential) / rows);
  }

  /** Nanoseconds of a row with a word, its row id and so many columns of 8 bytes. */
  private double partition(int columns) {
    Buffer words = words(large, i -> KeyPattern.PERMUTED.word(i, large));
    PartitionFunction order = context.partition().partitionFunction(context, words, 8, large);
    List<Buffer> buffers = new ArrayList<>();
    List<MovedColumn> moved = new ArrayList<>();
    for (int c = 0; c <= columns; c++) {
      int width = c == 0 ? 4 : 8;
      Buffer in = keep(buffers, (long) width * large);
      context.scan().fill(context, in, width, c, large);
      moved.add(new MovedColumn(in, keep(buffers, (long) width * large), width));
    }
    Buffer out = keep(buffers, 8L * large);
    Buffer offsets = keep(buffers, (4L << PartitionOps.PASS_BITS) + 4);
    double nanos =
        nanos(() ->
            context
                .partition()
                .partitionRows(
                    context, order, PartitionOps.PASS_BITS, words, 8, large, out, moved, offsets));
    memory.free(words);
    buffers.forEach(memory::free);
    curves.put("partitionNanos.row." + (12 + 8 * columns), nanos / large);
    return nanos / large;
  }

  private Buffer keep(List<Buffer> buffers, long bytes) {
    Buffer buffer = memory.allocate(bytes);
    buffers.add(buffer);
    return buffer;
  }

  /** Nanoseconds of a value that is gathered in order. */
  private double value() {
    int rows = large / 4;
    Buffer ids = memory.allocate(4L * rows);
    Buffer values = memory.allocate(8L * rows);
    context.scan().iota(context, ids, 0, rows);
    context.scan().fill(context, values, 8, 7, rows);
    Column column =
        new Column(ColumnShape.of(DataType.INT64), rows, values, Buffer.EMPTY, null, null)
            .withRowIds(new RowIds(ids, rows, false));
    double nanos =
        nanos(() -> memory.free(context.gather().materialize(context, column, memory).values()));
    memory.free(ids);
    memory.free(values);
    return nanos / rows;
  }

  /** Nanoseconds of a byte of memory that was not used before. */
  private double fresh() {
    long bytes = 4L * large;
    double nanos =
        nanos(() -> {
          Buffer buffer = memory.allocate(bytes);
          context.scan().fill(context, buffer, 8, 0, large / 2);
          memory.free(buffer);
        });
    return nanos / bytes;
  }

  private double sort() {
    int rows = large / 4;
    Buffer ids = memory.allocate(4L * rows);
    double best = Double.MAX_VALUE;
    for (int run = 0; run < 2; run++) {
      Buffer words = words(rows, i -> mix(i));
      context.scan().iota(context, ids, 0, rows);
      device.transfers().readInt(context, ids, 0);
      long begin = System.nanoTime();
      context.sort().sortPairs(context, words, ids, rows, 0, Long.SIZE);
      device.transfers().readInt(context, ids, 0);
      best = Math.min(best, System.nanoTime() - begin);
      memory.free(words);
    }
    memory.free(ids);
    curves.put("sortNanos.word.8", best / rows);
    return best / rows;
  }

  /**
   * Bytes a nanosecond to the device.
   *
   * @param from memory of the host; closed
   */
  private double host(QueryMemory from) {
    try (from) {
      if (ofHost) {
        return Double.POSITIVE_INFINITY;
      }
      int bytes = 8 << Math.min(23, largeBits);
      Buffer to = memory.allocate(bytes);
      long address = from.allocate(bytes).address();
      Mem.fill(address, bytes, (byte) 1);
      double nanos = nanos(() -> device.transfers().toDevice(context, address, to, bytes));
      memory.free(to);
      return bytes / nanos;
    }
  }

  /** KeyPattern in the device's memory. */
  private Buffer words(int rows, LongUnaryOperator maker) {
    return numbers(rows, 8, maker);
  }

  /** Row numbers there. */
  private Buffer ids(int rows, LongUnaryOperator maker) {
    return numbers(rows, 4, maker);
  }

  private Buffer numbers(int rows, int width, LongUnaryOperator maker) {
    Buffer out = memory.allocate((long) width * rows);
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    int piece = Math.min(PIECE, rows);
    long staging = scratch.allocate((long) width * piece).address();
    for (int from = 0; from < rows; from += piece) {
      int count = Math.min(piece, rows - from);
      for (int i = 0; i < count; i++) {
        long number = maker.applyAsLong((long) from + i);
        if (width == 8) {
          Mem.putLong(staging + 8L * i, number);
        } else {
          Mem.putInt(staging + 4L * i, (int) number);
        }
      }
      long bytes = (long) width * count;
      device.transfers().toDevice(context, staging, out.slice((long) width * from, bytes), bytes);
    }
    scratch.release(mark);
    return out;
  }

  private static long mix(long x) {
    long y = x + 0x9E3779B97F4A7C15L;
    y = (y ^ y >>> 30) * 0xBF58476D1CE4E5B9L;
    y = (y ^ y >>> 27) * 0x94D049BB133111EBL;
    return y ^ y >>> 31;
  }

  /** What the words of a table are. */
  private enum KeyPattern {
    /** 0 to n - 1, in no order. */
    PERMUTED,
    /** 0 to n - 1. */
    ORDERED,
    /** Each with 63 others that are not there behind it, in no order. */
    SPREAD,
    /** Anywhere. */
    SPARSE,
    /** Every word four times, in no order. */
    REPEATED,
    /** Every word four times, anywhere, in no order. */
    SPARSE_REPEATED;

    /** Word i of n, a power of two. */
    long word(long i, int n) {
      return switch (this) {
        case PERMUTED -> permuted(i, n);
        case ORDERED -> i;
        case SPREAD -> permuted(i, n) << 6;
        case SPARSE -> mix(i);
        case REPEATED -> permuted(i, n) >>> 2;
        case SPARSE_REPEATED -> mix(permuted(i, n) >>> 2);
      };
    }

    /** A bijection of the bits below n. */
    private static long permuted(long i, int n) {
      int half = Math.max(1, Integer.numberOfTrailingZeros(n) / 2);
      long x = i;
      for (int round = 0; round < 2; round++) {
        x ^= x >>> half;
        x = x * 0x2C1B3C6DL & n - 1;
      }
      return x ^ x >>> half;
    }
  }
}
