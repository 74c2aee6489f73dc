package io.aragonite.bench.multi;

import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.device.ColumnMemory.Copy;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.CopyQueue.CopyTicket;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.group.DeviceTaskGroup;
import io.aragonite.exec.memory.Buffer;
import java.util.List;
import java.util.concurrent.ExecutorService;

/**
 * What the buses of several devices carry at the same time: to all of them, from all of them, and
 * both at once.
 *
 * @param in gigabytes a second, of all devices together
 * @param bothIn of what goes to the devices while as much comes from them
 */
record BusRates(double in, double out, double bothIn) {
  private static final int RUNS = 3;

  /**
   * Measures.
   *
   * @param in host memory that devices read a part of each
   * @param out the same, which is written what it holds
   */
  static BusRates of(List<Device> devices, ExecutorService threads, Buffer in, Buffer out) {
    long bytes = Math.min(in.size(), out.size()) / devices.size() / 256 * 256;
    double rate = (double) bytes * devices.size() / 1e9;
    return new BusRates(
        rate / best(devices, threads, in, out, bytes, true, false),
        rate / best(devices, threads, in, out, bytes, false, true),
        rate / best(devices, threads, in, out, bytes, true, true));
  }

  /** Seconds. */
  private static double best(
      List<Device> devices,
      ExecutorService threads,
      Buffer in,
      Buffer out,
      long bytes,
      boolean reads,
      boolean writes) {
    double least = Double.POSITIVE_INFINITY;
    try (DeviceTaskGroup together = new DeviceTaskGroup(devices, threads, QueryOptions.DEFAULT)) {
      List<Buffer> read = together.run((query, rank) -> query.memory().allocate(bytes));
      List<Buffer> write =
          together.run((query, rank) ->
              query.work(context -> loaded(context, out.slice(rank.index() * bytes, bytes))));
      for (int run = 0; run < RUNS; run++) {
        long start = System.nanoTime();
        together.run((query, rank) ->
            query.work(context -> {
              int i = rank.index();
              CopyQueue copies = context.copies();
              CopyTicket going = CopyQueue.DONE;
              CopyTicket coming = CopyQueue.DONE;
              if (reads) {
                coming = copies.toDevice(copies(in.slice(i * bytes, bytes), read.get(i)));
              }
              if (writes) {
                going = copies.toHost(copies(out.slice(i * bytes, bytes), write.get(i)));
              }
              coming.await();
              going.await();
              return true;
            }));
        least = Math.min(least, (System.nanoTime() - start) / 1e9);
      }
    }
    return least;
  }

  private static Buffer loaded(ExecContext context, Buffer host) {
    Buffer there = context.memory().allocate(host.size());
    context.copies().toDevice(copies(host, there)).await();
    return there;
  }

  private static List<Copy> copies(Buffer host, Buffer device) {
    return List.of(new Copy(host.address(), device));
  }
}
