package io.aragonite.exec;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.pipeline.ResultStream;
import io.aragonite.exec.plan.PhysicalPlan;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs physical plans on a device. Safe for several threads; queries run beside each other. */
public final class Engine implements AutoCloseable {
  private final Device device;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("aragonite-worker-", 0).factory());

  /**
   * @param device closed with the engine
   */
  public Engine(Device device) {
    this.device = device;
  }

  public Device device() {
    return device;
  }

  /**
   * Makes a query ready. It starts when the result's shapes or rows are asked for; errors come from
   * there.
   *
   * @throws AragoniteException MEMORY_EXCEEDED if there is not even memory to begin with
   */
  public QueryResult execute(PhysicalPlan plan, QueryOptions options) {
    return new ResultStream(device, threads, plan, options);
  }

  @Override
  public void close() {
    threads.shutdownNow();
    device.close();
  }
}
