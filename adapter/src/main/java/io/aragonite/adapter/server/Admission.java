package io.aragonite.adapter.server;

import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.options.Units;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Has statements of clients run at once as far as they may, and others wait. Users take turns: who
 * sends many statements waits for his own, not others for him. Safe for several threads.
 */
public final class Admission {
  private static final int MOST_WAITING = 100;
  private static final int MOST_WAITING_OF_USER = 20;

  /** How often those who wait look whether they still are to. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final int most;
  private final Duration longest;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Integer> ofUsers = new HashMap<>();

  /** Those who wait by their users, of which the first one's turn is next. */
  private final Map<String, Deque<Waiter>> queues = new LinkedHashMap<>();

  private int running;
  private int waiting;
  private boolean stopped;

  /**
   * @param most statements that run at once
   * @param longest time that one waits for its turn
   */
  public Admission(int most, Duration longest) {
    this.most = most;
    this.longest = longest;
  }

  /** One that has all run at once but for what users may. */
  public static Admission unlimited() {
    return new Admission(Integer.MAX_VALUE, Duration.ofSeconds(30));
  }

  /** Statements that run at once. */
  int slots() {
    return most;
  }

  /** Somebody who waits. */
  private static final class Waiter {
    private final int mostOfUser;
    private final Condition turn;
    private boolean admitted;

    Waiter(int mostOfUser, Condition turn) {
      this.mostOfUser = mostOfUser;
      this.turn = turn;
    }
  }

  /** A statement that runs, until it is over. */
  final class Turn {
    private final String user;
    private boolean over;

    private Turn(String user) {
      this.user = user;
    }

    /** The statement is over; a second call does nothing. */
    void end() {
      lock.lock();
      try {
        if (!over) {
          over = true;
          left(user);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Waits for a statement's turn.
   *
   * @param user null on a server without users
   * @param mostOfUser how many statements of the user may run at once
   * @throws AragoniteException TOO_MANY_QUERIES if there are too many, or it has waited too long;
   *     SERVER_REFUSED if the server is being stopped; what the run ends with meanwhile
   */
  Turn enter(@Nullable String user, int mostOfUser, Execution run) {
    String name = user == null ? "" : user;
    long begin = System.nanoTime();
    lock.lock();
    try {
      requireOpen();
      Waiter waiter = new Waiter(mostOfUser, lock.newCondition());
      Deque<Waiter> queue = queues.computeIfAbsent(name, key -> new ArrayDeque<>());
      boolean full = waiting >= MOST_WAITING || queue.size() >= MOST_WAITING_OF_USER;
      queue.add(waiter);
      waiting++;
      ServerMetrics.waiting(1);
      admit();
      try {
        if (!waiter.admitted && full) {
          throw refused("There are as many statements as may run and wait; try again later.");
        }
        await(waiter, begin, run);
      } finally {
        if (!waiter.admitted) {
          remove(name, waiter);
        }
      }
      ServerMetrics.waited(System.nanoTime() - begin);
      return new Turn(name);
    } finally {
      lock.unlock();
    }
  }

  private void await(Waiter waiter, long begin, Execution run) {
    while (!waiter.admitted) {
      run.check();
      requireOpen();
      long left = longest.toNanos() - (System.nanoTime() - begin);
      if (left <= 0) {
        throw refused(
            "The statement has waited %s for its turn, since as many run as may; try again later."
                .formatted(Units.formatNanos(longest.toNanos())));
      }
      try {
        long _ = waiter.turn.awaitNanos(Math.min(left, LOOK_NANOS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        if (waiter.admitted) {
          return; // the turn is to be given back, as any
        }
        throw stopping();
      }
    }
  }

  private static AragoniteException refused(String sentence) {
    return new AragoniteException(ErrorCode.TOO_MANY_QUERIES, sentence);
  }

  private static AragoniteException stopping() {
    return new AragoniteException(
        ErrorCode.SERVER_REFUSED, "The server is being shut down; connect to it again later.");
  }

  private void requireOpen() {
    if (stopped) {
      throw stopping();
    }
  }

  /** Admits whoever may run now. */
  private void admit() {
    boolean found = true;
    while (found && running < most) {
      found = admitNext();
    }
  }

  private boolean admitNext() {
    for (Iterator<Map.Entry<String, Deque<Waiter>>> users = queues.entrySet().iterator();
        users.hasNext(); ) {
      Map.Entry<String, Deque<Waiter>> next = users.next();
      String user = next.getKey();
      Deque<Waiter> queue = next.getValue();
      Waiter waiter = queue.peek();
      if (waiter != null && ofUsers.getOrDefault(user, 0) < waiter.mostOfUser) {
        queue.remove();
        users.remove();
        if (!queue.isEmpty()) {
          queues.put(user, queue); // behind the others
        }
        waiting--;
        ServerMetrics.waiting(-1);
        running++;
        ServerMetrics.running(1);
        ofUsers.merge(user, 1, Integer::sum);
        waiter.admitted = true;
        waiter.turn.signal();
        return true;
      }
    }
    return false;
  }

  private void remove(String user, Waiter waiter) {
    Deque<Waiter> queue = queues.get(user);
    if (queue != null && queue.remove(waiter)) {
      waiting--;
      ServerMetrics.waiting(-1);
      if (queue.isEmpty()) {
        queues.remove(user);
      }
    }
  }

  private void left(String user) {
    running--;
    ServerMetrics.running(-1);
    ofUsers.computeIfPresent(user, (key, count) -> count > 1 ? count - 1 : null);
    admit();
  }

  /** Lets no statement begin any more; those that wait are refused. */
  public void stop() {
    lock.lock();
    try {
      stopped = true;
      queues.values().forEach(queue -> queue.forEach(waiter -> waiter.turn.signal()));
    } finally {
      lock.unlock();
    }
  }

  /** Whether no statement may begin any more. */
  boolean isStopped() {
    lock.lock();
    try {
      return stopped;
    } finally {
      lock.unlock();
    }
  }

  /** Whether no statement runs. */
  public boolean isQuiet() {
    lock.lock();
    try {
      return running == 0;
    } finally {
      lock.unlock();
    }
  }
}
