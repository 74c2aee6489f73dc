package io.aragonite.adapter.remote;

import io.aragonite.adapter.remote.ObjectStore.Body;
import io.aragonite.adapter.remote.RemoteException.Problem;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.spill.file.ScratchFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of a remote file on their way to its copy, in a thread of their own. A transfer that breaks
 * off goes on where it was.
 */
final class RangeFetch {
  private static final int STEP = 1 << 16;
  private static final long LOOK_MILLIS = 20;

  private final RemotePath path;
  private final RemoteAttributes attributes;
  private final ScratchFile file;

  /** Null: all, as much as that may be. */
  private final @Nullable ByteRange range;

  private final StopCheck stop;
  private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
  private final Thread thread = Thread.ofVirtual().name("aragonite-fetch").unstarted(this::run);
  private Runnable ended = () -> {};
  private volatile boolean cancelled;
  private volatile boolean complete;

  /** Before this all is in the copy. */
  private volatile long position;

  static RangeFetch of(
      RemotePath path, RemoteAttributes attributes, ScratchFile file, ByteRange range) {
    return new RangeFetch(path, attributes, file, range);
  }

  static RangeFetch ofAll(RemotePath path, RemoteAttributes attributes, ScratchFile file) {
    return new RangeFetch(path, attributes, file, null);
  }

  private RangeFetch(
      RemotePath path, RemoteAttributes attributes, ScratchFile file, @Nullable ByteRange range) {
    this.path = path;
    this.attributes = attributes;
    this.file = file;
    this.range = range;
    this.position = range == null ? 0 : range.from();
    this.stop = StopCheck.current().forAnotherThread();
  }

  /**
   * @param whenEnded called before those that wait go on
   */
  void start(Runnable whenEnded) {
    ended = whenEnded;
    thread.start();
  }

  CompletableFuture<@Nullable Void> done() {
    return done;
  }

  boolean complete() {
    return complete;
  }

  /** Ends it early. */
  void cancel() {
    cancelled = true;
    thread.interrupt();
  }

  long position() {
    return position;
  }

  /** Waits for its end, however it ends. */
  void join() {
    try {
      var _ = done.join();
    } catch (CancellationException | CompletionException e) {
      // nobody wants its bytes any more
    }
  }

  private void run() {
    Throwable error = null;
    try (StopCheck.Scope _ = stop.enter()) {
      Semaphore requests = path.getFileSystem().requests();
      acquire(requests);
      try {
        if (range == null) {
          receiveAll();
        } else {
          transfer(range);
        }
      } finally {
        requests.release();
      }
      complete = true;
    } catch (Throwable e) {
      error = e;
    }
    ended.run();
    if (error == null) {
      done.complete(null);
    } else {
      done.completeExceptionally(error);
    }
  }

  private void acquire(Semaphore requests) throws IOException {
    try {
      do {
        checkWanted();
      } while (!requests.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  /** Throws if nobody wants the bytes any more. */
  private void checkWanted() throws IOException {
    stop.check();
    if (cancelled) {
      throw interrupted();
    }
  }

  private static IOException interrupted() {
    return new InterruptedIOException("it was interrupted");
  }

  /** A server may answer with less than it was asked for; tries count from the last byte on. */
  private void transfer(ByteRange bytes) throws IOException {
    Retries retries = new Retries();
    while (position < bytes.to()) {
      long before = position;
      IOException error = null;
      try {
        receive(bytes.to());
      } catch (IOException e) {
        error = e;
      }
      if (position > before) {
        retries = new Retries();
      }
      if (error != null || position == before) {
        retries.await(error == null ? ended(bytes.to()) : error);
      }
    }
  }

  private void receiveAll() throws IOException {
    long length = attributes.length();
    receive(length < 0 ? Long.MAX_VALUE : length + 1);
    if (length >= 0 && position < length) {
      throw ended(length);
    }
    if (length >= 0 && position > length) {
      throw new RemoteException(Problem.CHANGED, "it is longer than it was", null);
    }
  }

  private RemoteException ended(long wanted) {
    return new RemoteException(
        Problem.TRANSIENT, "its bytes ended at %,d of %,d".formatted(position, wanted), null);
  }

  /** Takes what one answer has. */
  private void receive(long to) throws IOException {
    SilenceWatch watch = new SilenceWatch(path.getFileSystem().options().timeout(), stop::check);
    try (watch) {
      copy(to, watch);
    } catch (AragoniteException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      checkWanted();
      throw watch.silent() ? watch.error(e) : error(e);
    }
  }

  private void copy(long to, SilenceWatch watch) throws IOException {
    ByteRange asked = range == null ? null : new ByteRange(position, to);
    try (Body body = path.store().read(path, asked, attributes);
        OutputStream out = file.writeAt(position)) {
      InputStream in = body.bytes();
      byte[] step = new byte[STEP];
      long at = position;
      while (at < to) {
        checkWanted();
        int read = in.read(step, 0, (int) Math.min(step.length, to - at));
        if (read < 0) {
          return;
        }
        out.write(step, 0, read);
        at += read;
        position = at;
        watch.heard();
      }
    }
  }

  /** What ended an answer, in words. */
  private static IOException error(Exception cause) {
    if (cause instanceof RemoteException e) {
      return e;
    }
    if (cause instanceof NoSuchFileException) {
      return new RemoteException(Problem.CHANGED, "it is gone", cause);
    }
    return new RemoteException(
        Problem.TRANSIENT,
        "the transfer broke off (%s)".formatted(AragoniteException.reason(cause)),
        cause);
  }
}
