package io.aragonite.exec.collective;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Exchange.Placement;
import io.aragonite.exec.vector.HostObjects;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** One of the queries that run a plan together, one on each device; they meet at a barrier. */
public final class Rank {
  private static final boolean DETAILED = LoggerFactory.getLogger(Rank.class).isTraceEnabled();

  private final Barrier others;
  private final int index;
  private final List<TimeSpan> spans = new ArrayList<>();

  /** What all ranks have decided alike. */
  private final Map<Placement, Optional<KeyRanges>> placements = new IdentityHashMap<>();

  private Set<PhysicalPlan> onFirst = Set.of();
  private Set<PhysicalPlan> onAll = Set.of();
  private Set<PhysicalPlan> passing = Set.of();
  private PhysicalPlan.@Nullable Exchange last;

  /**
   * A stretch of a device's time, by System.nanoTime().
   *
   * @param what collecting, partitioning, waiting for the others, or copying from them; all: the
   *     whole
   */
  public record TimeSpan(String what, long from, long to) {}

  public Rank(Barrier others, int index) {
    this.others = others;
    this.index = index;
  }

  /** The place of a query that runs alone, which never waits. */
  public static Rank alone(Device device) {
    return new Rank(new Barrier(List.of(device)), 0);
  }

  /** Which, from 0; the first one's rows are the result. */
  public int index() {
    return index;
  }

  /** This one's. */
  public Device device() {
    return devices().get(index);
  }

  /** The devices, by rank. */
  public List<Device> devices() {
    return others.devices();
  }

  /** The objects behind HANDLE columns, the same for all ranks. */
  public HostObjects hostObjects() {
    return others.hostObjects();
  }

  /**
   * Decides which device has which keys for a placement, unless that has been decided.
   *
   * @param ranges null: by their hash
   */
  public void place(Placement placement, @Nullable KeyRanges ranges) {
    placements.putIfAbsent(placement, Optional.ofNullable(ranges));
  }

  /** Nodes whose rows all come from and stay on the first device. */
  public void firstOnly(Set<PhysicalPlan> nodes) {
    onFirst = nodes;
  }

  /** Nodes in which every device makes the same rows. */
  public void onAll(Set<PhysicalPlan> nodes) {
    onAll = nodes;
  }

  /** Nodes that pass on the rows of another one that stands for the same node. */
  public void passing(Set<PhysicalPlan> nodes) {
    passing = nodes;
  }

  /** The exchange behind which the plan is the first device's alone. */
  public void last(PhysicalPlan.@Nullable Exchange exchange) {
    last = exchange;
  }

  /** The exchange behind which the plan is the first device's alone; null if there is none. */
  public PhysicalPlan.@Nullable Exchange last() {
    return last;
  }

  /** Whether a node of one input has no rows here: they are the first device's. */
  public boolean rests(PhysicalPlan node) {
    return index > 0 && onFirst.contains(node);
  }

  /** Whether rows of a node here are the query's, which has each row once. */
  public boolean counts(PhysicalPlan node) {
    return !passing.contains(node) && !alike(node);
  }

  /** Whether every device makes the same rows in a node, of which one's are the query's. */
  public boolean alike(PhysicalPlan node) {
    return onAll.contains(node);
  }

  /** What has been decided before the query runs: where tables have their keys. */
  public void place(Map<Placement, PartitionFunction> orders) {
    orders.forEach((placement, order) -> place(placement, KeyRanges.of(order, devices().size())));
  }

  public boolean placed(Placement placement) {
    return placements.containsKey(placement);
  }

  /** What was decided; null: by their hash. */
  @Nullable
  public KeyRanges ranges(Placement placement) {
    return placements.getOrDefault(placement, Optional.empty()).orElse(null);
  }

  /**
   * Remembers what the time since {@code from} went into; for the rank's own thread.
   *
   * @return now
   */
  public long span(String what, long from) {
    long now = System.nanoTime();
    spans.add(new TimeSpan(what, from, now));
    return now;
  }

  public List<TimeSpan> spans() {
    return List.copyOf(spans);
  }

  /**
   * Waits until all ranks have come to a node with a value each.
   *
   * @param combine makes of the values, by rank, what all of them get
   */
  public <T, R> R meet(
      ExecContext context, PhysicalPlan node, T value, Function<List<T>, R> combine) {
    long start = System.nanoTime();
    R all = others.meet(context, index, node, value, combine);
    if (DETAILED) {
      span("meeting", start);
    }
    return all;
  }
}
