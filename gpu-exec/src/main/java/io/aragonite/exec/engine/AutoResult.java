package io.aragonite.exec.engine;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.execution.RestartableResult;
import io.aragonite.exec.execution.ResultStream;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A query on the device that was chosen for it. If that is a GPU whose memory turns out to be too
 * small, or that breaks, and nothing has been handed out yet, the query starts again on the CPU;
 * its metrics say so.
 */
final class AutoResult extends RestartableResult {
  private final DevicePolicy policy;
  private final Executor executor;
  private final PhysicalPlan plan;
  private final QueryOptions options;
  private Device device;

  AutoResult(DevicePolicy policy, Executor executor, PhysicalPlan plan, QueryOptions options) {
    this.policy = policy;
    this.executor = executor;
    this.plan = plan;
    this.options = options;
    DevicePolicy.DeviceDecision choice = policy.choose(plan);
    this.device = choice.device();
    metrics().note(choice.reason());
    begin();
  }

  @Override
  protected BatchResult open() {
    return new ResultStream(device, executor, plan, options, metrics());
  }

  @Override
  protected boolean mayRestart() {
    return !onCpu();
  }

  /** On the CPU, behind which there is no other device. */
  @SuppressWarnings("ReferenceEquality")
  private boolean onCpu() {
    return device == policy.cpu();
  }

  @Override
  protected @Nullable String elsewhere(AragoniteException error) {
    boolean retryable =
        switch (error.code()) {
          case MEMORY_EXCEEDED, DEVICE_FAILED, DEVICE_UNAVAILABLE -> true;
          default -> false;
        };
    if (!retryable || onCpu()) {
      return null;
    }
    metrics().note("after %s: %s".formatted(device.name(), error.getMessage()));
    device = policy.cpu();
    return "the CPU";
  }
}
