package io.aragonite.adapter.server;

import java.util.HashMap;
import java.util.Map;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the bytes of all requests that are on the Java heap at once, and those of each user: half
 * of all, so that one user leaves room for the others. Safe for several threads.
 */
final class RequestMemory {
  /** What requests have of the heap: beside their bytes there is what is made of them. */
  private static final int PART_OF_HEAP = 4;

  private final long most;
  private final Map<String, Long> ofUsers = new HashMap<>();
  private long held;

  /**
   * @param most bytes at once
   */
  RequestMemory(long most) {
    this.most = most;
  }

  /** One for this process's heap. */
  static RequestMemory ofHeap() {
    return new RequestMemory(Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
  }

  /** Bytes that one user may have. */
  long mostOfUser() {
    return most / 2;
  }

  /** What a request of a user holds, nothing yet; the users of a server without logins are one. */
  Share share(@Nullable String user) {
    return new Share(user == null ? "" : user);
  }

  /** The bytes of one request, until they are given back. */
  final class Share implements AutoCloseable {
    private final String user;
    private long bytes;
    private boolean closed;

    private Share(String user) {
      this.user = user;
    }

    /**
     * Takes more.
     *
     * @throws HttpException.RuntimeException if there are too many already
     */
    void add(int more) {
      synchronized (RequestMemory.this) {
        if (closed) {
          throw new IllegalStateException("The request is over.");
        }
        if (ofUsers.getOrDefault(user, 0L) + more > mostOfUser()) {
          throw new HttpException.RuntimeException(
              HttpStatus.TOO_MANY_REQUESTS_429,
              "Requests of one user may have %,d bytes at once; send some of them later."
                  .formatted(mostOfUser()));
        }
        if (held + more > most) {
          throw new HttpException.RuntimeException(
              HttpStatus.SERVICE_UNAVAILABLE_503,
              "All requests may have %,d bytes at once; try again later.".formatted(most));
        }
        held += more;
        ofUsers.merge(user, (long) more, Long::sum);
        bytes += more;
      }
    }

    /** Gives all back; a second call does nothing. */
    @Override
    public void close() {
      synchronized (RequestMemory.this) {
        if (closed) {
          return;
        }
        closed = true;
        held -= bytes;
        long given = bytes;
        ofUsers.computeIfPresent(user, (key, sum) -> sum > given ? sum - given : null);
      }
    }
  }
}
