package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.ExprColumns;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.table.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the columns of a query's scans to its device on threads of its own, in the order in which
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
  public record ScanColumns(Table table, List<Integer> columns, @Nullable Expr filter) {
    /**
     * The columns that the scan is going to pin, as far as can be told: parts of a table that are
     * read do not stay on the device.
     */
    private List<Integer> pinned() {
      if (filter == null) {
        return columns;
      }
      if (table.readsFilterFirst(columns, filter)) {
        return ExprColumns.of(filter).stream().map(columns::get).toList();
      }
      return table.skipsParts(columns, filter) ? List.of() : columns;
    }
  }

  /** Columns that are on their way at a time: one is read while one is copied and one decoded. */
  private static final int LOADERS = 3;

  private static final int HOST_SHARE = 2;

  private final Device device;
  private final StopCheck query = StopCheck.current();
  private final CompletableFuture<Void> task;
  private final AtomicInteger next = new AtomicInteger();
  private volatile boolean closed;

  /**
   * Begins with the first.
   *
   * @param mostBytes of columns that are brought at most; nor more than a share of the host's
   *     memory, through which some of them come
   */
  public ColumnPrefetch(Device device, List<ScanColumns> requests, long mostBytes) {
    this.device = device;
    long most = Math.min(mostBytes, device.host().memory().limit() / HOST_SHARE);
    this.task = CompletableFuture.runAsync(() -> run(requests, most), ReadAhead.THREADS);
  }

  /** One for each thread. */
  private StopCheck newCheck() {
    return new StopCheck(
        () -> {
          query.check();
          if (closed) {
            throw new AragoniteException(ErrorCode.CANCELLED, "Nobody wants the columns.");
          }
        },
        query.reading());
  }

  private void run(List<ScanColumns> requests, long mostBytes) {
    List<ColumnClaim> claims = new ArrayList<>();
    List<CompletableFuture<Void>> others = new ArrayList<>();
    try {
      claim(requests, mostBytes, claims);
      for (int i = 1; i < Math.min(LOADERS, claims.size()); i++) {
        others.add(CompletableFuture.runAsync(() -> load(claims), ReadAhead.THREADS));
      }
      load(claims);
    } catch (Throwable e) {
      stop();
      throw e;
    } finally {
      // What they load is theirs until they have ended.
      others.forEach(other -> other.handle((done, error) -> true).join());
      claims.forEach(ColumnClaim::close);
    }
  }

  /** All at once: the query waits for what it comes to, and takes nothing of it upon itself. */
  private void claim(List<ScanColumns> requests, long mostBytes, List<ColumnClaim> claims) {
    StopCheck check = newCheck();
    long left = mostBytes;
    try (StopCheck.Scope _ = check.enter()) {
      for (ScanColumns request : requests) {
        check.check();
        left -= claim(request, left, claims);
      }
    } catch (RuntimeException e) {
      LOG.debug("scans are left to the query", e);
    }
  }

  /**
   * Claims what nobody brings yet.
   *
   * @return about how many bytes come
   */
  private long claim(ScanColumns request, long mostBytes, List<ColumnClaim> claims) {
    try {
      if (device.missingBytes(request.table(), request.columns()) == 0) {
        return 0;
      }
      List<Integer> columns = request.pinned();
      long missing = device.missingBytes(request.table(), columns);
      if (missing == 0 || missing > mostBytes) {
        return 0;
      }
      for (ColumnClaim claim : device.claim(request.table(), columns)) {
        if (claim.mine()) {
          claims.add(claim);
        } else {
          claim.close();
        }
      }
      return missing;
    } catch (RuntimeException e) {
      StopCheck.current().check();
      LOG.debug("a scan is left to the query", e);
      return 0;
    }
  }

  private void load(List<ColumnClaim> claims) {
    StopCheck check = newCheck();
    try (StopCheck.Scope _ = check.enter();
        LoadContext context = new LoadContext(device, check)) {
      for (int i = next.getAndIncrement(); i < claims.size(); i = next.getAndIncrement()) {
        check.check();
        // Not held longer than it takes: others may be short of memory before the query begins.
        try (ColumnClaim claim = claims.get(i)) {
          claim.load(context);
        } catch (RuntimeException e) {
          LOG.debug("a column is left to the query", e);
        }
      }
    } catch (RuntimeException e) {
      LOG.debug("columns are left to the query", e);
    }
  }

  /** Has the threads end soon. */
  public void stop() {
    closed = true;
  }

  /** Ends the threads; a column that is not there by then does not come. */
  @Override
  public void close() {
    stop();
    task.handle((done, error) -> true).join();
  }
}
