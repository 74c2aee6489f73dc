package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.table.Table;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the columns of a query's scans to its device on a thread of its own, in the order in which
 * the query comes to them: while it runs over those that are there, the next ones are read, copied
 * and decoded.
 *
 * <p>What fails here is left to the query, which comes to the same place and gets the error.
 */
public final class ColumnPrefetch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ColumnPrefetch.class);

  /**
   * A scan.
   *
   * @param filter that keeps some of its rows, over its columns; null: all are wanted
   */
  public record Request(Table table, List<Integer> columns, @Nullable Expr filter) {
    /** Whether only parts of the table are read, which do not stay on the device. */
    private boolean readsParts() {
      return filter != null && table.matching(columns, filter) != null;
    }
  }

  private final Device device;
  private final List<Request> requests;
  private final CompletableFuture<Void> task;
  private volatile boolean closed;

  /**
   * Begins with the first.
   *
   * @param mostBytes of columns that are brought at most
   */
  public ColumnPrefetch(Device device, List<Request> requests, long mostBytes) {
    this.device = device;
    this.requests = requests;
    StopCheck query = StopCheck.current();
    StopCheck mine =
        new StopCheck(
            () -> {
              query.check();
              if (closed) {
                throw new AragoniteException(ErrorCode.CANCELLED, "Nobody wants the columns.");
              }
            },
            query.reading());
    this.task = CompletableFuture.runAsync(() -> run(mine, mostBytes), ReadAhead.THREADS);
  }

  private void run(StopCheck check, long mostBytes) {
    try (StopCheck.Scope _ = check.enter();
        LoadContext context = new LoadContext(device, check)) {
      long left = mostBytes;
      for (Request request : requests) {
        check.check();
        long missing = device.missingBytes(request.table(), request.columns());
        if (missing > 0 && missing <= left && !request.readsParts()) {
          left -= missing;
          device.pin(context, request.table(), request.columns()).close();
        }
      }
    } catch (RuntimeException e) {
      LOG.debug("columns are left to the query", e);
    }
  }

  /** Ends the thread; a column that is not there by then does not come. */
  @Override
  public void close() {
    closed = true;
    task.handle((done, error) -> true).join();
  }
}
