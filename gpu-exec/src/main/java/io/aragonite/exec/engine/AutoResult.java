package io.aragonite.exec.engine;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.execution.RestartableResult;
import io.aragonite.exec.execution.ResultStream;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A query on the device that was chosen for it. If that is a GPU whose memory turns out to be too
 * small, or that breaks, and nothing has been handed out yet, the query starts again on the CPU;
 * its metrics say so. What a query took that read no files and ended where it began is told to the
 * policy.
 */
final class AutoResult extends RestartableResult {
  private final DevicePolicy policy;
  private final Executor executor;
  private final PhysicalPlan plan;
  private final QueryOptions options;
  private final DevicePolicy.DeviceDecision decision;
  private Device device;
  private long waited;
  private boolean told;

  AutoResult(DevicePolicy policy, Executor executor, PhysicalPlan plan, QueryOptions options) {
    this.policy = policy;
    this.executor = executor;
    this.plan = plan;
    this.options = options;
    this.decision = policy.choose(plan);
    this.device = decision.device();
    metrics().note(decision.reason());
    begin();
  }

  @Override
  public List<ColumnShape> shapes() {
    long start = System.nanoTime();
    List<ColumnShape> shapes = super.shapes();
    waited += System.nanoTime() - start;
    return shapes;
  }

  @Override
  public @Nullable ColumnBatch next() {
    long start = System.nanoTime();
    ColumnBatch rows = super.next();
    waited += System.nanoTime() - start;
    if (rows == null && !told) {
      told = true;
      tell();
    }
    return rows;
  }

  @SuppressWarnings("ReferenceEquality") // the very device
  private void tell() {
    if (device == decision.device() && metrics().reading().expectedParts() == 0) {
      policy.ran(decision, waited);
    }
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
