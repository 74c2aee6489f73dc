package io.aragonite.bench.timing;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;

/**
 * A clock of a benchmark: the wall's, or that of the processors, which stands still while others on
 * the machine have them. The latter knows the threads that it has made and the one that asks.
 */
public final class BenchClock implements ThreadFactory {
  /** What passes for everybody. */
  public static final BenchClock WALL = new BenchClock(0);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final ThreadFactory factory = Thread.ofPlatform().daemon().factory();
  private final List<Thread> made = new CopyOnWriteArrayList<>();
  private final int workers;

  /**
   * @param workers that share the work, and over whom processors' time is spread; 0: the wall's
   *     clock
   */
  public BenchClock(int workers) {
    this.workers = workers;
  }

  @Override
  public Thread newThread(Runnable task) {
    Thread thread = factory.newThread(task);
    made.add(thread);
    return thread;
  }

  /** Nanoseconds since some time. */
  public double nanos() {
    if (workers == 0) {
      return System.nanoTime();
    }
    double sum = THREADS.getCurrentThreadCpuTime();
    for (Thread thread : made) {
      // Of threads that have ended nothing is known; none does while a candidate runs.
      sum += Math.max(0, THREADS.getThreadCpuTime(thread.threadId()));
    }
    return sum / workers;
  }
}
