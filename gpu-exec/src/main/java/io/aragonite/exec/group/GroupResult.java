package io.aragonite.exec.group;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.execution.RestartableResult;
import io.aragonite.exec.execution.ResultStream;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryOptions;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A query on the devices of a group that work. If nothing has been handed out yet it starts again:
 * on the others if one of them fails, and on one alone, which can spill where an exchange cannot,
 * if the memory of some does not suffice. Its metrics say so.
 */
public final class GroupResult extends RestartableResult {
  private static final Logger LOG = LoggerFactory.getLogger(GroupResult.class);

  private final DeviceGroup group;
  private final Executor executor;
  private final PhysicalPlan plan;
  private final QueryOptions options;
  private List<Device> devices;
  private boolean together;

  /** What went wrong before, for the metrics. */
  private String earlier = "";

  public GroupResult(
      DeviceGroup group, Executor executor, PhysicalPlan plan, QueryOptions options) {
    this.group = group;
    this.executor = executor;
    this.plan = plan;
    this.options = options;
    this.devices = group.usable();
    begin();
  }

  @Override
  protected BatchResult open() {
    together = false;
    if (devices.size() == 1) {
      return alone(earlier.isEmpty() ? "" : "on one device");
    }
    long start = System.nanoTime();
    DeviceGroup.GroupDecision choice = group.choose(plan, devices);
    LOG.trace("choosing devices took {} us", (System.nanoTime() - start) / 1000);
    ExchangePlanner.ExchangePlan spread = choice.result();
    PhysicalPlan spreadPlan = spread.plan();
    if (spreadPlan == null) {
      return alone("on one device: " + spread.reason());
    }
    together = true;
    List<Device> chosen = choice.devices();
    metrics().note(earlier + "on " + chosen.size() + " devices");
    return new RankResults(chosen, executor, spreadPlan, spread, options, metrics());
  }

  private BatchResult alone(String note) {
    metrics().note(earlier + note);
    return new ResultStream(devices.getFirst(), executor, plan, options, metrics());
  }

  @Override
  protected boolean mayRestart() {
    return true;
  }

  @Override
  protected @Nullable String elsewhere(AragoniteException error) {
    List<Device> left = group.usable();
    boolean broken = error.code() == ErrorCode.DEVICE_FAILED && left.size() < devices.size();
    boolean full = error.code() == ErrorCode.MEMORY_EXCEEDED && together;
    if (!(broken || full) || !left.getFirst().usable()) {
      return null;
    }
    earlier = "after a failure (%s): ".formatted(error.getMessage());
    devices = full ? left.subList(0, 1) : left;
    return DeviceGroup.name(devices);
  }
}
