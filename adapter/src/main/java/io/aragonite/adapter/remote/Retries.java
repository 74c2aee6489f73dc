package io.aragonite.adapter.remote;

import io.aragonite.adapter.remote.RemoteException.Problem;
import io.aragonite.exec.limit.StopCheck;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ThreadLocalRandom;

/** Tries a request again whose failure may be gone then, a few times, after longer and longer. */
final class Retries {
  private static final int TRIES = 5;
  private static final long FIRST_WAIT_MILLIS = 100;

  private int failures;

  /** A request. */
  @FunctionalInterface
  interface Request<T> {
    T send() throws IOException;
  }

  static <T> T call(Request<T> request) throws IOException {
    Retries retries = new Retries();
    while (true) {
      StopCheck.current().check();
      try {
        return request.send();
      } catch (IOException e) {
        retries.await(e);
      }
    }
  }

  /** Waits until the next try; throws the error if there is none. */
  void await(IOException error) throws IOException {
    boolean again = error instanceof RemoteException e && e.problem() == Problem.TRANSIENT;
    failures++;
    if (!again || failures == TRIES) {
      throw error;
    }
    long most = FIRST_WAIT_MILLIS << (failures - 1);
    try {
      Thread.sleep(most / 2 + ThreadLocalRandom.current().nextLong(most / 2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("it was interrupted");
    }
  }
}
