package io.aragonite.exec.runtime;

import java.util.concurrent.ThreadFactory;

/**
 * Which threads are inside a query: those that read one for now, and workers always. None of them
 * may wait until a query has ended, since that query may be its own, or wait for its own: a
 * function that SQL calls may close the connection that it is called from.
 */
public final class QueryThreads {
  private static final ThreadLocal<int[]> DEPTH = ThreadLocal.withInitial(() -> new int[1]);

  private QueryThreads() {}

  /** Whether this thread may wait until queries have ended. */
  public static boolean mayWait() {
    return DEPTH.get()[0] == 0;
  }

  /** This thread is inside one more query, until it calls {@link #leave}. */
  public static void enter() {
    DEPTH.get()[0]++;
  }

  public static void leave() {
    DEPTH.get()[0]--;
  }

  /**
   * Daemon threads that are inside queries as long as they live.
   *
   * @param name theirs, before a number
   */
  public static ThreadFactory workers(String name) {
    ThreadFactory factory = Thread.ofPlatform().daemon().name(name, 0).factory();
    return task ->
        factory.newThread(() -> {
          enter();
          task.run();
        });
  }
}
