package io.aragonite.adapter.remote;

import com.google.common.base.Throwables;
import io.aragonite.adapter.remote.RemoteException.Problem;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Tries a request again whose failure may be gone then, a few times, after longer and longer. */
final class Retries {
  private static final int TRIES = 5;
  private static final long FIRST_WAIT_MILLIS = 100;
  private static final long LOOK_MILLIS = 20;

  private int failures;

  /** A request. */
  @FunctionalInterface
  interface Request<T> {
    T send() throws IOException;
  }

  /** Whatever ends the present query ends the wait for an answer, too. */
  static <T> T call(Request<T> request) throws IOException {
    Retries retries = new Retries();
    while (true) {
      try {
        return answer(request);
      } catch (IOException e) {
        retries.await(e);
      }
    }
  }

  private static <T> T answer(Request<T> request) throws IOException {
    StopCheck stop = StopCheck.current();
    FutureTask<T> task = new FutureTask<>(request::send);
    Thread thread = Thread.ofVirtual().name("aragonite-request").start(task);
    boolean done = false;
    try {
      while (true) {
        try {
          T answer = task.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
          done = true;
          return answer;
        } catch (TimeoutException e) {
          stop.check();
        }
      }
    } catch (ExecutionException e) {
      done = true;
      Throwable cause = e.getCause() == null ? e : e.getCause();
      Throwables.throwIfInstanceOf(cause, IOException.class);
      Throwables.throwIfUnchecked(cause);
      throw new IOException(cause);
    } catch (InterruptedException e) {
      throw interrupted();
    } finally {
      if (!done) {
        thread.interrupt();
      }
    }
  }

  private static AragoniteException interrupted() {
    Thread.currentThread().interrupt();
    return new AragoniteException(ErrorCode.CANCELLED, "Reading was interrupted.");
  }

  /**
   * Waits until the next try; throws the error if there is none.
   *
   * @throws AragoniteException what ends the present query
   */
  void await(IOException error) throws IOException {
    boolean again = error instanceof RemoteException e && e.problem() == Problem.TRANSIENT;
    failures++;
    if (!again || failures == TRIES) {
      throw error;
    }
    long most = FIRST_WAIT_MILLIS << (failures - 1);
    long left = most / 2 + ThreadLocalRandom.current().nextLong(most / 2);
    StopCheck stop = StopCheck.current();
    try {
      while (left > 0) {
        stop.check();
        Thread.sleep(Math.min(left, LOOK_MILLIS));
        left -= LOOK_MILLIS;
      }
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }
}
