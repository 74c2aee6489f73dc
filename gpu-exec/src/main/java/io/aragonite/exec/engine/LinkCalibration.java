package io.aragonite.exec.engine;

import io.aragonite.exec.device.CopyQueue.PeerCopy;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.HostView;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.execution.QueryExecution;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** Measures how quickly devices copy from each other, by the copies that exchanges make. */
public final class LinkCalibration {
  /**
   * What was measured.
   *
   * @param devices how many took part
   * @param millis median
   * @param rate GB/s
   * @param right whether the bytes that came are those that were sent
   */
  public record LinkCopy(String name, int devices, double millis, double rate, boolean right) {}

  private final List<Device> devices;
  private final int runs;
  private final ExecutorService threads;

  /**
   * @param devices stay the caller's
   * @param runs timed runs, of which the median counts
   * @param threads one for each device at least
   */
  public LinkCalibration(List<Device> devices, int runs, ExecutorService threads) {
    this.devices = devices;
    this.runs = runs;
    this.threads = threads;
  }

  private QueryExecution execution(Device device) {
    return new QueryExecution(device, threads, QueryOptions.DEFAULT, new QueryMetrics());
  }

  private static double median(double[] times) {
    Arrays.sort(times);
    return times[times.length / 2];
  }

  /**
   * Copies between each two devices, then of all at once.
   *
   * @param bytes of a copy
   * @param report takes each measurement
   * @return bytes a nanosecond to a device, from another; through the host's memory where it is not
   *     reached
   */
  public double[][] measure(long bytes, Consumer<LinkCopy> report) {
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
            rates[j][i] = pair(queries, from, to, i, j, report);
          }
        }
      }
      if (devices.size() > 1) {
        all(queries, from, to, bytes, report);
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
      List<QueryExecution> queries,
      List<Buffer> from,
      List<Buffer> to,
      int source,
      int target,
      Consumer<LinkCopy> report) {
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
    report.accept(new LinkCopy(name, 2, millis, bytes / millis / 1e6, right));
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
      try (HostView between = queries.get(source).work(context -> new HostView(context, from))) {
        query.work(context -> {
          long host = between.buffer().address();
          context.device().transfers().toDevice(context, host, to, bytes);
          return true;
        });
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
  private void all(
      List<QueryExecution> queries,
      List<Buffer> from,
      List<Buffer> to,
      long bytes,
      Consumer<LinkCopy> report) {
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
    report.accept(
        new LinkCopy(
            "all to all, a device receives", count, millis, received / millis / 1e6, right));
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
}
