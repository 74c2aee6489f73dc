package io.aragonite.exec.memory;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The limit of a kind of memory, shared by queries and caches. Whoever wants memory reserves it
 * here first. When a request does not fit, holders that can do without (table caches) are asked to
 * give way before the request is refused. Safe for several threads.
 *
 * <p>A subclass may refuse blocks for reasons of its own ({@link #admit}).
 */
public class MemoryBudget {
  /** Something that holds reserved memory which it can give up. */
  @FunctionalInterface
  public interface Reclaimer {
    /**
     * Releases at least {@code bytes} through {@link MemoryBudget#release} if it can.
     *
     * @return the bytes released
     */
    long reclaim(long bytes);

    /** Bytes that it holds now, about, as far as it knows. */
    default long held() {
      return 0;
    }

    /** Bytes of these that it cannot give up now, since queries use them; about. */
    default long pinned() {
      return 0;
    }
  }

  /** A holder that knows what it holds. */
  private record Cache(Reclaimer reclaimer, LongSupplier bytes, LongSupplier inUse)
      implements Reclaimer {
    @Override
    public long reclaim(long wanted) {
      return reclaimer.reclaim(wanted);
    }

    @Override
    public long held() {
      return bytes.getAsLong();
    }

    @Override
    public long pinned() {
      return inUse.getAsLong();
    }
  }

  /** Decides about blocks beside the limit. */
  @FunctionalInterface
  public interface AdmissionCheck {
    /**
     * @throws AragoniteException MEMORY_EXCEEDED to refuse a block
     */
    void admit(long bytes);
  }

  private final String name;
  private final long limit;
  private volatile @Nullable AdmissionCheck admission;
  private final AtomicLong used = new AtomicLong();

  /** Bytes of the limit that turned out not to be there. */
  private volatile long withheld;

  private final List<Reclaimer> reclaimers = new CopyOnWriteArrayList<>();
  private final List<Reclaimer> lastReclaimers = new CopyOnWriteArrayList<>();

  /**
   * @param name what messages call it, for instance {@code memory}
   * @param limit bytes
   */
  public MemoryBudget(String name, long limit) {
    this.name = name;
    this.limit = limit;
  }

  public final long limit() {
    return limit - withheld;
  }

  /**
   * Notes how much of the limit is really there, since somebody outside holds the rest: decisions
   * about what fits follow.
   *
   * @param free bytes that could be had beside those in use
   */
  public final void setFree(long free) {
    withheld = Math.max(0, limit - used.get() - Math.max(0, free));
  }

  /** Whether less is there than the limit said at first. */
  public final boolean shortened() {
    return withheld > 0;
  }

  public final long used() {
    return used.get();
  }

  /**
   * Called before a block is taken. A refusal is final: nobody is asked to give way.
   *
   * @throws AragoniteException MEMORY_EXCEEDED to refuse it
   */
  public void admit(long bytes) {
    AdmissionCheck known = admission;
    if (known != null) {
      known.admit(bytes);
    }
  }

  /**
   * Has somebody else asked for each block, from now on, to find out what happens without it.
   *
   * @param admission null: nobody
   */
  public final void setAdmission(@Nullable AdmissionCheck admission) {
    this.admission = admission;
  }

  /** Registers a holder to be asked when memory is short; close the registration to end it. */
  public final AutoCloseable onShortage(Reclaimer reclaimer) {
    reclaimers.add(reclaimer);
    return () -> reclaimers.remove(reclaimer);
  }

  /**
   * As {@link #onShortage(Reclaimer)}, of a cache.
   *
   * @param held bytes that it holds; asked on any thread
   */
  public final AutoCloseable onShortage(Reclaimer reclaimer, LongSupplier held) {
    return onShortage(reclaimer, held, () -> 0);
  }

  /**
   * As {@link #onShortage(Reclaimer)}, of a cache of what many queries may use at once: none of
   * them counts it as its own.
   *
   * @param held bytes that it holds; asked on any thread
   * @param pinned bytes of these that queries use now; asked on any thread
   */
  public final AutoCloseable onShortage(
      Reclaimer reclaimer, LongSupplier held, LongSupplier pinned) {
    return onShortage(new Cache(reclaimer, held, pinned));
  }

  /** Bytes of those in use that caches hold, which queries may be using. */
  public final long cached() {
    return reclaimers.stream().mapToLong(Reclaimer::held).sum();
  }

  /** Bytes that queries can share among them: all but what they use together. */
  public final long shareable() {
    long pinned = reclaimers.stream().mapToLong(Reclaimer::pinned).sum();
    return Math.max(0, limit() - pinned);
  }

  /**
   * Registers a holder that is asked when all of {@link #onShortage} have given what they can,
   * since what it gives up must be written somewhere first.
   */
  public final AutoCloseable onLastShortage(Reclaimer reclaimer) {
    lastReclaimers.add(reclaimer);
    return () -> lastReclaimers.remove(reclaimer);
  }

  /**
   * @param what what the memory is for, for the message
   * @throws AragoniteException MEMORY_EXCEEDED if it does not fit even after reclaiming
   */
  public final void reserve(long bytes, String what) {
    if (tryReserve(bytes) || reserveAfter(reclaimers, bytes)) {
      return;
    }
    // What was not there is not to be had: nobody has to give way for it.
    if (bytes <= limit()
        && !lastReclaimers.isEmpty()
        && (reserveAfter(lastReclaimers, bytes) || reserveAfter(reclaimers, bytes))) {
      return;
    }
    throw new AragoniteException(
        ErrorCode.MEMORY_EXCEEDED,
        "%s needs %,d bytes, but of the %s budget of %,d bytes %,d are in use; raise %s= or ask for less"
            .formatted(what, bytes, name, limit(), used.get(), name));
  }

  /** Reserves when one of these has given up enough; what they free may go through a cache. */
  private boolean reserveAfter(List<Reclaimer> holders, long bytes) {
    for (Reclaimer holder : new ArrayList<>(holders)) {
      holder.reclaim(Math.max(0, used.get() + bytes - limit()));
      if (tryReserve(bytes)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Asks holders that can do without to give up memory, although the budget may have room: the
   * device itself has none.
   *
   * @return the bytes released
   */
  public final long reclaim(long bytes) {
    long released = 0;
    for (Reclaimer reclaimer : new ArrayList<>(reclaimers)) {
      if (released < bytes) {
        released += reclaimer.reclaim(bytes - released);
      }
    }
    return released;
  }

  /** Reserves what is free now, and asks nobody to give way; false if that is too little. */
  public final boolean tryReserve(long bytes) {
    // Never counted before it is granted: a request that is too large must not be in others' way.
    long before = used.get();
    while (bytes <= limit() - before) {
      if (used.compareAndSet(before, before + bytes)) {
        return true;
      }
      before = used.get();
    }
    return false;
  }

  public final void release(long bytes) {
    long after = used.addAndGet(-bytes);
    assert after >= 0 : name + " budget released more than was reserved";
  }
}
