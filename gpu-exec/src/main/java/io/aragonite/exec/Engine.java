package io.aragonite.exec;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.pipeline.ResultStream;
import io.aragonite.exec.plan.PhysicalPlan;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Runs physical plans on a device. Safe for several threads; queries run beside each other. */
public final class Engine implements AutoCloseable {
  private final Device device;
  private final @Nullable DevicePolicy policy;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("aragonite-worker-", 0).factory());

  /**
   * @param device closed with the engine
   */
  public Engine(Device device) {
    this.device = device;
    this.policy = null;
  }

  /**
   * An engine that chooses a device for each query.
   *
   * @param policy closed, with its devices, with the engine
   */
  public Engine(DevicePolicy policy) {
    this.device = policy.cpu();
    this.policy = policy;
  }

  /** The device of all queries; the CPU if one is chosen for each. */
  public Device device() {
    return device;
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
    return policy == null
        ? new ResultStream(device, threads, plan, options, new QueryMetrics())
        : new AutoResult(policy, threads, plan, options);
  }

  @Override
  public void close() {
    threads.shutdownNow();
    if (policy == null) {
      device.close();
    } else {
      policy.close();
    }
  }
}
