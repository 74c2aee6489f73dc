package io.aragonite.exec.runtime;

import io.aragonite.exec.device.DeviceUsage;
import io.aragonite.exec.limit.ReadProgress;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a query did, by plan node. Safe for several threads. */
public final class QueryMetrics {
  /** Figures of one plan node, summed over workers. */
  public static final class NodeMetrics {
    /** The figure of rows that have left memory. */
    public static final String SPILLED = "spilled to disk, bytes";

    /** Rows that came out. */
    public final LongAdder rows = new LongAdder();

    /** Batches that came out. */
    public final LongAdder batches = new LongAdder();

    /** Time spent in the node itself, in worker nanoseconds (two workers for 1 s make 2 s). */
    public final LongAdder nanos = new LongAdder();

    /** Bytes of memory that the node's own state (hash table, groups, sorted rows) took. */
    public final LongAdder stateBytes = new LongAdder();

    /**
     * What else the node found out, by name: of a join the rows, distinct keys and largest
     * multiplicity of its build side.
     */
    public final Map<String, Long> figures = new ConcurrentSkipListMap<>();

    /** What was decided at run time; empty if nothing was. */
    public volatile String note = "";

    /**
     * The algorithm that a join took; null of other nodes, before its build side is there, and
     * where it goes part by part through files.
     */
    public volatile @Nullable JoinAlgorithm algorithm;

    private final AtomicReference<@Nullable Object> counting = new AtomicReference<>();

    /** Notes a figure for EXPLAIN ANALYZE. */
    public void addFigure(String name, long value) {
      figures.put(name, value);
    }

    /** Notes a decision for EXPLAIN ANALYZE, in place of the one before. */
    public void addNote(String text) {
      note = text;
    }

    /** Adds to the bytes of the node's state. */
    public void addStateBytes(long bytes) {
      stateBytes.add(bytes);
    }

    /** Counts rows of a batch that came out. */
    public void count(long count) {
      rows.add(count);
      batches.increment();
    }

    /**
     * Counts rows that several have alike, or none: those of the first of them that has any.
     *
     * @param who has them
     */
    public void countAlike(Object who, long count) {
      if (count > 0 && (counting.compareAndSet(null, who) || who.equals(counting.get()))) {
        count(count);
      }
    }
  }

  private final Map<PhysicalPlan, NodeMetrics> nodes =
      Collections.synchronizedMap(new IdentityHashMap<>());

  private final ReadProgress reading = new ReadProgress();
  private volatile String device = "";
  private volatile String note = "";
  private volatile Supplier<DeviceUsage> usage = () -> DeviceUsage.NONE;
  private final List<Holding> holdings = new CopyOnWriteArrayList<>();

  /**
   * What the query, or its part on one device, has taken.
   *
   * @param used bytes of memory now
   * @param peak the most bytes of memory at once
   */
  public record Holding(LongSupplier used, LongSupplier peak) {}

  /** Knows what workers do just now. */
  public interface WorkerTimes {
    /** Nanoseconds that workers have spent in a node since its time was last counted. */
    long uncountedNanos(NodeMetrics node);
  }

  private final List<WorkerTimes> workers = new CopyOnWriteArrayList<>();

  /** Workers begin. */
  public void begin(WorkerTimes times) {
    workers.add(times);
  }

  /** Workers have ended. */
  public void end(WorkerTimes times) {
    workers.remove(times);
  }

  /** Worker nanoseconds in a node, with those of what goes on. */
  public long nanos(NodeMetrics node) {
    long nanos = node.nanos.sum();
    for (WorkerTimes times : workers) {
      nanos += times.uncountedNanos(node);
    }
    return nanos;
  }

  /** Tells of what is taken from now on. */
  public void holds(Holding holding) {
    holdings.add(holding);
  }

  /** Bytes of memory that the query holds, on its devices and on the host. */
  public long memoryBytes() {
    long bytes = 0;
    for (Holding holding : holdings) {
      bytes += holding.used().getAsLong();
    }
    return bytes;
  }

  /** The most that it held, each memory by itself. */
  public long peakMemoryBytes() {
    long bytes = 0;
    for (Holding holding : holdings) {
      bytes += holding.peak().getAsLong();
    }
    return bytes;
  }

  /** Bytes of rows that its nodes have written to spill files. */
  public long spilledBytes() {
    long bytes = 0;
    synchronized (nodes) {
      Set<NodeMetrics> seen = null;
      for (NodeMetrics node : nodes.values()) {
        if (!node.figures.isEmpty()) {
          long spilled = node.figures.getOrDefault(NodeMetrics.SPILLED, 0L);
          if (spilled > 0) {
            seen = seen == null ? Collections.newSetFromMap(new IdentityHashMap<>()) : seen;
            bytes += seen.add(node) ? spilled : 0; // some are in place of others
          }
        }
      }
    }
    return bytes;
  }

  /**
   * The query begins, perhaps again on another device: what has been counted is forgotten.
   *
   * @param newUsage asks for what the query has done on its device
   */
  public void begin(String newDevice, Supplier<DeviceUsage> newUsage) {
    nodes.clear();
    device = newDevice;
    usage = newUsage;
  }

  /** What the query reads of files. */
  public ReadProgress reading() {
    return reading;
  }

  /** The name of the device that the query runs on. */
  public String device() {
    return device;
  }

  /** Why it runs there, if there was a choice; else empty. */
  public String note() {
    return note;
  }

  /** Says why it runs there. */
  public void note(String reason) {
    note = reason;
  }

  /** What the query has done on its device; complete once the query is closed. */
  public DeviceUsage usage() {
    return usage.get();
  }

  /** Has the figures of a node be those of another one, in whose place it runs. */
  public void inPlaceOf(PhysicalPlan plan, PhysicalPlan original) {
    NodeMetrics figures = node(original);
    nodes.put(plan, figures);
  }

  /** The figures of a node, all zero if it has not run. */
  public NodeMetrics node(PhysicalPlan plan) {
    return nodes.computeIfAbsent(plan, p -> new NodeMetrics());
  }
}
