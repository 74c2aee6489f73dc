package io.aragonite.adapter.server;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;

/**
 * Ends connections whose next request has not come to the end of its header for too long. Silence
 * ends a connection anyway; this is for those that send a little now and then. Safe for several
 * threads.
 */
final class HeaderWatch implements Connection.Listener {
  private final long patience;
  private final Map<Connection, Header> headers = new ConcurrentHashMap<>();

  /** What a connection has sent of its next request. */
  private static final class Header {
    /** Whether a request is worked on. */
    private boolean busy;

    /** Bytes that were there when the last request ended. */
    private long before;

    /** When something of the next one was there first; the first one begins with the connection. */
    private long begin;

    private boolean begun;

    Header(long now) {
      begin = now;
      begun = true;
    }

    synchronized void busy() {
      busy = true;
    }

    synchronized void idle(long bytes) {
      busy = false;
      begun = false;
      before = bytes;
    }

    /** How many nanoseconds the header has taken so far. */
    synchronized long taken(long bytes, long now) {
      if (busy || !begun && bytes == before) {
        return 0;
      }
      if (!begun) {
        begun = true;
        begin = now;
      }
      return now - begin;
    }
  }

  /**
   * @param patience how long a header may take
   */
  HeaderWatch(Duration patience) {
    this.patience = patience.toNanos();
  }

  @Override
  public void onOpened(Connection connection) {
    if (!(connection instanceof SslConnection)) { // which has one of HTTP in it
      headers.put(connection, new Header(System.nanoTime()));
    }
  }

  @Override
  public void onClosed(Connection connection) {
    headers.remove(connection);
  }

  /** A request has come. */
  void begin(Connection connection) {
    Header header = headers.get(connection);
    if (header != null) {
      header.busy();
    }
  }

  /** A request has been answered. */
  void end(Connection connection) {
    Header header = headers.get(connection);
    if (header != null) {
      header.idle(connection.getBytesIn());
    }
  }

  /** Ends connections that take too long. */
  void look() {
    long now = System.nanoTime();
    headers.forEach((connection, header) -> {
      if (header.taken(connection.getBytesIn(), now) > patience
          && headers.remove(connection) != null) {
        RefusedRequests.note(
            ServedHandler.PROTOCOL,
            "slow-header",
            connection.getEndPoint().getRemoteSocketAddress(),
            "its header has not come for too long");
        connection.getEndPoint().close();
      }
    });
  }
}
