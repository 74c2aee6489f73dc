package io.aragonite.bench.multi;

import io.aragonite.bench.data.BenchColumns;

import io.aragonite.bench.join.JoinData;
import io.aragonite.bench.data.Zipf;

import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.bench.multi.MultiBench.Result;
import io.aragonite.bench.multi.Timeline.Line;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.collective.Member.Span;
import io.aragonite.exec.exchange.host.HostColumn;
import io.aragonite.exec.group.HostJoin;
import io.aragonite.exec.group.HostJoin.Busy;
import io.aragonite.exec.group.HostJoin.Settings;
import io.aragonite.exec.exchange.host.HostMatches;
import io.aragonite.exec.exchange.host.HostMatches.Ranges;
import io.aragonite.exec.exchange.host.HostMatches.Whole;
import io.aragonite.exec.exchange.host.HostSide;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.execution.QueryExecution;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Sort-merge joins from host memory to match ranges in host memory, on 1, 2, 4 and all devices: R
 * of n different keys, spread over all integers of their width, S of n keys of R, a payload column
 * of the key's width on each side. Inputs and results are in page-locked memory where devices have
 * such; making it is no part of the time.
 */
public final class HostJoinBench implements AutoCloseable {
  private static final long LEFT_SALT = 0x5555_5555;
  private static final long RIGHT_SALT = 0x3333_3333;

  private final List<Device> devices;
  private final int runs;
  private final PrintWriter out;
  private final List<Result> results = new ArrayList<>();
  private final Map<String, List<Line>> timelines = new LinkedHashMap<>();
  private final QueryExecution inputs;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());

  /**
   * @param devices stay the caller's
   * @param runs timed runs, of which the median counts
   */
  public HostJoinBench(List<Device> devices, int runs, PrintWriter out) {
    this.devices = devices;
    this.runs = runs;
    this.out = out;
    this.inputs =
        new QueryExecution(devices.getFirst(), threads, QueryOptions.DEFAULT, new QueryMetrics());
  }

  public List<Result> results() {
    return results;
  }

  /** What devices did when, as pictures: a line for each one's thread and streams. */
  public Map<String, String> pictures() {
    Map<String, String> pictures = new TreeMap<>();
    timelines.forEach((name, lines) ->
        pictures.put(name.replaceAll("[^A-Za-z0-9]+", "-") + ".svg", Timeline.svg(name, lines)));
    return pictures;
  }

  /** How a case is joined. */
  public enum Way {
    /** On the devices that sorted the rows. */
    RESIDENT("", Settings.DEFAULT),
    /** By pieces, whose keys come to the devices again. */
    PIECES(", join phase by pieces", new Settings(0, false, false)),
    /** With too little memory for the sides: chunksets are merged. */
    CHUNKSETS(", chunksets", Settings.DEFAULT),
    /** Sides that are sorted already. */
    SORTED(", sorted", Settings.DEFAULT);

    final String label;
    final Settings settings;

    Way(String label, Settings settings) {
      this.label = label;
      this.settings = settings;
    }
  }

  /**
   * Joins.
   *
   * @param log2 2 to this power are the rows of each side
   * @param width of keys and payload: 4 or 8 bytes
   * @param zipf how uneven the keys of S are; 0: not at all; infinite: one key only
   * @param chunkBytes what a device has room for where chunksets are merged; 0: these are left out
   * @param counts of devices
   * @param ways to join; of skewed sides those that make sense
   */
  public void joins(
      int log2, int width, double zipf, long chunkBytes, List<Integer> counts, Set<Way> ways) {
    long rows = 1L << log2;
    List<Buffer> buffers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      buffers.add(inputs.hostMemory().allocate(width * rows));
    }
    try {
      Case one = fill(buffers, log2, width, zipf);
      for (int count : counts) {
        if (zipf == 0) {
          printBuses(count, buffers);
        }
        if (ways.contains(Way.RESIDENT)) {
          run(one, count, Way.RESIDENT, Way.RESIDENT.settings);
        }
        if (zipf == 0 && ways.contains(Way.PIECES)) {
          run(one, count, Way.PIECES, Way.PIECES.settings);
        }
        if (chunkBytes > 0 && ways.contains(Way.CHUNKSETS)) {
          run(one, count, Way.CHUNKSETS, new Settings(chunkBytes, false, true));
        }
      }
      if (zipf == 0 && ways.contains(Way.SORTED)) {
        sorted(one, counts);
      }
    } finally {
      buffers.forEach(inputs.hostMemory()::free);
    }
  }

  /** Fills keys and payload of both sides; keys of the right one repeat by {@code zipf}. */
  private Case fill(List<Buffer> buffers, int log2, int width, double zipf) {
    long rows = 1L << log2;
    Zipf ranks = new Zipf((int) rows, zipf > 0 && Double.isFinite(zipf) ? zipf : 1);
    long mask = rows - 1;
    LongUnaryOperator row =
        zipf == 0
            ? i -> BenchColumns.mix(i) & mask
            : Double.isInfinite(zipf)
                ? i -> rows / 3
                : i -> (long) (ranks.rank(BenchColumns.mix(i)) - 1) * 0x9E3779B1L & mask;
    fill(
        buffers.get(0),
        buffers.get(1),
        width,
        rows,
        i -> key(i * 0x9E3779B1L & mask, width),
        LEFT_SALT);
    fill(
        buffers.get(2),
        buffers.get(3),
        width,
        rows,
        i -> key(row.applyAsLong(i), width),
        RIGHT_SALT);
    return new Case(
            log2,
            width,
            zipf,
            side(buffers, 0, width, rows, false),
            side(buffers, 2, width, rows, false));
  }

  private void printBuses(int count, List<Buffer> buffers) {
    List<Device> some = devices.subList(0, count);
    BusRates rates = BusRates.of(some, threads, buffers.get(0), buffers.get(2));
    out.printf(
        Locale.ROOT,
        "buses of %d devices, GB/s: in %.1f, out %.1f, both ways %.1f each%n",
        count,
        rates.in(),
        rates.out(),
        rates.bothIn());
  }

  /** The same sides in order. */
  private void sorted(Case one, List<Integer> counts) {
    QueryOptions options = QueryOptions.DEFAULT;
    Settings keys = new Settings(0, true, true);
    try (HostJoin join = HostJoin.run(devices, threads, options, one.left, one.right, keys)) {
      List<HostColumn> ours = join.matches().left();
      HostColumn key = Objects.requireNonNull(join.matches().rightKey());
      Case sorted =
          new Case(
              one.log2,
              one.width,
              one.zipf,
              new HostSide(ours.getFirst(), List.of(), ours.subList(1, 2), true),
              new HostSide(key, List.of(), join.matches().rightPayload(), true));
      for (int count : counts) {
        run(sorted, count, Way.SORTED, Way.SORTED.settings);
      }
    }
  }

  private record Case(int log2, int width, double zipf, HostSide left, HostSide right) {}

  /** A permutation of the numbers of 32 or 64 bits. */
  private static long key(long row, int width) {
    return width == 4 ? (int) (row * 0x85EBCA6BL) : row * 0x9E3779B97F4A7C15L;
  }

  private static void fill(
      Buffer keys, Buffer payload, int width, long rows, LongUnaryOperator key, long salt) {
    long task = 1 << 20;
    LongStream.range(0, (rows + task - 1) / task)
        .parallel()
        .forEach(t -> {
          for (long i = t * task; i < Math.min(rows, (t + 1) * task); i++) {
            long value = key.applyAsLong(i);
            put(keys.address() + width * i, width, value);
            put(payload.address() + width * i, width, value ^ salt);
          }
        });
  }

  private static void put(long address, int width, long value) {
    if (width == 4) {
      Mem.putInt(address, (int) value);
    } else {
      Mem.putLong(address, value);
    }
  }

  private static HostSide side(
      List<Buffer> buffers, int first, int width, long rows, boolean sorted) {
    HostColumn key = HostColumn.of(buffers.get(first).address(), width, rows);
    HostColumn payload = HostColumn.of(buffers.get(first + 1).address(), width, rows);
    return new HostSide(key, List.of(), List.of(payload), sorted);
  }

  private void run(Case one, int count, Way way, Settings settings) {
    double[] times = new double[runs];
    boolean right = true;
    double reading = 0;
    String spent = "";
    List<Line> lines = List.of();
    // The last run is for the picture: its streams' clocks are read, which takes time.
    for (int run = -1; run <= runs; run++) {
      boolean drawn = run == runs;
      Settings how =
          new Settings(settings.roomBytes(), settings.rightKeys(), settings.resident(), drawn);
      long start = System.nanoTime();
      try (HostJoin join =
          HostJoin.run(
              devices.subList(0, count), threads, QueryOptions.DEFAULT, one.left, one.right, how)) {
        if (drawn) {
          lines = lines(join.busy());
          continue;
        }
        times[Math.max(0, run)] = (System.nanoTime() - start) / 1e6;
        if (run < 1) {
          start = System.nanoTime();
          boolean found = found(join.matches()) == one.left.rows();
          reading = (System.nanoTime() - start) / 1e6;
          right &= found && right(join.matches(), one.left.rows());
        }
        spent = "%s; ms: all pairs read %.2f, %s".formatted(join.way(), reading, spent(join));
      }
    }
    Arrays.sort(times);
    double millis = times[times.length / 2];
    String name =
        "host to host, 2^%d rows, %d+%d bytes, zipf %s%s"
            .formatted(one.log2, one.width, one.width, one.zipf, way.label);
    Result result = new Result(name, count, millis, 2 * one.left.rows() / millis / 1e3, right);
    results.add(result);
    out.printf(
        Locale.ROOT,
        "%-62s %d devices %9.2f ms (%.2f to %.2f) %8.1f M rows/s%s%n    %s%n",
        name,
        count,
        millis,
        times[0],
        times[times.length - 1],
        result.rate(),
        right ? "" : "  WRONG",
        spent);
    out.flush();
    timelines.put(name + " on " + count, lines);
  }

  private static List<Line> lines(List<Busy> devices) {
    List<Line> lines = new ArrayList<>();
    int device = 0;
    for (Busy busy : devices) {
      lines.addAll(Timeline.lines(device++, busy.spans(), busy.stretches()));
    }
    return lines;
  }

  private static String spent(HostJoin join) {
    StringBuilder text = new StringBuilder();
    join.phases()
        .forEach(
            (name, millis) -> text.append(String.format(Locale.ROOT, "%s %.2f ", name, millis)));
    for (Busy busy : join.busy()) {
      Map<String, Double> sums = new TreeMap<>();
      for (Span span : busy.spans()) {
        sums.merge(span.what(), (span.to() - span.from()) / 1e6, Double::sum);
      }
      text.append("| ")
          .append(
              sums.entrySet().stream()
                  .map(e -> String.format(Locale.ROOT, "%s %.2f", e.getKey(), e.getValue()))
                  .collect(Collectors.joining(" ")));
      text.append(
          String.format(
              Locale.ROOT,
              " to device %.2f to host %.2f ",
              busy.toDeviceNanos() / 1e6,
              busy.toHostNanos() / 1e6));
    }
    return text.toString();
  }

  /**
   * All rows of S have found the one row of R with their key: as many pairs as rows, left keys that
   * ascend, and each pair's payload belongs to its key.
   */
  private static boolean right(HostMatches matches, long rows) {
    HostColumn keys = matches.left().getFirst();
    HostColumn left = matches.left().get(1);
    if (matches.pairs() != rows || keys.rows() != rows) {
      return false;
    }
    long task = 1 << 18;
    return LongStream.range(0, (rows + task - 1) / task)
        .parallel()
        .allMatch(t -> ordered(keys, left, t * task, Math.min(rows, (t + 1) * task)));
  }

  /** Reads all pairs; far too few if one of them is wrong. */
  private static long found(HostMatches matches) {
    HostColumn keys = matches.left().getFirst();
    HostColumn right = matches.rightPayload().getFirst();
    long task = 1 << 18;
    long found = 0;
    for (Ranges ranges : matches.ranges()) {
      found +=
          LongStream.range(0, (ranges.rows() + task - 1) / task)
              .parallel()
              .map(t -> found(matches, ranges, t * task, Math.min(ranges.rows(), (t + 1) * task)))
              .sum();
    }
    for (Whole key : matches.keys()) {
      for (long i : new long[] {0, key.rightRows() / 2, key.rightRows() - 1}) {
        boolean same = (right.get(key.rightFrom() + i) ^ RIGHT_SALT) == keys.get(key.leftFrom());
        found += same ? 0 : Long.MIN_VALUE / 8;
      }
      found += key.leftRows() * key.rightRows();
    }
    return found;
  }

  private static boolean ordered(HostColumn keys, HostColumn payload, long from, long to) {
    for (long i = from; i < to; i++) {
      long key = keys.get(i);
      if (i > 0 && keys.get(i - 1) >= key || (payload.get(i) ^ LEFT_SALT) != key) {
        return false;
      }
    }
    return true;
  }

  /** Pairs of some rows, far too few if one of them is wrong. */
  private static long found(HostMatches matches, Ranges ranges, long from, long to) {
    HostColumn keys = matches.left().getFirst();
    HostColumn right = matches.rightPayload().getFirst();
    long[] found = new long[1];
    ranges.forEach(
        ranges.leftFrom() + from,
        ranges.leftFrom() + to,
        (leftFrom, leftTo, rightFrom, rightTo) -> {
          long key = keys.get(leftFrom);
          boolean same = leftTo == leftFrom + 1;
          for (long row = rightFrom; row < rightTo; row++) {
            same &= (right.get(row) ^ RIGHT_SALT) == key;
          }
          found[0] += same ? rightTo - rightFrom : Long.MIN_VALUE / 1024;
        });
    return found[0];
  }

  @Override
  public void close() {
    inputs.close();
    threads.shutdownNow();
  }
}
