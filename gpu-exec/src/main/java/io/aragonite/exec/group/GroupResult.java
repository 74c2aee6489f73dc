package io.aragonite.exec.group;

import io.aragonite.exec.QueryMetrics;
import io.aragonite.exec.QueryOptions;
import io.aragonite.exec.QueryResult;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.HostObjects;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.pipeline.ResultStream;
import io.aragonite.exec.plan.PhysicalPlan;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A query on the devices of a group that work. If one of them fails and nothing has been handed out
 * yet, the query starts again on the others; its metrics say so.
 */
public final class GroupResult implements QueryResult {
  private static final Logger LOG = LoggerFactory.getLogger(GroupResult.class);

  private final DeviceGroup group;
  private final Executor executor;
  private final PhysicalPlan plan;
  private final QueryOptions options;
  private final QueryMetrics metrics = new QueryMetrics();
  private volatile @Nullable QueryResult current;
  private volatile boolean cancelled;
  private List<Device> devices;
  private String earlier = "";
  private @Nullable ColumnBatch first;
  private boolean started;
  private boolean firstTaken;

  public GroupResult(
      DeviceGroup group, Executor executor, PhysicalPlan plan, QueryOptions options) {
    this.group = group;
    this.executor = executor;
    this.plan = plan;
    this.options = options;
    this.devices = group.usable();
    begin();
  }

  private void begin() {
    QueryResult result = start(devices);
    current = result;
    if (cancelled) {
      result.cancel();
    }
  }

  private QueryResult start(List<Device> some) {
    if (some.size() == 1) {
      metrics.note(earlier);
      return new ResultStream(some.getFirst(), executor, plan, options, metrics);
    }
    Spreading.Result spread = group.spread(plan, some);
    PhysicalPlan together = spread.plan();
    if (together == null) {
      metrics.note(earlier + "on one device: " + spread.reason());
      return new ResultStream(some.getFirst(), executor, plan, options, metrics);
    }
    metrics.note(earlier + "on %d devices".formatted(some.size()));
    return new MemberResults(some, executor, together, spread.originals(), options, metrics);
  }

  private QueryResult result() {
    QueryResult result = current;
    if (result == null) {
      throw new IllegalStateException("the query has not begun");
    }
    return result;
  }

  /** Up to the first rows, before which nothing is handed out. */
  private QueryResult begun() {
    if (started) {
      return result();
    }
    started = true;
    while (true) {
      try {
        first = result().next();
        firstTaken = true;
        return result();
      } catch (AragoniteException e) {
        again(e);
      }
    }
  }

  /** Starts again on the devices that still work, if there are fewer, or throws the error again. */
  private void again(AragoniteException error) {
    List<Device> left = group.usable();
    if (error.code() != ErrorCode.DEVICE_FAILED
        || left.size() >= devices.size()
        || !left.getFirst().usable()) {
      throw error;
    }
    LOG.warn("A query goes on on {}: {}", DeviceGroup.name(left), error.getMessage());
    try {
      result().close();
    } catch (AragoniteException e) {
      LOG.debug("a query that failed could not be closed", e);
    }
    earlier = "after a failure (%s): ".formatted(error.getMessage());
    devices = left;
    begin();
  }

  @Override
  public List<ColumnShape> shapes() {
    return begun().shapes();
  }

  @Override
  public @Nullable ColumnBatch next() {
    QueryResult result = begun();
    if (firstTaken) {
      firstTaken = false;
      return first;
    }
    return result.next();
  }

  @Override
  public HostObjects hostObjects() {
    return result().hostObjects();
  }

  @Override
  public void cancel() {
    cancelled = true;
    QueryResult result = current;
    if (result != null) {
      result.cancel();
    }
  }

  @Override
  public QueryMetrics metrics() {
    return metrics;
  }

  @Override
  public void close() {
    QueryResult result = current;
    if (result != null) {
      result.close();
    }
  }
}
