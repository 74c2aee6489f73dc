package io.aragonite.exec.memory;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a query holds of a memory and may hold at most. It counts only; what is counted is reserved
 * in a {@link MemoryBudget} as well. Safe for several threads.
 */
public final class MemoryAccount {
  private final String where;
  private final long limit;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong peak = new AtomicLong();
  private volatile boolean closed;
  private volatile MemoryBudget.@Nullable Reclaimer holder;
  private volatile List<MemoryScope> scopes = List.of();

  /**
   * @param where which memory, for messages, for instance {@code " of cuda:0"}; may be empty
   * @param limit bytes that may be held at most; 0: as much as there is
   */
  public MemoryAccount(String where, long limit) {
    this.where = where;
    this.limit = limit == 0 ? Long.MAX_VALUE : limit;
  }

  /**
   * Counts bytes as held, if the query may hold them.
   *
   * @throws AragoniteException MEMORY_EXCEEDED beyond the limit, CANCELLED once closed
   */
  public void add(long bytes) {
    requireOpen();
    long now = used.addAndGet(bytes);
    if (now > limit) {
      used.addAndGet(-bytes);
      throw new AragoniteException(
          ErrorCode.MEMORY_EXCEEDED,
          "The query needs %,d bytes%s, but of its own limit of %,d bytes %,d are in use; ask for less, or have the limit raised"
              .formatted(bytes, where, limit, now - bytes));
    }
    peak.accumulateAndGet(now, Math::max);
  }

  /** Registers what of the query can give up memory when the query is short of it. */
  public void onShortage(MemoryBudget.Reclaimer reclaimer) {
    holder = reclaimer;
  }

  /**
   * Asks the query itself to give up memory.
   *
   * @param error why memory is short
   * @return whether it is worth to ask for the memory again
   */
  public boolean giveWay(long bytes, AragoniteException error) {
    MemoryBudget.Reclaimer known = holder;
    return known != null
        && error.code() == ErrorCode.MEMORY_EXCEEDED
        && !closed
        && bytes <= limit
        && known.reclaim(bytes) > 0;
  }

  /**
   * A scope of the account's buffers.
   *
   * @param owner frees one of them
   */
  public synchronized MemoryScope scope(Consumer<Buffer> owner) {
    MemoryScope scope = new MemoryScope(this, owner);
    List<MemoryScope> all = new ArrayList<>(scopes);
    all.add(scope);
    scopes = List.copyOf(all);
    return scope;
  }

  synchronized void leave(MemoryScope scope) {
    List<MemoryScope> left = new ArrayList<>(scopes);
    left.remove(scope);
    scopes = List.copyOf(left);
  }

  /** Tells open scopes of a buffer, which is returned. */
  public Buffer took(Buffer buffer) {
    for (MemoryScope scope : scopes) {
      scope.took(buffer);
    }
    return buffer;
  }

  /** Tells scopes that a buffer is gone. */
  public void freed(Buffer buffer) {
    for (MemoryScope scope : scopes) {
      scope.freed(buffer);
    }
  }

  /** Counts bytes as given back, or as never taken. */
  public void remove(long bytes) {
    used.addAndGet(-bytes);
  }

  /** Bytes held now. */
  public long used() {
    return used.get();
  }

  /** The most bytes held at once. */
  public long peak() {
    return peak.get();
  }

  /** Bytes that may still be held. */
  public long left() {
    return limit - used.get();
  }

  /** Nothing may be taken from now on. */
  public void close() {
    closed = true;
  }

  public boolean closed() {
    return closed;
  }

  /**
   * @throws AragoniteException CANCELLED once closed: threads of the query were still at work
   */
  public void requireOpen() {
    if (closed) {
      throw new AragoniteException(
          ErrorCode.CANCELLED, "The query was closed while it was running.");
    }
  }

  /**
   * A buffer that was to be freed, if the query holds it.
   *
   * @param known what the query has under the buffer's address; null: nothing
   * @throws AragoniteException INTERNAL if it does not hold it
   */
  public static <T> T requireHeld(Buffer buffer, @Nullable T known) {
    if (known == null) {
      throw new AragoniteException(
          ErrorCode.INTERNAL,
          "A buffer of %,d bytes was freed that this query does not hold (freed twice?)"
              .formatted(buffer.size()));
    }
    return known;
  }

  /**
   * @throws AragoniteException INTERNAL if bytes are negative
   */
  public static void requireSize(long bytes) {
    if (bytes < 0) {
      throw new AragoniteException(
          ErrorCode.INTERNAL, "A buffer of " + bytes + " bytes was asked for.");
    }
  }
}
