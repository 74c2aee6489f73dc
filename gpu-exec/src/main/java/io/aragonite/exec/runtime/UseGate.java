package io.aragonite.exec.runtime;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees something when its last user has left: who closes it waits for the users, and whoever comes
 * later is refused. Safe for several threads.
 *
 * <p>A thread that is inside a query does not wait, since the user may be itself ({@link
 * QueryThreads}): a thread of its own waits and frees then.
 */
public final class UseGate {
  private static final Logger LOG = LoggerFactory.getLogger(UseGate.class);

  private final String closedMessage;
  private final Runnable free;
  private final @Nullable UseGate outer;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private int users;
  private volatile boolean closing;
  private boolean freed;

  /**
   * @param closedMessage what who comes too late is told
   * @param free called once, when there are no users and there will be none
   */
  public UseGate(String closedMessage, Runnable free) {
    this(closedMessage, free, null);
  }

  /**
   * The same of a part of something.
   *
   * @param outer whose users those of this one are too; null: of nothing
   */
  public UseGate(String closedMessage, Runnable free, @Nullable UseGate outer) {
    this.closedMessage = closedMessage;
    this.free = free;
    this.outer = outer;
  }

  /**
   * Begins a use, which {@link #leave} ends, on whatever thread.
   *
   * @throws AragoniteException INVALID_CALL if it is closed, or about to be
   */
  public void enter() {
    if (outer != null) {
      outer.enter();
    }
    boolean entered = false;
    lock.lock();
    try {
      if (closing) {
        throw closed();
      }
      users++;
      entered = true;
    } finally {
      lock.unlock();
      if (!entered && outer != null) {
        outer.leave();
      }
    }
  }

  /**
   * Does something while there are no users; who comes meanwhile waits, so it is to be short.
   *
   * @return false if there are users, or it is closed
   */
  public boolean whenUnused(Runnable task) {
    lock.lock();
    try {
      boolean unused = users == 0 && !closing;
      if (unused) {
        task.run();
      }
      return unused;
    } finally {
      lock.unlock();
    }
  }

  /** What {@link #enter} throws. */
  public AragoniteException closed() {
    return new AragoniteException(ErrorCode.INVALID_CALL, closedMessage);
  }

  /** Ends a use. */
  public void leave() {
    lock.lock();
    try {
      if (--users == 0) {
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
    if (outer != null) {
      outer.leave();
    }
  }

  /** Whether nobody is let in any more. */
  public boolean closing() {
    return closing;
  }

  /**
   * Lets nobody in any more and frees. Returns when that is done, whoever began it; a thread inside
   * a query returns at once.
   *
   * @param stop has users leave soon; called once
   */
  public void close(Runnable stop) {
    if (!first()) {
      return;
    }
    if (QueryThreads.mayWait()) {
      end(stop);
    } else {
      Thread.ofPlatform().daemon().name("aragonite-close").start(() -> endQuietly(stop));
    }
  }

  private void end(Runnable stop) {
    try {
      stop.run();
    } finally {
      awaitUsers();
      free();
    }
  }

  private void endQuietly(Runnable stop) {
    try {
      end(stop);
    } catch (RuntimeException e) {
      // Who closed it has gone on long ago.
      LOG.warn("what was closed could not be freed", e);
    }
  }

  /** Whether this thread is the first to close; if not, what it closes is free, if it may wait. */
  private boolean first() {
    lock.lock();
    try {
      if (!closing) {
        closing = true;
        return true;
      }
      while (!freed && QueryThreads.mayWait()) {
        changed.awaitUninterruptibly();
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  private void awaitUsers() {
    lock.lock();
    try {
      while (users > 0) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private void free() {
    try {
      free.run();
    } finally {
      lock.lock();
      try {
        freed = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
