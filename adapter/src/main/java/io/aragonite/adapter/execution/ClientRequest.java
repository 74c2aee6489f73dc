package io.aragonite.adapter.execution;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request of a server's client while a thread works on it: what that started is cancelled if the
 * client asks for it or goes away meanwhile. {@link #cancel} and {@link #clientGone} may come from
 * any thread.
 */
public final class ClientRequest implements AutoCloseable {
  private static final ThreadLocal<@Nullable ClientRequest> CURRENT = new ThreadLocal<>();

  private static final ClientIdentity OWN = new ClientIdentity("none", null, "server");

  private final List<Runnable> cancels = new ArrayList<>();
  private final List<Runnable> cleanups = new ArrayList<>();
  private volatile @Nullable String query;
  private volatile @Nullable String traceParent;
  private boolean cancelled;
  private boolean gone;

  private final boolean narrow;
  private final ClientIdentity client;

  private ClientRequest(boolean narrow, ClientIdentity client) {
    this.narrow = narrow;
    this.client = client;
  }

  /**
   * Begins one on this thread, which closes it.
   *
   * @param narrow whether the client's protocol counts milliseconds and knows no instants, as
   *     Avatica's does
   * @param client who has sent it
   */
  public static ClientRequest begin(boolean narrow, ClientIdentity client) {
    ClientRequest request = new ClientRequest(narrow, client);
    CURRENT.set(request);
    return request;
  }

  /** Whether this thread works for a client whose protocol has no instants. */
  public static boolean isNarrow() {
    ClientRequest request = CURRENT.get();
    return request != null && request.narrow;
  }

  /** Who has sent it. */
  public ClientIdentity client() {
    return client;
  }

  /** What the client is doing, as W3C's header of this name has it; null: it does not say. */
  public void traceParent(@Nullable String header) {
    traceParent = header;
  }

  public @Nullable String traceParent() {
    return traceParent;
  }

  /** A run has begun for it. */
  public void runs(String id) {
    query = id;
  }

  /** The number of the run that has begun for it last; null if none has. */
  public @Nullable String query() {
    return query;
  }

  /** Who has sent a request; the server itself if there is none. */
  public static ClientIdentity client(@Nullable ClientRequest request) {
    return request == null ? OWN : request.client;
  }

  /** That of this thread, null if there is none. */
  public static @Nullable ClientRequest current() {
    return CURRENT.get();
  }

  /** While open, a thread works for a request that another one has begun. */
  interface RequestScope extends AutoCloseable {
    @Override
    void close();
  }

  /** Has this thread work for a request; without one, or where it has its own, nothing changes. */
  static RequestScope enter(@Nullable ClientRequest request) {
    if (request == null || CURRENT.get() != null) {
      return () -> {};
    }
    CURRENT.set(request);
    return CURRENT::remove;
  }

  /** Has {@code cancel} called if the request is cancelled before it has ended, or is already. */
  public void onCancel(Runnable cancel) {
    synchronized (this) {
      if (!cancelled) {
        cancels.add(cancel);
        return;
      }
    }
    cancel.run();
  }

  /** Has {@code cleanup} called at the end of the request if the client has gone away. */
  public synchronized void atEnd(Runnable cleanup) {
    cleanups.add(cleanup);
  }

  /** The client has gone away. */
  public void clientGone() {
    synchronized (this) {
      gone = true;
    }
    cancel();
  }

  /** Nobody wants the answer any more. */
  public void cancel() {
    List<Runnable> all;
    synchronized (this) {
      cancelled = true;
      all = List.copyOf(cancels);
      cancels.clear();
    }
    all.forEach(Runnable::run);
  }

  @Override
  public void close() {
    CURRENT.remove();
    List<Runnable> all;
    synchronized (this) {
      all = gone ? List.copyOf(cleanups) : List.of();
      cleanups.clear();
      cancels.clear();
    }
    all.forEach(Runnable::run);
  }
}
