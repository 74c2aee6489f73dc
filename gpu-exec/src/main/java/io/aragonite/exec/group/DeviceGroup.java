package io.aragonite.exec.group;

import io.aragonite.exec.collective.Barrier;
import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.cost.ExchangeModel;
import io.aragonite.exec.cost.LinkRates;
import io.aragonite.exec.cost.PlanPrice;
import io.aragonite.exec.device.CopyQueue.Stretch;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.exchange.ShardedTable;
import io.aragonite.exec.exchange.SortedKey;
import io.aragonite.exec.execution.QueryExecution;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Exchange.Placement;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.table.Table;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The devices that run queries together. Safe for several threads. */
public final class DeviceGroup implements AutoCloseable {
  private final List<Device> devices;

  /** Shares of tables, for as long as somebody has one: devices, which keep their columns. */
  final List<WeakReference<ShardedTable>> tables = new ArrayList<>();

  private final PlacementCache choices = new PlacementCache();
  private final boolean always;

  /**
   * @param devices one at least; they may share their host; closed with the group
   */
  public DeviceGroup(List<? extends Device> devices) {
    this(devices, false);
  }

  /**
   * @param always whether queries run on all devices that could be quicker on one: for tests and
   *     benchmarks
   */
  public DeviceGroup(List<? extends Device> devices, boolean always) {
    this.always = always;
    if (devices.isEmpty()) {
      throw new IllegalArgumentException("a group of no devices");
    }
    this.devices = List.copyOf(devices);
    // What one GPU must be allowed of another's memory it is allowed now: not when that is in use.
    for (Device device : devices) {
      devices.forEach(peer -> device.transfers().reaches(peer));
    }
  }

  /** All of them. */
  public List<Device> devices() {
    return devices;
  }

  /** Those that work, or the first if none does. */
  List<Device> usable() {
    List<Device> usable = devices.stream().filter(Device::usable).toList();
    return usable.isEmpty() ? devices.subList(0, 1) : usable;
  }

  /** For instance {@code cuda:0, cuda:1}. */
  public static String name(List<Device> devices) {
    return devices.stream().map(Device::name).collect(Collectors.joining(", "));
  }

  /**
   * How a query would run.
   *
   * @param device the names of its devices
   * @param reason why it is left to one device; empty if it is not
   * @param exchanges where rows of nodes of the plan go, by node
   */
  public record Preview(String device, String reason, Map<PhysicalPlan, String> exchanges) {}

  /** How a query would run now; nothing is opened or counted. */
  public Preview preview(PhysicalPlan plan) {
    List<Device> some = usable();
    if (some.size() == 1) {
      return new Preview(some.getFirst().name(), "", Map.of());
    }
    GroupDecision choice = choose(plan, some);
    ExchangePlanner.ExchangePlan result = choice.result;
    return result.plan() == null
        ? new Preview(some.getFirst().name(), result.reason(), Map.of())
        : new Preview(name(choice.devices), "", result.exchanges());
  }

  /**
   * How a query runs.
   *
   * @param devices that run it together, if {@code result} has a plan for them
   */
  public record GroupDecision(List<Device> devices, ExchangePlanner.ExchangePlan result) {}

  /** The devices that a query is estimated to be quickest on, among some, and the plan for them. */
  public GroupDecision choose(PhysicalPlan plan, List<Device> some) {
    LinkRates links = links(some);
    return choices.get(plan, some, links, () -> choose(plan, some, links));
  }

  private GroupDecision choose(PhysicalPlan plan, List<Device> some, LinkRates links) {
    List<Integer> all = links.sets(some.size()).getFirst();
    Device first = some.getFirst();
    List<Candidate> candidates = new ArrayList<>();
    for (List<Integer> set : always ? List.of(all) : links.sets(some.size())) {
      List<Device> these = set.stream().map(some::get).toList();
      double link = links.together(set);
      ExchangeModel model = new ExchangeModel(these.size(), first.profile(), link);
      ExchangePlanner.ExchangePlan result = ExchangePlanner.of(plan, model, this::spread);
      if (result.plan() == null) {
        return new GroupDecision(these, result);
      }
      candidates.add(new Candidate(these, link, result));
    }
    // When tables are spread it is known which are in order.
    PlanPrice price = new PlanPrice(first.profile(), this::inOrder);
    double one = price.nanos(plan);
    double fixed = Math.min(one, price.fixedNanos(plan));
    Candidate best = null;
    double least = Double.POSITIVE_INFINITY;
    for (Candidate candidate : candidates) {
      double nanos = candidate.nanos(one, fixed);
      candidate.explain(plan, nanos, one, links);
      if (best == null || nanos < least) {
        least = nanos;
        best = candidate;
      }
    }
    if (best == null) {
      throw new IllegalStateException("no set of devices");
    }
    boolean roomy = columnBytes(plan) <= first.memory().limit() / 2.0;
    return always || least < one || !roomy
        ? new GroupDecision(best.devices, best.result)
        : new GroupDecision(best.devices, oneIsQuicker(one, least, best.devices.size()));
  }

  private static ExchangePlanner.ExchangePlan oneIsQuicker(
      double one, double together, int devices) {
    return ExchangePlanner.ExchangePlan.refused(
        String.format(
            Locale.ROOT,
            "estimated %.1f ms there, %.1f ms on %d",
            one / 1e6,
            together / 1e6,
            devices));
  }

  /**
   * A set of devices.
   *
   * @param link what each receives from the others at once
   * @param result with a plan
   */
  private record Candidate(List<Device> devices, double link, ExchangePlanner.ExchangePlan result) {
    /**
     * What the query takes on these devices.
     *
     * @param one nanoseconds on one device
     * @param fixed part of these that is the same for any number of rows
     */
    double nanos(double one, double fixed) {
      double work =
          (one - fixed) / devices.size()
              + ExchangeModel.FIXED_TOGETHER * fixed
              + result.movedNanos();
      return work
          + ExchangeModel.QUERY_NANOS
          + exchangeNanos(Objects.requireNonNull(result.plan()));
    }

    /** Adds the estimate to what EXPLAIN says of the plan. */
    void explain(PhysicalPlan plan, double nanos, double one, LinkRates links) {
      String text =
          String.format(
              Locale.ROOT,
              "on %s estimated %.1f ms, on one device %.1f ms; links of %.0f GB/s, %s",
              name(devices),
              nanos / 1e6,
              one / 1e6,
              link,
              links.source());
      result.exchanges().merge(plan, text, (before, more) -> before + "; " + more);
    }
  }

  /** Whether a table is known to be in the order of a column, since it has been spread by it. */
  private boolean inOrder(Table table, int column) {
    ShardedTable spread = known(table);
    // Not under the lock: whoever looks for a table's key asks for the others' orders.
    SortedKey key = spread == null ? null : spread.key();
    return key != null && key.column() == column;
  }

  private synchronized @Nullable ShardedTable known(Table table) {
    for (WeakReference<ShardedTable> some : tables) {
      ShardedTable spread = some.get();
      if (spread != null && spread.isOf(table)) {
        return spread;
      }
    }
    return null;
  }

  private static LinkRates links(List<Device> some) {
    return LinkRates.get(linkNames(some));
  }

  /** What the links of devices are known by: the devices' names and models. */
  public static List<String> linkNames(List<? extends Device> devices) {
    return devices.stream().map(device -> device.name() + " " + device.model()).toList();
  }

  /** What exchanges take whatever rows they bring. */
  private static double exchangeNanos(PhysicalPlan plan) {
    double here = 0;
    if (plan instanceof PhysicalPlan.Exchange exchange) {
      boolean byKeys = exchange.kind() == PhysicalPlan.Exchange.ExchangeKind.HASH;
      here = ExchangeModel.EXCHANGE_NANOS + (byKeys ? ExchangeModel.PARTITION_NANOS : 0);
    }
    return here + plan.inputs().stream().mapToDouble(DeviceGroup::exchangeNanos).sum();
  }

  /** Bytes of the columns that a plan reads. */
  private static double columnBytes(PhysicalPlan plan) {
    double here =
        plan instanceof PhysicalPlan.Scan scan
            ? Math.max(0, scan.table().rows()) * ExchangeModel.rowBytes(scan.types())
            : 0;
    return here + plan.inputs().stream().mapToDouble(DeviceGroup::columnBytes).sum();
  }

  /**
   * A device's part in a plan.
   *
   * @param rows that came out on it
   * @param stretches what its streams did, if that was asked for
   */
  public record DeviceShare(long rows, List<Rank.TimeSpan> spans, List<Stretch> stretches) {}

  /**
   * A plan for all devices whose rows stay where they come out; it may run again and again.
   *
   * @param orders of the keys by whose ranges tables are spread
   */
  public record InPlace(PhysicalPlan plan, Map<Placement, PartitionFunction> orders) {}

  /** The plan for all devices, whatever it costs; for benchmarks. */
  public InPlace inPlace(PhysicalPlan plan) {
    if (devices.size() == 1) {
      return new InPlace(plan, Map.of());
    }
    LinkRates links = links(devices);
    double link = links.together(links.sets(devices.size()).getFirst());
    ExchangeModel model = new ExchangeModel(devices.size(), devices.getFirst().profile(), link);
    ExchangePlanner.ExchangePlan spread = ExchangePlanner.inPlace(plan, model, this::spread);
    return new InPlace(Objects.requireNonNull(spread.plan()), spread.orders());
  }

  /**
   * Runs a plan on all devices, each of which keeps the rows that come out on it until all have
   * ended; for benchmarks.
   *
   * @param executor lends a thread a device
   * @param traced whether what streams do is kept, which takes some time
   * @return what each device had and did
   */
  public List<DeviceShare> collect(Executor executor, InPlace plan, boolean traced) {
    boolean alone = devices.size() == 1;
    Barrier meeting = new Barrier(devices);
    List<QueryExecution> queries = Collections.synchronizedList(new ArrayList<>());
    IntFunction<DeviceShare> part =
        i -> {
          Rank rank = new Rank(meeting, i);
          try {
            rank.place(plan.orders());
            QueryExecution query =
                new QueryExecution(
                    devices.get(i),
                    executor,
                    QueryOptions.DEFAULT,
                    new QueryMetrics(),
                    alone ? null : rank);
            queries.add(query);
            return collect(query, plan.plan(), rank, traced);
          } catch (RuntimeException | Error e) {
            meeting.fail(e);
            throw e;
          }
        };
    List<CompletableFuture<DeviceShare>> running = new ArrayList<>();
    try {
      for (int i = 1; i < devices.size(); i++) {
        int other = i;
        running.add(CompletableFuture.supplyAsync(() -> part.apply(other), executor));
      }
      // The first one's work is this thread's.
      running.addFirst(CompletableFuture.supplyAsync(() -> part.apply(0), Runnable::run));
      return running.stream().map(CompletableFuture::join).toList();
    } catch (RuntimeException | Error e) {
      meeting.fail(e);
      throw e;
    } finally {
      running.forEach(one -> one.handle((result, error) -> true).join());
      DeviceTaskGroup.close(queries);
    }
  }

  private static DeviceShare collect(
      QueryExecution query, PhysicalPlan plan, Rank rank, boolean traced) {
    long start = System.nanoTime();
    if (traced) {
      query.work(context -> {
        context.copies().trace();
        return true;
      });
    }
    long rows = query.collect(plan).rows();
    List<Stretch> stretches =
        traced ? query.work(context -> context.copies().stretches()) : List.of();
    query.awaitDevice();
    rank.span("all", start);
    return new DeviceShare(rows, rank.spans(), stretches);
  }

  private synchronized ShardedTable spread(Table table) {
    tables.removeIf(known -> known.get() == null);
    ShardedTable known = known(table);
    if (known != null) {
      return known;
    }
    ShardedTable spread = new ShardedTable(table, this::orders, devices.size());
    tables.add(new WeakReference<>(spread));
    return spread;
  }

  /** Orders of the keys by whose ranges tables are spread. */
  private synchronized List<PartitionFunction> orders() {
    List<PartitionFunction> orders = new ArrayList<>();
    for (WeakReference<ShardedTable> known : tables) {
      ShardedTable spread = known.get();
      PartitionFunction order = spread == null ? null : spread.knownOrder();
      if (order != null && !orders.contains(order)) {
        orders.add(order);
      }
    }
    return orders;
  }

  @Override
  public void close() {
    devices.forEach(Device::close);
  }
}
