package io.aragonite.exec.engine;

import io.aragonite.exec.cost.PlanPrice;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.type.DataType;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Chooses between the CPU and a GPU for each query ({@code device=auto}), by what it would take on
 * either: by what it took there before ({@link QueryTimes}), or by the figures that were measured
 * there ({@link PlanPrice}), corrected by what others took. What must be invested before the GPU
 * can begin (columns that are not in its memory, and opening it) is paid by one query and serves
 * later ones: so every query that would gain on the GPU, were all there, adds its gain to a credit,
 * and the one with which the credit covers its investment is sent there. A query whose columns fill
 * more than half of the GPU's memory has them streamed each time, and goes there if it is quicker
 * even so. A query that comes often is tried on the other processor, too, unless its price there is
 * too high to be so wrong. Safe for several threads.
 */
public final class DevicePolicy {
  /** Making a context and loading kernels. */
  private static final double OPEN_NANOS = 400e6;

  /** Taken for a GPU until it is open: one of a desktop, with 1 TB/s. */
  private static final MachineProfile EXPECTED =
      MachineProfile.H200.scaled("a small GPU", 0.25, 0.25);

  /**
   * What queries take over the sum of their operators' prices on the CPU, by the median of TPC-H's:
   * 3.2 at scale 1 on two cores and 5.1 at scale 3 on 16. On an H200 it is 1.0 at scale 30.
   */
  private static final double CPU_SHARE = 3.4;

  /** Runs on one processor after which the other one is tried ... */
  private static final int TRIED_AFTER = 8;

  /** ... so often at most: one that cannot run there, for want of memory, is never known there. */
  private static final int MOST_TRIES = 4;

  /** ... if the query is not expected to take more than so many times as long there. */
  private static final double MOST_TRIED = 2.5;

  /**
   * A device for a query, and why.
   *
   * @param reason for EXPLAIN
   * @param query what its runs are known by
   * @param pricedNanos what it was priced there; 0: it was not
   */
  public record DeviceDecision(Device device, String reason, int query, double pricedNanos) {
    private static DeviceDecision unpriced(Device device, String reason) {
      return new DeviceDecision(device, reason, 0, 0);
    }
  }

  private record Column(Table table, int column) {}

  private final Device cpu;
  private final Supplier<@Nullable Device> opener;
  private final QueryTimes cpuTimes = new QueryTimes();
  private final QueryTimes gpuTimes = new QueryTimes();
  private @Nullable Device gpu;
  private boolean opened;
  private double creditNanos;

  /**
   * @param opener opens the GPU when it is first worth it, once; null: there is none
   */
  public DevicePolicy(Device cpu, Supplier<@Nullable Device> opener) {
    this.cpu = cpu;
    this.opener = opener;
  }

  Device cpu() {
    return cpu;
  }

  /** The GPU if it has been opened. */
  synchronized @Nullable Device gpu() {
    return gpu;
  }

  /** The device that the query would run on now; nothing is opened or counted. */
  public synchronized DeviceDecision preview(PhysicalPlan plan) {
    return decide(plan, false);
  }

  /** The device to run the query on. */
  synchronized DeviceDecision choose(PhysicalPlan plan) {
    return decide(plan, true);
  }

  /**
   * Counts what a query took, all of whose columns were in memory before.
   *
   * @param nanos that were waited for it, from its begin to its last row
   */
  @SuppressWarnings("ReferenceEquality") // the very device
  synchronized void ran(DeviceDecision decision, long nanos) {
    if (decision.pricedNanos > 0) {
      QueryTimes times = decision.device == cpu ? cpuTimes : gpuTimes;
      times.ran(decision.query, decision.pricedNanos, nanos);
    }
  }

  private DeviceDecision decide(PhysicalPlan plan, boolean run) {
    Device known = gpu;
    if (opened && known == null) {
      return DeviceDecision.unpriced(cpu, "there is no GPU to use");
    }
    if (known != null && !known.usable()) {
      return DeviceDecision.unpriced(cpu, known.name() + " has failed");
    }
    Set<Column> columns = new HashSet<>();
    if (!collect(plan, columns)) {
      return DeviceDecision.unpriced(cpu, "the size of a table is not known");
    }
    ProcessorEstimate estimate = compare(plan, columns, known);
    boolean stays = known == null || estimate.bytes <= known.memory().limit() / 2.0;
    if (known != null && stays && isTried(estimate)) {
      boolean there = estimate.gain() <= 0;
      if (run) {
        (there ? gpuTimes : cpuTimes).tried(estimate.query);
      }
      return new DeviceDecision(
          there ? known : cpu,
          estimate.text(known) + "; tried, since only its price is known there",
          estimate.query,
          there ? estimate.gpuPriced : estimate.cpuPriced);
    }
    if (estimate.gain() <= 0) {
      return estimate.on(cpu, estimate.cpuPriced, known);
    }
    if (known != null && !stays) {
      return streamed(estimate, known);
    }
    if (creditNanos + estimate.gain() < estimate.invest) {
      if (run) {
        creditNanos += estimate.gain();
      }
      return estimate.on(cpu, estimate.cpuPriced, known);
    }
    // A run that brings columns there says nothing of others.
    double priced = estimate.invest > 0 ? 0 : estimate.gpuPriced;
    if (!run) {
      return estimate.on(known == null ? cpu : known, priced, known);
    }
    String reason = estimate.text(known);
    creditNanos =
        Math.max(0, Math.min(creditNanos, creditNanos + estimate.gain() - estimate.invest));
    if (known == null) {
      opened = true;
      gpu = opener.get();
      known = gpu;
    }
    return known == null
        ? DeviceDecision.unpriced(cpu, "there is no GPU to use")
        : new DeviceDecision(known, reason, estimate.query, priced);
  }

  /**
   * Whether to run a query where it is thought to be slower: it has run often on the other
   * processor, all columns are there, and nobody knows better.
   */
  private boolean isTried(ProcessorEstimate estimate) {
    boolean there = estimate.gain() <= 0;
    QueryTimes usual = there ? cpuTimes : gpuTimes;
    QueryTimes other = there ? gpuTimes : cpuTimes;
    double expected = there ? estimate.gpuNanos : estimate.cpuNanos;
    double known = there ? estimate.cpuNanos : estimate.gpuNanos;
    return estimate.invest == 0
        && usual.runs(estimate.query) >= TRIED_AFTER
        && !other.knows(estimate.query)
        && other.tries(estimate.query) < MOST_TRIES
        && expected <= MOST_TRIED * known;
  }

  /**
   * What a query would take on either processor, in nanoseconds.
   *
   * @param query what its runs are known by
   * @param cpuPriced by its price; so gpuPriced
   * @param cpuNanos by what it or others took; so gpuNanos
   * @param bytes of the columns that it reads
   * @param transfer nanoseconds in which all of these cross the bus
   * @param invest what must be done before the GPU can begin
   */
  private record ProcessorEstimate(
      int query,
      double cpuPriced,
      double gpuPriced,
      double cpuNanos,
      double gpuNanos,
      double bytes,
      double transfer,
      double invest) {
    double gain() {
      return cpuNanos - gpuNanos;
    }

    DeviceDecision on(Device device, double priced, @Nullable Device gpu) {
      return new DeviceDecision(device, text(gpu), query, priced);
    }

    String text(@Nullable Device gpu) {
      return "estimated %s on cpu, %s on %s, %s to bring columns there"
          .formatted(
              millis(cpuNanos),
              millis(gpuNanos),
              gpu == null ? "a GPU" : gpu.name(),
              millis(invest));
    }
  }

  private ProcessorEstimate compare(
      PhysicalPlan plan, Set<Column> columns, @Nullable Device known) {
    double bytes = 0;
    double missing = 0;
    for (Column column : columns) {
      double size = bytes(column);
      bytes += size;
      if (known == null || !known.holds(column.table, column.column)) {
        missing += size;
      }
    }
    MachineProfile there = known == null ? EXPECTED : known.profile();
    int query = 31 * plan.hashCode() + Double.hashCode(bytes); // other rows: another query
    double cpuPriced = CPU_SHARE * new PlanPrice(cpu.profile()).nanos(plan);
    double gpuPriced = new PlanPrice(there).nanos(plan);
    return new ProcessorEstimate(
        query,
        cpuPriced,
        gpuPriced,
        cpuTimes.nanos(query, cpuPriced),
        gpuTimes.nanos(query, gpuPriced),
        bytes,
        bytes / there.hostBytesPerNano(),
        missing / there.hostBytesPerNano() + (opened ? 0 : OPEN_NANOS));
  }

  /** For columns that do not stay on the GPU: they cross the bus in each query, beside its work. */
  private DeviceDecision streamed(ProcessorEstimate estimate, Device known) {
    double streamed = Math.max(estimate.gpuNanos, estimate.transfer);
    boolean there = streamed < estimate.cpuNanos;
    return new DeviceDecision(
        there ? known : cpu,
        "%s; %.1f GB of columns do not stay on %s, streaming them takes %s"
            .formatted(estimate.text(known), estimate.bytes / 1e9, known.name(), millis(streamed)),
        estimate.query,
        there ? 0 : estimate.cpuPriced);
  }

  private static String millis(double nanos) {
    return String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
  }

  /** Adds what a plan reads; false if a table does not tell its size. */
  private static boolean collect(PhysicalPlan plan, Set<Column> columns) {
    if (plan instanceof PhysicalPlan.Scan scan) {
      scan.columns().forEach(column -> columns.add(new Column(scan.table(), column)));
      return scan.table().rows() >= 0;
    }
    boolean known = true;
    for (PhysicalPlan input : plan.inputs()) {
      known &= collect(input, columns);
    }
    return known;
  }

  private static double bytes(Column column) {
    DataType type = column.table.columnTypes().get(column.column);
    return column.table.rows() * PlanPrice.width(List.of(type));
  }

  /** Closes the GPU if it was opened; the CPU is closed with it. */
  void close() {
    Device known = gpu();
    if (known == null) {
      cpu.close();
    } else {
      known.close();
    }
  }
}
