package io.aragonite.exec;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.HostObjects;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.pipeline.ResultStream;
import io.aragonite.exec.plan.PhysicalPlan;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A query on the device that was chosen for it. If that is a GPU whose memory turns out to be too
 * small, or that breaks, and nothing has been handed out yet, the query starts again on the CPU;
 * its metrics say so.
 */
final class AutoResult implements QueryResult {
  private static final Logger LOG = LoggerFactory.getLogger(AutoResult.class);

  private final DevicePolicy policy;
  private final Executor executor;
  private final PhysicalPlan plan;
  private final QueryOptions options;
  private final QueryMetrics metrics = new QueryMetrics();
  private volatile @Nullable QueryResult current;
  private volatile boolean cancelled;
  private Device device;
  private @Nullable ColumnBatch first;
  private boolean started;
  private boolean firstTaken;

  AutoResult(DevicePolicy policy, Executor executor, PhysicalPlan plan, QueryOptions options) {
    this.policy = policy;
    this.executor = executor;
    this.plan = plan;
    this.options = options;
    DevicePolicy.Choice choice = policy.choose(plan);
    this.device = choice.device();
    metrics.note(choice.reason());
    try {
      begin();
    } catch (AragoniteException e) {
      fallBack(e);
    }
  }

  private QueryResult begin() {
    QueryResult result = new ResultStream(device, executor, plan, options, metrics);
    current = result;
    if (cancelled) {
      result.cancel();
    }
    return result;
  }

  /** Starts again on the CPU, or throws the error again. */
  @SuppressWarnings("ReferenceEquality")
  private QueryResult fallBack(AragoniteException error) {
    boolean mendable =
        switch (error.code()) {
          case MEMORY_EXCEEDED, DEVICE_FAILED, DEVICE_UNAVAILABLE -> true;
          default -> false;
        };
    if (!mendable || device == policy.cpu()) {
      throw error;
    }
    LOG.warn("A query goes on on the CPU: {}", error.getMessage());
    QueryResult failed = current;
    if (failed != null) {
      try {
        failed.close();
      } catch (AragoniteException e) {
        LOG.debug("a query that failed could not be closed", e);
      }
    }
    metrics.note("after %s: %s".formatted(device.name(), error.getMessage()));
    device = policy.cpu();
    return begin();
  }

  private QueryResult result() {
    QueryResult result = current;
    if (result == null) {
      throw new IllegalStateException("the query has not begun");
    }
    return result;
  }

  /** On a GPU up to the first rows, before which nothing is handed out. */
  private QueryResult start() {
    QueryResult result = result();
    if (started) {
      return result;
    }
    started = true;
    if (device.transfers().shared()) {
      return result;
    }
    try {
      first = result.next();
    } catch (AragoniteException e) {
      return fallBack(e);
    }
    firstTaken = true;
    return result;
  }

  @Override
  public List<ColumnShape> shapes() {
    return start().shapes();
  }

  @Override
  public @Nullable ColumnBatch next() {
    QueryResult result = start();
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
