package io.aragonite.exec.execution;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.runtime.BatchResult;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.HostObjects;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A query that can start again in another place after an error, as long as nothing has been handed
 * out: up to its first rows, which {@link #shapes} asks for as well.
 */
public abstract class RestartableResult implements BatchResult {
  private static final Logger LOG = LoggerFactory.getLogger(RestartableResult.class);

  private final QueryMetrics metrics = new QueryMetrics();
  private volatile @Nullable BatchResult current;
  private volatile boolean cancelled;
  private @Nullable ColumnBatch first;
  private boolean started;
  private boolean firstTaken;

  /** The query where it is to run now, which is not begun. */
  protected abstract BatchResult open();

  /**
   * Chooses another place after an error, and says in the metrics why.
   *
   * @return what that is, for people; null: there is none, and the error is the query's
   */
  protected abstract @Nullable String elsewhere(AragoniteException error);

  /** Whether there may be another place; else nobody waits for first rows. */
  protected abstract boolean mayRestart();

  /** Makes the query ready; for constructors, when all is set. */
  protected final void begin() {
    try {
      ready();
    } catch (AragoniteException e) {
      restart(e);
    }
  }

  private void ready() {
    BatchResult result = open();
    current = result;
    if (cancelled) {
      result.cancel();
    }
  }

  /** Starts again elsewhere, or throws the error again. */
  private void restart(AragoniteException error) {
    AragoniteException reason = error;
    while (true) {
      String place = cancelled ? null : elsewhere(reason);
      if (place == null) {
        throw reason;
      }
      LOG.warn("A query goes on on {}: {}", place, reason.getMessage());
      BatchResult failed = current;
      if (failed != null) {
        try {
          failed.close();
        } catch (AragoniteException e) {
          LOG.debug("a query that failed could not be closed", e);
        }
      }
      try {
        ready();
        return;
      } catch (AragoniteException e) {
        reason = e;
      }
    }
  }

  private BatchResult result() {
    BatchResult result = current;
    if (result == null) {
      throw new IllegalStateException("the query has not begun");
    }
    return result;
  }

  /** Up to the first rows if there may be another place. */
  private BatchResult begun() {
    if (!started) {
      started = true;
      while (!firstTaken && mayRestart()) {
        try {
          first = result().next();
          firstTaken = true;
        } catch (AragoniteException e) {
          restart(e);
        }
      }
    }
    return result();
  }

  @Override
  public List<ColumnShape> shapes() {
    return begun().shapes();
  }

  @Override
  public @Nullable ColumnBatch next() {
    BatchResult result = begun();
    if (firstTaken) {
      firstTaken = false;
      return first;
    }
    return result.next();
  }

  @Override
  public boolean resting() {
    BatchResult result = current;
    return result == null || result.resting();
  }

  @Override
  public HostObjects hostObjects() {
    return result().hostObjects();
  }

  @Override
  public void cancel() {
    cancelled = true;
    BatchResult result = current;
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
    BatchResult result = current;
    if (result != null) {
      result.close();
    }
  }
}
