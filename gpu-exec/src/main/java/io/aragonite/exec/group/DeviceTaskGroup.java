package io.aragonite.exec.group;

import io.aragonite.exec.collective.Barrier;
import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.execution.QueryExecution;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.runtime.QueryOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several devices that do one piece of work together, a thread and an account of memory each, which
 * live until this is closed.
 */
public final class DeviceTaskGroup implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceTaskGroup.class);

  private final List<Device> devices;
  private final Executor executor;
  private final List<QueryExecution> queries = new ArrayList<>();

  /**
   * @param executor lends a thread a device; it must not be short of them, since devices wait for
   *     each other
   */
  public DeviceTaskGroup(List<? extends Device> devices, Executor executor, QueryOptions options) {
    this.devices = List.copyOf(devices);
    this.executor = executor;
    boolean done = false;
    try {
      for (Device device : devices) {
        queries.add(new QueryExecution(device, executor, options, new QueryMetrics()));
      }
      done = true;
    } finally {
      if (!done) {
        close();
      }
    }
  }

  /** The work of one of the devices. */
  public QueryExecution query(int device) {
    return queries.get(device);
  }

  /**
   * Has every device do a task, and returns when all have.
   *
   * @return by device
   * @throws AragoniteException what went wrong first, on any of them
   */
  public <T> List<T> run(BiFunction<QueryExecution, Rank, T> task) {
    Barrier meeting = new Barrier(devices);
    List<CompletableFuture<@Nullable T>> running = new ArrayList<>();
    for (int i = 0; i < devices.size(); i++) {
      Rank rank = new Rank(meeting, i);
      QueryExecution query = queries.get(i);
      try {
        running.add(
            CompletableFuture.supplyAsync(() -> guarded(task, query, rank, meeting), executor));
      } catch (RuntimeException | Error e) {
        // Those that have begun must not wait for this one, nor memory go while they work.
        meeting.fail(e);
        break;
      }
    }
    List<T> results = new ArrayList<>();
    for (CompletableFuture<@Nullable T> one : running) {
      T result = one.join();
      if (result != null) {
        results.add(result);
      }
    }
    Throwable failure = meeting.failure();
    if (failure instanceof AragoniteException known) {
      throw known;
    }
    if (failure != null) {
      throw new AragoniteException(
          ErrorCode.INTERNAL, "A device's part of the work failed: " + failure, failure);
    }
    return results;
  }

  private static <T> @Nullable T guarded(
      BiFunction<QueryExecution, Rank, T> task, QueryExecution query, Rank rank, Barrier meeting) {
    try {
      return task.apply(query, rank);
    } catch (Throwable e) {
      meeting.fail(e);
      return null;
    }
  }

  @Override
  public void close() {
    close(queries);
  }

  /** Closes queries of several devices, of which, after an error, one may still read another's. */
  static void close(List<QueryExecution> queries) {
    queries.forEach(DeviceTaskGroup::await);
    RuntimeException failure = null;
    for (QueryExecution query : queries) {
      try {
        query.close();
      } catch (RuntimeException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Returns when a device does nothing more for a query, whose workers have ended. */
  static void await(QueryExecution query) {
    try {
      query.awaitDevice();
    } catch (RuntimeException e) {
      LOG.debug("a device that failed reads nothing any more", e);
    }
  }
}
