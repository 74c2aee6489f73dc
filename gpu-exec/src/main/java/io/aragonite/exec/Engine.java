package io.aragonite.exec;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.PhysicalPlan;

/** Runs physical plans on a device. Safe for several threads; queries run beside each other. */
public final class Engine implements AutoCloseable {
  private final Device device;

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
   * Starts a query. Pipelines before the last one may run in this call; rows come from the result.
   *
   * @throws AragoniteException whatever ends the query early
   */
  public QueryResult execute(PhysicalPlan plan, QueryOptions options) {
    throw new AragoniteException(ErrorCode.INTERNAL, "Pipelines are being written.");
  }

  @Override
  public void close() {
    device.close();
  }
}
