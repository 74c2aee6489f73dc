package io.aragonite.adapter.cli;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import sun.misc.Signal;

/**
 * The signals that tell a command to stop: it does so by itself, before the JVM's shutdown hooks
 * take away what it needs (spill files, for one). A second signal is for those who do not want to
 * wait.
 */
final class StopSignals {
  private static final long LOOK_MILLIS = 50;

  private final Semaphore signals = new Semaphore(0);

  private StopSignals() {}

  /** Handles Ctrl-C and SIGTERM from now on. */
  static StopSignals handle() {
    StopSignals handled = new StopSignals();
    for (String name : new String[] {"INT", "TERM"}) {
      Signal.handle(new Signal(name), signal -> handled.signals.release());
    }
    return handled;
  }

  /** Waits for the first signal. */
  void await() throws InterruptedException {
    signals.acquire();
  }

  /** Waits until something is done, time is up, or there is another signal. */
  void awaitAgain(Duration time, BooleanSupplier done) throws InterruptedException {
    long begin = System.nanoTime();
    while (!done.getAsBoolean()
        && System.nanoTime() - begin < time.toNanos()
        && !signals.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
      // looks again
    }
  }
}
