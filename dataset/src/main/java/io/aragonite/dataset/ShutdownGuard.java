package io.aragonite.dataset;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * While open, an ending JVM (Ctrl-C) interrupts the thread that opened this and gives it a few
 * seconds to clean up.
 */
final class ShutdownGuard implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 5;

  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread hook;

  ShutdownGuard() {
    Thread owner = Thread.currentThread();
    hook =
        new Thread(
            () -> {
              owner.interrupt();
              try {
                closed.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "dataset-shutdown");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the JVM is ending already: the hook has run and waited for this
    }
  }
}
