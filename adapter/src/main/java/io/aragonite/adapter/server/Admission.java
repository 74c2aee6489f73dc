package io.aragonite.adapter.server;

import io.aragonite.adapter.execution.Deadlines;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.options.Units;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Has statements of clients run at once as far as they may, and others wait. Users take turns: who
 * sends many statements waits for his own, not others for him.
 *
 * <p>A statement has a slot while the engine works for it. One that is cancelled has it until its
 * work has ended. A result that waits for its client has none, and gets one again, in its user's
 * turn, when the client asks for more; so that a client that reads on at once need not wait each
 * time, it keeps the slot for a moment, for no longer than it has worked with it. What a user may
 * have at once are statements with slots and open results. Safe for several threads.
 */
public final class Admission {
  private static final int MOST_WAITING = 100;
  private static final int MOST_WAITING_OF_USER = 20;

  /** How often those who wait look whether they still are to. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** How long a result that waits for its client keeps its slot at most. */
  private static final long MOST_PATIENCE = TimeUnit.MILLISECONDS.toNanos(200);

  /** How often it is looked whether what the engine has begun of a result has ended. */
  private static final long LEAST_PATIENCE = TimeUnit.MILLISECONDS.toNanos(10);

  private final int most;
  private final Duration longest;
  private final @Nullable Duration idleResult;
  private final ReentrantLock lock = new ReentrantLock();

  /** Statements with a slot and open results. */
  private final Map<String, Integer> ofUsers = new HashMap<>();

  /** Those who wait by their users, of which the first one's turn is next. */
  private final Map<String, List<Waiter>> queues = new LinkedHashMap<>();

  private int running;

  /** Statements that have begun and are not over. */
  private int open;

  private boolean stopped;

  /**
   * Results are kept for as long as their statements.
   *
   * @param most statements that run at once
   * @param longest time that one waits for its turn
   */
  public Admission(int most, Duration longest) {
    this(most, longest, null);
  }

  /**
   * @param most statements that run at once
   * @param longest time that one waits for its turn
   * @param idleResult how long a result is kept that its client does not read on in; null: for as
   *     long as its statement
   */
  public Admission(int most, Duration longest, @Nullable Duration idleResult) {
    this.most = most;
    this.longest = longest;
    this.idleResult = idleResult;
  }

  /** One that has all run at once but for what users may. */
  public static Admission unlimited() {
    return new Admission(Integer.MAX_VALUE, Duration.ofSeconds(30));
  }

  /** How many statements run at once. */
  int slots() {
    return most;
  }

  /** Somebody who waits. */
  private static final class Waiter {
    private final int mostOfUser;

    /** Whether it has begun already: it counts among its user's. */
    private final boolean begun;

    private final Condition turn;
    private boolean admitted;

    Waiter(int mostOfUser, boolean begun, Condition turn) {
      this.mostOfUser = mostOfUser;
      this.begun = begun;
      this.turn = turn;
    }
  }

  /** A statement that runs, until it is over. */
  final class Turn implements Execution.WaitListener {
    private final String user;
    private final Execution run;
    private boolean over;

    /** Whether it waits for its client. */
    private boolean waits;

    /** Whether it has given its slot to others meanwhile. */
    private boolean parked;

    /** When it began to work, or to wait. */
    private long since = System.nanoTime();

    /** For how long it may keep its slot while it waits. */
    private long patience;

    private Deadlines.@Nullable Deadline parking;
    private Deadlines.@Nullable Deadline idle;

    private Turn(String user, Execution run) {
      this.user = user;
      this.run = run;
    }

    @Override
    public void waits() {
      lock.lock();
      try {
        if (over || waits) {
          return;
        }
        waits = true;
        ServerMetrics.resultsWaiting(1);
        long now = System.nanoTime();
        patience = Math.min(MOST_PATIENCE, patience + now - since);
        since = now;
        parkAfter(patience);
        if (idleResult != null) {
          idle = Deadlines.after(idleResult, run::abandon);
        }
      } finally {
        lock.unlock();
      }
    }

    private void parkAfter(long nanos) {
      parking = Deadlines.after(Duration.ofNanos(Math.max(LEAST_PATIENCE, nanos)), this::park);
    }

    private void park() {
      lock.lock();
      try {
        if (over || !waits || parked) {
          return;
        }
        if (run.resting()) {
          parked = true;
          freed();
        } else {
          parkAfter(0);
        }
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void goesOn() {
      Waiter waiter;
      lock.lock();
      try {
        if (over || !waits) {
          return;
        }
        if (idle != null) {
          idle.cancel(); // its client is back, however long it waits for a slot
        }
        if (!parked) {
          worksAgain();
          return;
        }
        waiter = new Waiter(Integer.MAX_VALUE, true, lock.newCondition());
        queueUp(user, waiter);
      } finally {
        lock.unlock();
      }
      await(user, waiter, Long.MAX_VALUE, run);
      lock.lock();
      try {
        parked = false;
        if (over) {
          freed(); // it has ended while it waited
        } else if (waits) {
          worksAgain();
        }
      } finally {
        lock.unlock();
      }
    }

    /** Has a slot, and its client: the lock is held. */
    private void worksAgain() {
      long now = System.nanoTime();
      patience = Math.max(0, patience - (now - since));
      since = now;
      works();
    }

    /** Waits for its client no more. */
    private void works() {
      if (!waits) {
        return;
      }
      waits = false;
      ServerMetrics.resultsWaiting(-1);
      if (parking != null) {
        parking.cancel();
      }
      if (idle != null) {
        idle.cancel();
      }
    }

    /** The statement is over; a second call does nothing. */
    void end() {
      lock.lock();
      try {
        if (over) {
          return;
        }
        over = true;
        works();
        ended(user);
        if (parked) {
          admit(); // others of its user
        } else {
          freed();
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
    Waiter waiter = new Waiter(mostOfUser, false, lock.newCondition());
    lock.lock();
    try {
      requireOpen();
      List<Waiter> queue = queues.getOrDefault(name, List.of());
      boolean full =
          queues.values().stream().mapToLong(Admission::notBegun).sum() >= MOST_WAITING
              || notBegun(queue) >= MOST_WAITING_OF_USER;
      queueUp(name, waiter);
      if (!waiter.admitted && full) {
        remove(name, waiter);
        throw refused("There are as many statements as may run and wait; try again later.");
      }
    } finally {
      lock.unlock();
    }
    await(name, waiter, longest.toNanos(), run);
    ServerMetrics.waited(System.nanoTime() - begin);
    return new Turn(name, run);
  }

  private static long notBegun(List<Waiter> queue) {
    return queue.stream().filter(waiter -> !waiter.begun).count();
  }

  /** What has begun is before what has not. */
  private void queueUp(String user, Waiter waiter) {
    List<Waiter> queue = queues.computeIfAbsent(user, key -> new ArrayList<>());
    queue.add(waiter.begun ? (int) (queue.size() - notBegun(queue)) : queue.size(), waiter);
    ServerMetrics.waiting(1);
    admit();
  }

  /**
   * Waits without the lock: a run that ends meanwhile is cancelled by it, told to the logs and the
   * like, for which nobody else has to wait.
   */
  private void await(String user, Waiter waiter, long nanos, Execution run) {
    long begin = System.nanoTime();
    boolean done = false;
    try {
      do {
        run.check();
      } while (!isAdmitted(waiter, nanos, System.nanoTime() - begin));
      done = true;
    } finally {
      if (!done) {
        leave(user, waiter);
      }
    }
  }

  /** Whether somebody who waits has been admitted, now or in a moment. */
  private boolean isAdmitted(Waiter waiter, long nanos, long waited) {
    lock.lock();
    try {
      if (waiter.admitted) {
        return true;
      }
      if (!waiter.begun) {
        requireOpen();
      }
      if (waited >= nanos) {
        throw refused(
            "The statement has waited %s for its turn, since as many run as may; try again later."
                .formatted(Units.formatNanos(nanos)));
      }
      long _ = waiter.turn.awaitNanos(Math.min(nanos - waited, LOOK_NANOS));
      return waiter.admitted;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (waiter.admitted) {
        return true; // the turn is to be given back, as any
      }
      throw stopping();
    } finally {
      lock.unlock();
    }
  }

  /** Somebody waits no more, and does not go on. */
  private void leave(String user, Waiter waiter) {
    lock.lock();
    try {
      if (!waiter.admitted) {
        remove(user, waiter);
        return;
      }
      if (!waiter.begun) {
        ended(user);
      }
      freed();
    } finally {
      lock.unlock();
    }
  }

  /** A statement of a user is over, or does not begin. */
  private void ended(String user) {
    open--;
    ofUsers.computeIfPresent(user, (key, count) -> count > 1 ? count - 1 : null);
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
    for (Iterator<Map.Entry<String, List<Waiter>>> users = queues.entrySet().iterator();
        users.hasNext(); ) {
      Map.Entry<String, List<Waiter>> next = users.next();
      String user = next.getKey();
      List<Waiter> queue = next.getValue();
      Waiter waiter = queue.getFirst();
      if (waiter.begun || ofUsers.getOrDefault(user, 0) < waiter.mostOfUser) {
        queue.removeFirst();
        users.remove();
        if (!queue.isEmpty()) {
          queues.put(user, queue); // behind the others
        }
        ServerMetrics.waiting(-1);
        running++;
        ServerMetrics.running(1);
        if (!waiter.begun) {
          open++;
          ofUsers.merge(user, 1, Integer::sum);
        }
        waiter.admitted = true;
        waiter.turn.signal();
        return true;
      }
    }
    return false;
  }

  private void remove(String user, Waiter waiter) {
    List<Waiter> queue = queues.get(user);
    if (queue != null && queue.remove(waiter)) {
      ServerMetrics.waiting(-1);
      if (queue.isEmpty()) {
        queues.remove(user);
      }
    }
  }

  /** A slot is free. */
  private void freed() {
    running--;
    ServerMetrics.running(-1);
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

  /** Whether no statement runs, and no result is open that has more rows. */
  public boolean isQuiet() {
    lock.lock();
    try {
      return open == 0;
    } finally {
      lock.unlock();
    }
  }
}
