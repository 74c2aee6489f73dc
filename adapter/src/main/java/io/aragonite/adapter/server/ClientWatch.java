package io.aragonite.adapter.server;

import io.aragonite.adapter.execution.ClientRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks several times a second whether the clients are still there that wait for an answer. Jetty
 * reads nothing from a connection while a request of it is worked on, so that it does not see its
 * end; this does.
 */
final class ClientWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClientWatch.class);
  private static final long LOOK_MILLIS = 200;
  private static final long CLEAN_MILLIS = 5_000;
  private static final long SECOND_MILLIS = 1_000;

  private final Set<Watched> requests = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService timer =
      Executors.newScheduledThreadPool(
          2,
          task -> {
            Thread thread = new Thread(task, "aragonite-clients");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * @param clean closes what has not been used for too long
   */
  ClientWatch(Runnable clean) {
    every(LOOK_MILLIS, () -> requests.forEach(Watched::look));
    every(CLEAN_MILLIS, clean);
  }

  /** Has the watch do something else too. */
  void everySecond(Runnable task) {
    every(SECOND_MILLIS, task);
  }

  private void every(long millis, Runnable task) {
    timer.scheduleWithFixedDelay(
        () -> {
          try {
            task.run();
          } catch (RuntimeException | OutOfMemoryError e) { // which would be the last run
            LOG.warn("a task of the server failed; it is tried again", e);
          }
        },
        millis,
        millis,
        TimeUnit.MILLISECONDS);
  }

  /**
   * Watches a client whose request has been read to its end, until the result is closed.
   *
   * @param request of this thread
   */
  Watched watch(EndPoint client, ClientRequest request) {
    Watched watched = new Watched(client, request);
    requests.add(watched);
    return watched;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** A client that waits. */
  final class Watched implements AutoCloseable {
    private final EndPoint client;
    private final ClientRequest request;
    private boolean ended;
    private boolean sentMore;

    private Watched(EndPoint client, ClientRequest request) {
      this.client = client;
      this.request = request;
    }

    private synchronized void look() {
      if (ended || sentMore) {
        return;
      }
      boolean gone;
      try {
        ByteBuffer buffer = BufferUtil.allocate(1);
        int read = client.fill(buffer);
        sentMore = read > 0;
        gone = read < 0;
      } catch (IOException e) {
        gone = true;
      }
      if (gone) {
        ended = true;
        request.clientGone();
      }
    }

    /**
     * Whether the client has sent its next request already, the first byte of which is lost: the
     * connection is of no more use after the answer.
     */
    synchronized boolean sentMore() {
      return sentMore;
    }

    @Override
    public synchronized void close() {
      ended = true;
      requests.remove(this);
    }
  }
}
