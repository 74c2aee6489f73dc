package io.aragonite.exec.engine;

import io.aragonite.exec.device.ColumnPrefetch;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.execution.ResultStream;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.group.GroupResult;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.runtime.QueryThreads;
import io.aragonite.exec.runtime.UseGate;
import io.aragonite.exec.settings.EngineSettings;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs physical plans on a device. Safe for several threads; queries run beside each other. Closing
 * it ends all of them.
 */
public final class Engine implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

  private final Device device;
  private final @Nullable DevicePolicy policy;
  private final @Nullable DeviceGroup group;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(QueryThreads.workers("aragonite-worker-"));

  /** Each open result is a user. */
  private final UseGate gate =
      new UseGate("The engine is closed; open a new connection.", this::free);

  /** What part of the device's memory columns may fill before their query comes. */
  private static final int PREFETCH_SHARE = 4;

  private final Set<Prefetch> prefetches = ConcurrentHashMap.newKeySet();
  private final Set<BatchResult> results = ConcurrentHashMap.newKeySet();
  private final Deque<AutoCloseable> resources = new ConcurrentLinkedDeque<>();
  private final Deque<Runnable> listeners = new ConcurrentLinkedDeque<>();

  /**
   * @param device closed with the engine
   */
  public Engine(Device device) {
    this.device = device;
    this.policy = null;
    this.group = null;
  }

  /**
   * An engine whose queries run on several devices together.
   *
   * @param group closed, with its devices, with the engine
   */
  public Engine(DeviceGroup group) {
    this.device = group.devices().getFirst();
    this.policy = null;
    this.group = group;
  }

  /**
   * An engine that chooses a device for each query.
   *
   * @param policy closed, with its devices, with the engine
   */
  public Engine(DevicePolicy policy) {
    this.device = policy.cpu();
    this.policy = policy;
    this.group = null;
  }

  /** The device of all queries; the CPU if one is chosen for each, the first of several. */
  public Device device() {
    return device;
  }

  /** The devices that are open: each of those that run queries together, or may be chosen. */
  public List<Device> devices() {
    if (group != null) {
      return group.devices();
    }
    Device gpu = policy == null ? null : policy.gpu();
    return gpu == null ? List.of(device) : List.of(device, gpu);
  }

  /** The devices that run queries together; null if there is one for a query. */
  public @Nullable DeviceGroup group() {
    return group;
  }

  /** The name of the device of all queries, or of all of them. */
  public String deviceName() {
    return group == null ? device.name() : DeviceGroup.name(group.devices());
  }

  /** What chooses a device for each query; null if there is only one. */
  public @Nullable DevicePolicy policy() {
    return policy;
  }

  /**
   * Makes a query ready. It starts when the result's shapes or rows are asked for; errors come from
   * there. The result may be read and closed by any thread, and is closed with the engine.
   *
   * @throws AragoniteException MEMORY_EXCEEDED if there is not even memory to begin with,
   *     INVALID_CALL if the engine is closed, INVALID_PROPERTY if a setting is wrong
   */
  public BatchResult execute(PhysicalPlan plan, QueryOptions options) {
    EngineSettings.refresh();
    gate.enter();
    GuardedResult result;
    try {
      result = new GuardedResult(open(plan, options), this::left);
    } catch (RuntimeException | Error e) {
      gate.leave();
      throw e;
    }
    results.add(result);
    if (gate.closing()) {
      result.close();
      throw gate.closed();
    }
    return result;
  }

  /**
   * Begins to bring columns to the device of a query that is about to come, where all queries have
   * the same one with memory of its own.
   *
   * @return ends it, and is closed when the query is over; it is closed with the engine, too
   * @throws AragoniteException INVALID_CALL if the engine is closed
   */
  public AutoCloseable prefetch(List<ColumnPrefetch.ScanColumns> scans) {
    if (group != null || policy != null || device.traits().hostMemory()) {
      return () -> {};
    }
    gate.enter();
    Prefetch prefetch;
    try {
      prefetch = new Prefetch(new ColumnPrefetch(device, scans, prefetchedBytes()));
    } catch (RuntimeException | Error e) {
      gate.leave();
      throw e;
    }
    prefetches.add(prefetch);
    if (gate.closing()) {
      prefetch.close();
    }
    return prefetch;
  }

  /** A share of the device's memory, and of what nobody has. */
  private long prefetchedBytes() {
    MemoryBudget memory = device.memory();
    return Math.min(memory.limit() / PREFETCH_SHARE, (memory.limit() - memory.used()) / 2);
  }

  private final class Prefetch implements AutoCloseable {
    private final ColumnPrefetch columns;
    private final AtomicBoolean closed = new AtomicBoolean();

    Prefetch(ColumnPrefetch columns) {
      this.columns = columns;
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        try {
          columns.close();
        } finally {
          prefetches.remove(this);
          gate.leave();
        }
      }
    }
  }

  private BatchResult open(PhysicalPlan plan, QueryOptions options) {
    if (group != null) {
      return new GroupResult(group, threads, plan, options);
    }
    return policy == null
        ? new ResultStream(device, threads, plan, options, new QueryMetrics())
        : new AutoResult(policy, threads, plan, options);
  }

  private void left(BatchResult result) {
    results.remove(result);
    gate.leave();
  }

  /** Has something be closed with the engine, after its queries and before its devices. */
  public void closeLater(AutoCloseable resource) {
    resources.push(resource);
  }

  /**
   * Cancels all queries, waits until their readers and workers have left, closes them, and then
   * what they worked with. A thread that is inside a query does not wait: another one does the
   * rest.
   */
  @Override
  public void close() {
    gate.close(this::endQueries);
  }

  private void endQueries() {
    results.forEach(BatchResult::cancel);
    prefetches.forEach(prefetch -> prefetch.columns.stop());
    prefetches.forEach(Prefetch::close);
    for (BatchResult result : results) {
      try {
        result.close();
      } catch (RuntimeException e) {
        LOG.warn("a query could not be closed with its engine", e);
      }
    }
  }

  private void free() {
    threads.close();
    try {
      closeResources();
    } finally {
      try {
        closeDevices();
      } finally {
        listeners.forEach(Runnable::run);
      }
    }
  }

  /** Has something be told when all is closed. */
  public void whenClosed(Runnable listener) {
    listeners.add(listener);
  }

  private void closeResources() {
    for (AutoCloseable resource : resources) {
      try {
        resource.close();
      } catch (Exception e) {
        LOG.warn("{} could not be closed with its engine", resource, e);
      }
    }
  }

  private void closeDevices() {
    if (group != null) {
      group.close();
    } else if (policy == null) {
      device.close();
    } else {
      policy.close();
    }
  }
}
