package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedColumn;
import io.aragonite.exec.table.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes columns ready on the host that a query brings to its device one after the other. A thread
 * goes ahead of the query: it decompresses the pages of the next column, or decodes it where the
 * device cannot, while those before are copied and decoded there.
 *
 * <p>What fails here is left to the query, which comes to the same place and gets the error.
 */
final class ReadAhead implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReadAhead.class);

  /** For work beside a query that reads. */
  static final ExecutorService THREADS =
      Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "aragonite-read-ahead");
        thread.setDaemon(true);
        return thread;
      });

  private final Table table;
  private final ReadAheadRoom room;
  private final Map<Integer, ReadAheadColumn> columns = new LinkedHashMap<>();
  private final CompletableFuture<Void> task;

  /**
   * Begins with the first column.
   *
   * @param wanted columns, in the order in which they will be asked for
   * @param mostBytes that are ready and not taken at once, about
   */
  ReadAhead(Table table, List<Integer> wanted, long mostBytes) {
    this.table = table;
    this.room = new ReadAheadRoom(mostBytes);
    wanted.forEach(column -> columns.put(column, new ReadAheadColumn(room)));
    StopCheck query = StopCheck.current();
    StopCheck mine =
        new StopCheck(
            () -> {
              query.check();
              if (room.closed()) {
                throw new AragoniteException(ErrorCode.CANCELLED, "Nobody wants the column.");
              }
            },
            query.reading());
    this.task = CompletableFuture.runAsync(() -> run(mine), THREADS);
  }

  /** As {@link Table#encoded}; of a column that has been made ready, without waiting for more. */
  Decodable<EncodedColumn> encoded(int column) {
    ReadAheadColumn ahead = columns.get(column);
    Decodable<EncodedColumn> found = ahead == null ? null : ahead.take();
    return found == null ? table.encoded(column) : found;
  }

  private void run(StopCheck check) {
    try (StopCheck.Scope _ = check.enter()) {
      for (Map.Entry<Integer, ReadAheadColumn> entry : columns.entrySet()) {
        ReadAheadColumn column = entry.getValue();
        if (room.await() && column.begin()) {
          makeReady(entry.getKey(), column);
        }
      }
    }
  }

  private void makeReady(int number, ReadAheadColumn column) {
    Decodable<EncodedColumn> found = null;
    try {
      found = table.encoded(number);
      if (!found.present() && room.holds(table.bytes(number))) {
        table.pin(List.of(number)).close(); // and it stays in memory
      }
    } catch (RuntimeException e) {
      LOG.debug("column {} of {} is not made ready", number, table.name(), e);
    } finally {
      column.found(found);
    }
    column.fill();
  }

  /** Ends the thread, and gives back what nobody has taken. */
  @Override
  public void close() {
    room.close();
    try {
      task.handle((done, error) -> true).join();
    } finally {
      columns.values().forEach(ReadAheadColumn::giveUp);
    }
  }
}
