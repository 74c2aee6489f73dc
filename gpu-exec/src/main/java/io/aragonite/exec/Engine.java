package io.aragonite.exec;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.group.DeviceGroup;
import io.aragonite.exec.group.GroupResult;
import io.aragonite.exec.pipeline.ResultStream;
import io.aragonite.exec.plan.PhysicalPlan;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Runs physical plans on a device. Safe for several threads; queries run beside each other. */
public final class Engine implements AutoCloseable {
  private final Device device;
  private final @Nullable DevicePolicy policy;
  private final @Nullable DeviceGroup group;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("aragonite-worker-", 0).factory());

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
   * there.
   *
   * @throws AragoniteException MEMORY_EXCEEDED if there is not even memory to begin with
   */
  public QueryResult execute(PhysicalPlan plan, QueryOptions options) {
    if (group != null) {
      return new GroupResult(group, threads, plan, options);
    }
    return policy == null
        ? new ResultStream(device, threads, plan, options, new QueryMetrics())
        : new AutoResult(policy, threads, plan, options);
  }

  @Override
  public void close() {
    threads.shutdownNow();
    if (group != null) {
      group.close();
    } else if (policy == null) {
      device.close();
    } else {
      policy.close();
    }
  }
}
