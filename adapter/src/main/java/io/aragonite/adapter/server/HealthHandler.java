package io.aragonite.adapter.server;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers what keeps services running, without a login and with no more than a status: {@code
 * /health}, whether the process answers at all, and {@code /ready}, whether a client would get a
 * connection now.
 */
final class HealthHandler {
  /** Opens a connection as a client gets it, and closes it. */
  @FunctionalInterface
  interface Probe {
    void run() throws SQLException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(HealthHandler.class);

  /** So long a finding holds: anybody may ask. */
  private static final long HOLDS_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What hangs for so long is not ready. */
  private static final long HANGS_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** What was found, and when; at first what the server has tried before it listens. */
  private record Finding(boolean ready, long nanos) {}

  private final Probe probe;
  private final ReentrantLock trying = new ReentrantLock();
  private volatile Finding last = new Finding(true, System.nanoTime());

  HealthHandler(Probe probe) {
    this.probe = probe;
  }

  /** Answers a request of a path of its own; false if it is none. */
  boolean handle(Request request, Response response, Callback callback) {
    switch (Request.getPathInContext(request)) {
      case "/health" -> PlainErrorHandler.send(response, HttpStatus.OK_200, callback);
      case "/ready" ->
          PlainErrorHandler.send(
              response,
              isReady() ? HttpStatus.OK_200 : HttpStatus.SERVICE_UNAVAILABLE_503,
              callback);
      default -> {
        return false;
      }
    }
    return true;
  }

  private boolean isReady() {
    if (age() > HOLDS_NANOS && trying.tryLock()) {
      try {
        last = new Finding(tried(), System.nanoTime());
      } finally {
        trying.unlock();
      }
    }
    return last.ready && age() < HANGS_NANOS;
  }

  private long age() {
    return System.nanoTime() - last.nanos;
  }

  private boolean tried() {
    try {
      probe.run();
      return true;
    } catch (SQLException | RuntimeException | OutOfMemoryError e) {
      LOG.warn("the server is not ready: a connection could not be opened", e);
      return false;
    }
  }
}
