package io.aragonite.adapter.remote;

import io.aragonite.adapter.remote.RemoteException.Problem;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread that made it when its store sends nothing for too long, or when its query
 * is to end. The interrupt is taken back with {@link #close}, so that it ends nothing else.
 */
final class SilenceWatch implements AutoCloseable {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Duration most;
  private final Runnable check;
  private final Thread watched = Thread.currentThread();
  private final Thread watcher;
  private volatile long heard = System.nanoTime();
  private boolean silent;
  private boolean interrupted;
  private boolean closed;

  /**
   * @param most longest silence
   * @param check throws if the query is to end; any thread may call it
   */
  SilenceWatch(Duration most, Runnable check) {
    this.most = most;
    this.check = check;
    this.watcher = Thread.ofVirtual().name("aragonite-silence").start(this::watch);
  }

  /** Notes that something has come. */
  void heard() {
    heard = System.nanoTime();
  }

  /** Whether nothing came for too long. */
  synchronized boolean silent() {
    return silent;
  }

  RemoteException error(@Nullable Throwable cause) {
    return new RemoteException(Problem.TRANSIENT, "its store sent nothing for " + most, cause);
  }

  private void watch() {
    try {
      long left = most.toNanos();
      while (left > 0) {
        TimeUnit.NANOSECONDS.sleep(Math.min(left, LOOK_NANOS));
        check.run();
        left = most.toNanos() - (System.nanoTime() - heard);
      }
      interrupt(true);
    } catch (InterruptedException e) {
      // closed
    } catch (RuntimeException e) {
      interrupt(false); // the watched thread asks for itself
    }
  }

  private synchronized void interrupt(boolean forSilence) {
    if (!closed) {
      silent = forSilence;
      interrupted = true;
      watched.interrupt();
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      if (interrupted) {
        boolean _ = Thread.interrupted();
      }
    }
    watcher.interrupt();
  }
}
