package io.aragonite.adapter.server;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * Has so many requests be worked on at once; others wait for their turn without a thread, so that
 * the server always has some that read, and that tell of its health. Safe for several threads.
 */
final class RequestWorkers {
  private final int most;
  private final Queue<Waiting> waiting = new ArrayDeque<>();
  private int working;

  private record Waiting(Executor executor, Runnable work) {}

  /**
   * @param most requests at once
   */
  RequestWorkers(int most) {
    this.most = most;
  }

  /**
   * Does some work now on this thread, or later on one of an executor.
   *
   * @param work fails never
   */
  void run(Executor executor, Runnable work) {
    synchronized (this) {
      if (working == most) {
        waiting.add(new Waiting(executor, work));
        return;
      }
      working++;
    }
    work(work);
  }

  private void work(Runnable work) {
    try {
      work.run();
    } finally {
      next();
    }
  }

  private void next() {
    Waiting next;
    synchronized (this) {
      next = waiting.poll();
      if (next == null) {
        working--;
        return;
      }
    }
    next.executor.execute(() -> work(next.work));
  }
}
