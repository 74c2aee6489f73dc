package io.aragonite.bench.fuzz;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a database of DuckDB's in memory. A thread of its own asks it: a database that a
 * defect has ended answers with errors only, or never, and would take the whole run along.
 */
final class PeerSession implements AutoCloseable {
  private static final Pattern FATAL = Pattern.compile("has been invalidated|^FATAL Error");

  private final long seconds;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon(true).name("peer").factory());
  private @Nullable Connection connection;
  private @Nullable String lost;

  /** What is asked of a connection. */
  interface PeerCall<T extends @Nullable Object> {
    T ask(Connection connection) throws SQLException;
  }

  /**
   * Opens a database.
   *
   * @param seconds after which a call that has not come back is given up, and the database with it
   */
  PeerSession(long seconds) throws SQLException {
    this.seconds = seconds;
    connection = waitFor(thread.submit(() -> DriverManager.getConnection("jdbc:duckdb:")));
  }

  /**
   * Asks.
   *
   * @throws LostPeerException if the database is lost, with this call or before
   */
  <T extends @Nullable Object> T ask(PeerCall<T> call) throws SQLException {
    Connection there = connection;
    if (there == null || lost != null) {
      throw new LostPeerException("DuckDB is lost: " + lost, new IllegalStateException());
    }
    return waitFor(thread.submit(() -> call.ask(there)));
  }

  private <T extends @Nullable Object> T waitFor(Future<T> future) throws SQLException {
    try {
      return future.get(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw lose("no answer in %d s".formatted(seconds), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw lose("interrupted", e);
    } catch (ExecutionException e) {
      throw of(requireNonNull(e.getCause()));
    }
  }

  private SQLException of(Throwable reason) {
    String message = String.valueOf(reason.getMessage());
    if (FATAL.matcher(message).find()) {
      return lose(message, reason);
    }
    if (reason instanceof SQLException error) {
      return error;
    }
    throw new IllegalStateException(reason);
  }

  private LostPeerException lose(String reason, Throwable cause) {
    lost = reason;
    return new LostPeerException("DuckDB is lost: " + reason, cause);
  }

  /** Whether another has to be opened. */
  boolean isLost() {
    return lost != null;
  }

  /** A lost one too, if it lets itself be closed in that time. */
  @Override
  public void close() {
    Connection there = connection;
    connection = null;
    try {
      if (there != null) {
        waitFor(
            thread.submit(
                () -> {
                  there.close();
                  return true;
                }));
      }
    } catch (SQLException e) {
      if (!isLost()) {
        throw new IllegalStateException(e);
      }
    } finally {
      thread.shutdownNow();
    }
  }
}
