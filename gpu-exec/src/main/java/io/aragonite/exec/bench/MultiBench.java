package io.aragonite.exec.bench;

import io.aragonite.exec.Engine;
import io.aragonite.exec.QueryMetrics;
import io.aragonite.exec.QueryOptions;
import io.aragonite.exec.QueryResult;
import io.aragonite.exec.bench.Timeline.Line;
import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.device.CopyQueue.PeerCopy;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.group.DeviceGroup.InPlace;
import io.aragonite.exec.group.DeviceGroup.Part;
import io.aragonite.exec.group.DeviceGroup.Span;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.QueryExecution;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * Several devices: how quickly they copy from each other, and joins of R and S of so many rows a
 * device, which are spread over the devices before and whose wide result stays on them.
 */
public final class MultiBench implements AutoCloseable {
  /**
   * What was measured.
   *
   * @param devices how many
   * @param millis median
   * @param rate GB/s of copies, million rows a second of joins
   * @param right whether the answer was checked and right
   */
  public record Result(String name, int devices, double millis, double rate, boolean right) {}

  private final List<Device> devices;
  private final int runs;
  private final PrintWriter out;
  private final List<Result> results = new ArrayList<>();
  private final Map<String, List<Line>> timelines = new LinkedHashMap<>();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());

  /**
   * @param devices stay the caller's
   * @param runs timed runs, of which the median counts
   */
  public MultiBench(List<Device> devices, int runs, PrintWriter out) {
    this.devices = devices;
    this.runs = runs;
    this.out = out;
  }

  public List<Result> results() {
    return results;
  }

  private QueryExecution execution(Device device) {
    return new QueryExecution(device, threads, QueryOptions.DEFAULT, new QueryMetrics());
  }

  private void add(Result result, String rate) {
    results.add(result);
    out.printf(
        Locale.ROOT,
        "%-34s %d devices %9.2f ms %8.1f %s%s%n",
        result.name(),
        result.devices(),
        result.millis(),
        result.rate(),
        rate,
        result.right() ? "" : "  WRONG");
    out.flush();
  }

  private static double median(double[] times) {
    Arrays.sort(times);
    return times[times.length / 2];
  }

  /**
   * Copies between each two devices, then of all at once.
   *
   * @return bytes a nanosecond to a device, from another; through the host's memory where it is not
   *     reached
   */
  public double[][] copies(long bytes) {
    double[][] rates = new double[devices.size()][devices.size()];
    List<QueryExecution> queries = devices.stream().map(this::execution).toList();
    try {
      List<Buffer> from = new ArrayList<>();
      List<Buffer> to = new ArrayList<>();
      for (int i = 0; i < devices.size(); i++) {
        from.add(queries.get(i).memory().allocate(bytes));
        to.add(queries.get(i).memory().allocate(bytes));
        queries.get(i).memory().fill(from.get(i), (byte) (i + 1));
        sync(queries.get(i));
      }
      for (int i = 0; i < devices.size(); i++) {
        for (int j = 0; j < devices.size(); j++) {
          if (i != j) {
            rates[j][i] = pair(queries, from, to, i, j);
          }
        }
      }
      if (devices.size() > 1) {
        all(queries, from, to, bytes);
      }
    } finally {
      queries.forEach(QueryExecution::close);
    }
    return rates;
  }

  private static void sync(QueryExecution query) {
    query.work(context -> {
      context.device().transfers().await(context);
      return true;
    });
  }

  private double pair(
      List<QueryExecution> queries, List<Buffer> from, List<Buffer> to, int source, int target) {
    Device peer = devices.get(source);
    String name = peer.name() + " -> " + devices.get(target).name();
    if (!devices.get(target).transfers().reaches(peer)) {
      name += ", through the host's memory";
    }
    double[] times = new double[runs];
    for (int run = -1; run < runs; run++) {
      double millis = copy(queries, source, target, from.get(source), to.get(target));
      times[Math.max(0, run)] = millis;
    }
    long bytes = from.get(source).size();
    double millis = median(times);
    boolean right = holds(queries.get(target), to.get(target), (byte) (source + 1));
    add(new Result(name, 2, millis, bytes / millis / 1e6, right), "GB/s");
    return bytes / millis / 1e6;
  }

  /** Milliseconds of a copy, as an exchange does it. */
  private double copy(
      List<QueryExecution> queries, int source, int target, Buffer from, Buffer to) {
    Device peer = devices.get(source);
    QueryExecution query = queries.get(target);
    long bytes = from.size();
    long start = System.nanoTime();
    if (devices.get(target).transfers().reaches(peer)) {
      query.work(context -> {
        context.device().transfers().fromPeer(context, peer, from, to, bytes);
        return true;
      });
    } else {
      boolean shared = peer.transfers().shared();
      QueryMemory host = queries.get(source).hostMemory();
      Buffer between = shared ? from : host.allocate(bytes);
      if (!shared) {
        queries
            .get(source)
            .work(context -> {
              context.device().transfers().toHost(context, from, between.address(), bytes);
              return true;
            });
      }
      query.work(context -> {
        context.device().transfers().toDevice(context, between.address(), to, bytes);
        return true;
      });
      if (!shared) {
        host.free(between);
      }
    }
    sync(query);
    return (System.nanoTime() - start) / 1e6;
  }

  private static boolean holds(QueryExecution query, Buffer buffer, byte value) {
    return query.work(context -> {
      Transfers transfers = context.device().transfers();
      byte last = (byte) transfers.readInt(context, buffer, buffer.size() - 4);
      return transfers.readInt(context, buffer, 0) == 0x01010101 * value && last == value;
    });
  }

  /** Every device fetches from all others at once. */
  private void all(List<QueryExecution> queries, List<Buffer> from, List<Buffer> to, long bytes) {
    int count = devices.size();
    boolean reached =
        devices.stream()
            .allMatch(d -> devices.stream().allMatch(p -> p.equals(d) || d.transfers().reaches(p)));
    if (!reached) {
      return;
    }
    long part = bytes / count / 256 * 256;
    double[] times = new double[runs];
    for (int run = -1; run < runs; run++) {
      times[Math.max(0, run)] =
          together(i -> {
            QueryExecution query = queries.get(i);
            query.work(context -> {
              List<PeerCopy> copies = new ArrayList<>();
              for (int k = 1; k < count; k++) {
                int peer = (i + k) % count;
                Buffer source = from.get(peer).slice(i * part, part);
                copies.add(
                    new PeerCopy(devices.get(peer), source, to.get(i).slice(peer * part, part)));
              }
              context.copies().fromPeers(copies).await();
              return true;
            });
            return true;
          });
    }
    boolean right = true;
    for (int i = 0; i < count; i++) {
      for (int peer = 0; peer < count; peer++) {
        Buffer got = to.get(i).slice(peer * part, part);
        right &= peer == i || holds(queries.get(i), got, (byte) (peer + 1));
      }
    }
    double millis = median(times);
    double received = (double) part * (count - 1);
    add(
        new Result("all to all, a device receives", count, millis, received / millis / 1e6, right),
        "GB/s");
  }

  /** Milliseconds until every device has done its task. */
  private double together(IntFunction<Boolean> task) {
    long start = System.nanoTime();
    List<CompletableFuture<Boolean>> running = new ArrayList<>();
    for (int i = 0; i < devices.size(); i++) {
      int device = i;
      running.add(CompletableFuture.supplyAsync(() -> task.apply(device), threads));
    }
    running.forEach(CompletableFuture::join);
    return (System.nanoTime() - start) / 1e6;
  }

  /**
   * The wide join of 2^{@code log2} with as many rows a device, on the first 1, 2, 4 and all.
   *
   * @param zipf how uneven the keys of S are; 0: not at all; infinite: one key only
   */
  public void joins(int log2, double zipf, List<JoinAlgorithm> algorithms) {
    double[] single = new double[algorithms.size()];
    for (int count = 1; count <= devices.size(); count *= 2) {
      DeviceGroup group = new DeviceGroup(devices.subList(0, count), true);
      Engine engine = new Engine(group);
      Device host = devices.getFirst().host();
      try (QueryExecution inputs = execution(host)) {
        long rows = (long) count << log2;
        MultiData data = inputs.work(context -> new MultiData(context, rows, zipf));
        for (int a = 0; a < algorithms.size(); a++) {
          JoinAlgorithm algorithm = algorithms.get(a);
          boolean right = data.expected().equals(row(engine, data, algorithm));
          double[] times = new double[runs];
          boolean complete = true;
          InPlace plan = group.inPlace(data.join(algorithm));
          List<Part> last = List.of();
          List<Line> lines = List.of();
          // The last run is for the picture: its streams' clocks are read, which takes time.
          for (int run = -1; run <= runs; run++) {
            boolean drawn = run == runs;
            long start = System.nanoTime();
            List<Part> joined = group.collect(threads, plan, drawn);
            long end = System.nanoTime();
            complete &= joined.stream().mapToLong(Part::rows).sum() == rows;
            if (drawn) {
              lines = lines(new Span("all", start, end), joined);
            } else {
              times[Math.max(0, run)] = (end - start) / 1e6;
              last = joined;
            }
          }
          double millis = median(times);
          double rate = 2 * rows / millis / 1e3;
          single[a] = count == 1 ? rate : single[a];
          String name = "2^%d rows a device, zipf %s, %s".formatted(log2, zipf, algorithm.label());
          add(
              new Result(name, count, millis, rate, right && complete),
              String.format(Locale.ROOT, "M rows/s, %.2f times one device's", rate / single[a]));
          out.println("    of the last run, by device, ms: " + spent(last));
          timelines.put(name + " on " + count, lines);
        }
      }
    }
  }

  /** What the time of each device went into. */
  private static String spent(List<Part> parts) {
    List<String> texts = new ArrayList<>();
    for (Part part : parts) {
      Map<String, Double> sums = new TreeMap<>();
      part.spans().forEach(s -> sums.merge(s.what(), (s.to() - s.from()) / 1e6, Double::sum));
      texts.add(
          sums.entrySet().stream()
              .map(e -> String.format(Locale.ROOT, "%s %.2f", e.getKey(), e.getValue()))
              .collect(Collectors.joining(" ")));
    }
    return String.join(" | ", texts);
  }

  private static List<Line> lines(Span all, List<Part> parts) {
    List<Line> lines = new ArrayList<>();
    lines.add(new Line("all", List.of(all)));
    for (int i = 0; i < parts.size(); i++) {
      lines.addAll(Timeline.lines(i, parts.get(i).spans(), parts.get(i).stretches()));
    }
    return lines;
  }

  /** What devices and their streams did when, by file: as pictures, and to read. */
  public Map<String, String> pictures() {
    Map<String, String> pictures = new TreeMap<>();
    timelines.forEach((name, lines) -> {
      String file = name.replaceAll("[^A-Za-z0-9]+", "-");
      pictures.put(file + ".svg", Timeline.svg(name, lines));
      pictures.put(file + ".txt", Timeline.text(lines));
    });
    return pictures;
  }

  private static List<Long> row(Engine engine, MultiData data, JoinAlgorithm algorithm) {
    List<Long> row = new ArrayList<>();
    try (QueryResult result = engine.execute(data.check(algorithm), QueryOptions.DEFAULT)) {
      ColumnBatch batch = result.next();
      if (batch != null && batch.rows() == 1) {
        for (Column column : batch.columns()) {
          row.add(Mem.getLong(column.values().address()));
        }
      }
    }
    return row;
  }

  /** The figures as CSV, with a line of names. */
  public static String csv(List<Result> results) {
    StringBuilder text = new StringBuilder("name,devices,millis,rate,right\n");
    for (Result r : results) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s,%d,%.3f,%.2f,%s%n",
              r.name().replace(",", ";"),
              r.devices(),
              r.millis(),
              r.rate(),
              r.right()));
    }
    return text.toString();
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
