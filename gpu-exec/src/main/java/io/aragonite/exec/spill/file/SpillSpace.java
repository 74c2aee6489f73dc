package io.aragonite.exec.spill.file;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Where the queries of a device put rows that host memory does not hold: how much of the disk they
 * may use, and which of them has to give way when memory is short. Safe for several threads.
 */
public final class SpillSpace implements AutoCloseable {
  /** How long a query waits at most for memory that others hold. */
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long LOOK_NANOS = 1_000_000;

  /** That all wait must be so for a while: one of them may have been given memory just now. */
  private static final long STUCK_NANOS = 20 * LOOK_NANOS;

  /**
   * A thread of a query that waits for what another one makes.
   *
   * @param made whether that one still makes it: if not, this thread is about to go on
   */
  private record Follower(SpillingQuery query, BooleanSupplier made) {}

  private final Path parent;
  private final long limit;
  private final AtomicLong used = new AtomicLong();
  private final SpillCodec codec = new SpillCodec();
  private final Set<SpillingQuery> queries = ConcurrentHashMap.newKeySet();

  /** As long, where somebody may still be about to end a part of a statement that waits. */
  private static final long PARTS_STUCK_NANOS = 500 * LOOK_NANOS;

  /** Queries that wait for memory, and how many of their threads. */
  private final ConcurrentHashMap<SpillingQuery, Integer> waiting = new ConcurrentHashMap<>();

  /** Threads that wait for what another query makes. */
  private final Set<Follower> followers = ConcurrentHashMap.newKeySet();

  /** Queries that have not begun, since others wait. */
  private final Set<SpillingQuery> entering = ConcurrentHashMap.newKeySet();

  /** How many queries have ended. */
  private final AtomicLong ended = new AtomicLong();

  private final List<LongConsumer> reclaimers = new CopyOnWriteArrayList<>();

  private final MemoryBudget host;
  private final AutoCloseable registration;
  private @Nullable SpillFolder folder;

  /**
   * @param parent the folder in which this process has one of its own while it spills; null: the
   *     system's folder for temporary files
   * @param limit bytes of files at once at most
   * @param budget of the host memory in which collections are
   */
  public SpillSpace(@Nullable Path parent, long limit, MemoryBudget budget) {
    this.parent = parent == null ? Path.of(System.getProperty("java.io.tmpdir")) : parent;
    this.limit = limit;
    this.host = budget;
    SpillFolder.clear(this.parent);
    this.registration = budget.onLastShortage(this::reclaim);
  }

  SpillCodec codec() {
    return codec;
  }

  /** The folder in which the one of this process is. */
  public Path parent() {
    return parent;
  }

  /** Bytes of files now. */
  public long used() {
    return used.get();
  }

  /**
   * Queries that share a budget now, at least 1: those of one plan on several devices have a
   * device's memory each, and the host's together.
   */
  public int sharing(MemoryBudget budget) {
    int count = 0;
    for (SpillingQuery query : queries) {
      count += uses(query, budget) ? 1 : 0;
    }
    return Math.max(1, count);
  }

  private boolean uses(SpillingQuery query, MemoryBudget budget) {
    return isHost(budget) || isSame(budget, query.budget());
  }

  private boolean isHost(MemoryBudget budget) {
    return isSame(budget, host);
  }

  /** A budget equals itself only: two of the same limit are different memory. */
  @SuppressWarnings("ReferenceEquality")
  private static boolean isSame(MemoryBudget a, MemoryBudget b) {
    return a == b;
  }

  /** How many queries have ended. */
  public long ended() {
    return ended.get();
  }

  public void add(SpillingQuery query) {
    queries.add(query);
  }

  /**
   * Waits until there may be memory for a query that can give up no more of its own, since others
   * have ended or give up theirs. Nobody waits for ever: not longer than {@link #WAIT_NANOS}, and
   * if all queries wait, or are parts of a statement another part of which does, one gets no
   * memory: the last to have begun of those that can begin again, or of all.
   *
   * @param budget of the memory
   * @param bytes wanted
   * @param check throws if the query is to end
   * @return false: there is no hope
   */
  public boolean awaitOthers(SpillingQuery query, MemoryBudget budget, long bytes, Runnable check) {
    if (bytes > budget.limit()) {
      return false;
    }
    if (query.sawEnd(ended.get())) {
      // Another has given all back since it was refused, or may have.
      return true;
    }
    if (budget.limit() - budget.used() >= bytes) {
      // Somebody has given it back just now; or it was not the budget that had none.
      return query.mayTryAgain();
    }
    if (sharing(budget) == 1) {
      return false;
    }
    long start = System.nanoTime();
    long stuckSince = 0;
    long endedBefore = ended.get();
    boolean hope = false;
    waiting.merge(query, 1, Integer::sum);
    try {
      while (!hope && sharing(budget) > 1) {
        check.run();
        LockSupport.parkNanos(LOOK_NANOS);
        long now = System.nanoTime();
        if (budget.limit() - budget.used() >= bytes
            || ended.get() != endedBefore
            || (isHost(budget) && reclaim(bytes) > 0)) {
          // What a query has left may be in caches, which whoever asks again has freed.
          hope = true;
        } else if (now - start > WAIT_NANOS) {
          return false;
        } else if (!stuck(query, budget)) {
          stuckSince = 0;
        } else if (stuckSince == 0) {
          stuckSince = now;
        } else if (now - stuckSince > (anyHeldUp(budget) ? PARTS_STUCK_NANOS : STUCK_NANOS)) {
          return false;
        }
      }
      // Or else the others have gone.
      return true;
    } finally {
      fewer(waiting, query);
    }
  }

  private static void fewer(
      ConcurrentHashMap<SpillingQuery, Integer> threads, SpillingQuery query) {
    threads.computeIfPresent(query, (key, count) -> count == 1 ? null : count - 1);
  }

  /**
   * Has a query wait for something that another one makes. That one, if it is short of memory, does
   * not wait for this one.
   *
   * @param made whether the other one still makes it; asked on any thread
   */
  public void following(SpillingQuery query, BooleanSupplier made, Runnable wait) {
    Follower follower = new Follower(query, made);
    followers.add(follower);
    try {
      wait.run();
    } finally {
      followers.remove(follower);
    }
  }

  /**
   * A query that has not begun leaves memory to those that wait for it, as long as they do, within
   * bounds.
   *
   * @param alone whether it also waits until those that began before it have ended, and others that
   *     begin let it
   */
  public void enter(SpillingQuery query, boolean alone, Runnable check) {
    if (alone) {
      waiting.merge(query, 1, Integer::sum);
    }
    entering.add(query);
    long start = System.nanoTime();
    try {
      while (blocked(query, alone) && System.nanoTime() - start < WAIT_NANOS) {
        check.run();
        LockSupport.parkNanos(LOOK_NANOS);
      }
    } finally {
      entering.remove(query);
      if (alone) {
        fewer(waiting, query);
      }
    }
  }

  private boolean blocked(SpillingQuery query, boolean alone) {
    for (SpillingQuery other : queries) {
      if (other.equals(query) || areParts(other, query)) {
        continue;
      }
      // Of two that have not begun the older goes first.
      boolean before = !entering.contains(other) || other.number() < query.number();
      if (before && (alone || waiting.containsKey(other))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether all that have begun and share a budget wait, and a query is the one to give up of those
   * that wait for memory.
   */
  private boolean stuck(SpillingQuery query, MemoryBudget budget) {
    for (SpillingQuery other : queries) {
      boolean begun = !entering.contains(other) && uses(other, budget);
      boolean held = isHeldUp(other) || follows(other);
      if (begun && !held && (!waiting.containsKey(other) || before(other, query))) {
        return false;
      }
    }
    return true;
  }

  private boolean follows(SpillingQuery query) {
    return followers.stream()
        .anyMatch(follower -> follower.query().equals(query) && follower.made().getAsBoolean());
  }

  private boolean anyHeldUp(MemoryBudget budget) {
    return queries.stream().anyMatch(query -> uses(query, budget) && isHeldUp(query));
  }

  /**
   * Whether another part of its statement waits, which whoever reads its rows waits for: it does
   * not end, nor gives up.
   */
  private boolean isHeldUp(SpillingQuery query) {
    return query.statement() != null
        && query.emits()
        && !waiting.containsKey(query)
        && waiting.keySet().stream().anyMatch(other -> areParts(other, query));
  }

  @SuppressWarnings("ReferenceEquality") // this very statement
  private static boolean areParts(SpillingQuery a, SpillingQuery b) {
    return a.statement() != null && a.statement() == b.statement();
  }

  /**
   * Whether a query gives up before another: one that can begin again before one whose rows are
   * being read, which cannot; or else the younger.
   */
  private static boolean before(SpillingQuery query, SpillingQuery other) {
    return query.emits() == other.emits() ? query.number() > other.number() : other.emits();
  }

  /** A query has ended and has given back what it had. */
  public void remove(SpillingQuery query) {
    queries.remove(query);
    ended.incrementAndGet();
  }

  /** A new file; the folder is made for the first one. */
  public SpillFile newFile() {
    return new SpillFile(this, folder());
  }

  /** A new file for something else than rows; closed by the caller. */
  public ScratchFile scratchFile() {
    return new ScratchFile(this, folder());
  }

  private synchronized SpillFolder folder() {
    SpillFolder known = folder;
    if (known == null) {
      known = SpillFolder.open(parent);
      folder = known;
    }
    return known;
  }

  /**
   * Has somebody asked to give up files that can be made again, before what may be used of the disk
   * is said to be full.
   *
   * @param reclaimer gives back about as many bytes as it is asked for, if it can, on whatever
   *     thread, and waits for nobody
   * @return ends that
   */
  public AutoCloseable onFull(LongConsumer reclaimer) {
    reclaimers.add(reclaimer);
    return () -> reclaimers.remove(reclaimer);
  }

  /** The caller holds no lock that a reclaimer takes. */
  void reserve(long bytes, Path where) {
    if (!tryReserve(bytes)) {
      reclaimFiles(bytes);
      if (!tryReserve(bytes)) {
        throw tooMany(bytes, where);
      }
    }
  }

  private boolean tryReserve(long bytes) {
    boolean fits = used.addAndGet(bytes) <= limit;
    if (!fits) {
      used.addAndGet(-bytes);
    }
    return fits;
  }

  private void reclaimFiles(long bytes) {
    for (LongConsumer reclaimer : reclaimers) {
      long missing = bytes - (limit - used.get());
      if (missing > 0) {
        reclaimer.accept(missing);
      }
    }
  }

  private AragoniteException tooMany(long bytes, Path where) {
    return new AragoniteException(
        ErrorCode.DISK_FAILED,
        "Spill folder %s needs %,d bytes more, but of spillLimit=%,d bytes %,d are in use; raise it, or memory="
            .formatted(where, bytes, limit, used.get()));
  }

  /** Reserves nothing: others may be faster. */
  void requireRoom(long bytes, Path where) {
    reclaimFiles(bytes);
    if (bytes > limit - used.get()) {
      throw tooMany(bytes, where);
    }
    try {
      long free = Files.getFileStore(where).getUsableSpace();
      if (bytes > free) {
        throw SpillFolder.failed(
            where, "%,d bytes more are needed, and its disk has %,d".formatted(bytes, free), null);
      }
    } catch (IOException e) {
      throw SpillFolder.failed(where, SpillFolder.reason(e), e);
    }
  }

  void release(long bytes) {
    used.addAndGet(-bytes);
  }

  /** Spills blocks, of the query that has most of them in memory first. */
  private long reclaim(long wanted) {
    long released = 0;
    while (released < wanted) {
      SpillingQuery largest =
          queries.stream().max(Comparator.comparingLong(SpillingQuery::spillable)).orElse(null);
      long now = largest == null ? 0 : largest.evict(wanted - released);
      if (now == 0) {
        return released + evictAnywhere(wanted - released);
      }
      released += now;
    }
    return released;
  }

  /** Where the largest holder's blocks are all in use. */
  private long evictAnywhere(long wanted) {
    long released = 0;
    for (SpillingQuery query : queries) {
      if (released < wanted) {
        released += query.evict(wanted - released);
      }
    }
    return released;
  }

  /** Removes the folder, if there is one. */
  @Override
  public synchronized void close() {
    try {
      registration.close();
    } catch (Exception e) {
      throw new IllegalStateException("a registration does not throw", e);
    }
    if (folder != null) {
      folder.close();
      folder = null;
    }
  }
}
