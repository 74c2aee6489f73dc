package io.aragonite.dataset;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The right to make one directory of the cache: a lock on a file beside it, which holds among
 * processes and among the threads of one, and ends with its process whatever happens to that.
 */
public final class CacheLock implements AutoCloseable {
  private static final long POLL_MILLIS = 50;

  private final FileChannel channel;

  private CacheLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Waits for the lock.
   *
   * @param onWait run once if another holds it
   * @throws InterruptedException if interrupted while waiting
   */
  public static CacheLock acquire(Path file, Runnable onWait)
      throws IOException, InterruptedException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean held = false;
    try {
      for (boolean first = true; !held; first = false) {
        held = tryLock(channel) != null;
        if (!held) {
          if (first) {
            onWait.run();
          }
          Thread.sleep(POLL_MILLIS);
        }
      }
      return new CacheLock(channel);
    } finally {
      if (!held) {
        channel.close();
      }
    }
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // another thread of this process
    }
  }

  /** Gives the lock back. The file stays: removing it would let two hold "the" lock. */
  @Override
  public void close() throws IOException {
    channel.close();
  }
}
