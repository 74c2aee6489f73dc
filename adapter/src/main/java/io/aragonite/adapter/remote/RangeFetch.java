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
import org.jspecify.annotations.Nullable;

/**
 * Bytes of a remote file on their way to its copy, in a thread of their own. A transfer that breaks
 * off goes on where it was.
 */
final class RangeFetch {
  private static final int STEP = 1 << 16;

  private final RemotePath path;
  private final RemoteAttributes attributes;
  private final ScratchFile file;

  /** Null: all, as much as that may be. */
  private final @Nullable ByteRange range;

  private final StopCheck stop;
  private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
  private final Thread thread = Thread.ofVirtual().name("aragonite-fetch").unstarted(this::run);
  private Runnable ended = () -> {};
  private volatile long heard = System.nanoTime();
  private volatile boolean receiving;
  private volatile boolean silent;
  private volatile boolean cancelled;
  private volatile boolean complete;

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
    StopCheck mine = StopCheck.current();
    this.stop = new StopCheck(mine::check, mine.reading());
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

  /** A store that sends nothing for too long is asked again. */
  void interruptIfSilent() {
    long most = path.getFileSystem().options().timeout().toNanos();
    if (receiving && System.nanoTime() - heard > most) {
      silent = true;
      thread.interrupt();
    }
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
      requests.acquire();
      try {
        if (range == null) {
          receive(0, Long.MAX_VALUE);
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

  private void transfer(ByteRange bytes) throws IOException {
    long position = bytes.from();
    Retries retries = new Retries();
    while (position < bytes.to()) {
      try {
        position = receive(position, bytes.to());
      } catch (BrokenOffException e) {
        position = e.position;
        retries.await(error(e.getCause()));
      }
    }
  }

  /** Where a transfer ended early. */
  private static final class BrokenOffException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long position;

    BrokenOffException(long position, Exception cause) {
      super(cause);
      this.position = position;
    }
  }

  private long receive(long from, long to) throws IOException {
    long position = from;
    heard = System.nanoTime();
    receiving = true;
    ByteRange asked = range == null ? null : new ByteRange(from, to);
    try (Body body = path.store().read(path, asked, attributes);
        OutputStream out = file.writeAt(from)) {
      InputStream in = body.bytes();
      byte[] step = new byte[STEP];
      while (position < to) {
        stop.check();
        int read = in.read(step, 0, (int) Math.min(step.length, to - position));
        if (read < 0) {
          break;
        }
        out.write(step, 0, read);
        position += read;
        heard = System.nanoTime();
      }
    } catch (AragoniteException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new BrokenOffException(position, e);
    } finally {
      receiving = false;
    }
    long wanted = range == null ? attributes.length() : to;
    if (wanted >= 0 && position < wanted) {
      throw new BrokenOffException(
          position,
          new RemoteException(
              Problem.TRANSIENT,
              "its bytes ended at %,d of %,d".formatted(position, wanted),
              null));
    }
    return position;
  }

  /** What ended a transfer, in words. */
  IOException error(@Nullable Throwable cause) {
    if (silent && !cancelled) {
      silent = false;
      boolean ignored = Thread.interrupted();
      return new RemoteException(
          Problem.TRANSIENT,
          "its store sent nothing for " + path.getFileSystem().options().timeout(),
          cause);
    }
    if (cause instanceof BrokenOffException e) {
      return error(e.getCause());
    }
    if (cause instanceof RemoteException e) {
      return e;
    }
    if (cause instanceof NoSuchFileException
        || cancelled
        || cause instanceof InterruptedException) {
      return cause instanceof NoSuchFileException
          ? new RemoteException(Problem.CHANGED, "it is gone", cause)
          : new InterruptedIOException("it was interrupted");
    }
    return new RemoteException(
        Problem.TRANSIENT,
        "the transfer broke off (%s)"
            .formatted(cause == null ? "without a word" : AragoniteException.reason(cause)),
        cause);
  }
}
