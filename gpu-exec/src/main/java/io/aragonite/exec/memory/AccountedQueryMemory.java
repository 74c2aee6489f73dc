package io.aragonite.exec.memory;

import io.aragonite.exec.error.AragoniteException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A query's memory whose bytes a {@link MemoryAccount} counts, and which knows each buffer that it
 * has given out. Where memory comes from, and goes to, is the subclass's.
 *
 * @param <A> what is known of a buffer
 */
public abstract class AccountedQueryMemory<A> implements QueryMemory {
  /** Allocations are multiples of a line, and have a spare one behind them. */
  protected static final int LINE = 64;

  protected final MemoryAccount account;
  private final ConcurrentHashMap<Long, A> allocations = new ConcurrentHashMap<>();

  protected AccountedQueryMemory(MemoryAccount account) {
    this.account = account;
  }

  /** Bytes that a user may write of a buffer of {@code bytes}. */
  public static long padded(long bytes) {
    return ((bytes + LINE - 1) & -LINE) + LINE;
  }

  /** Gives memory back, and takes it off the account. */
  protected abstract void release(A allocation);

  /** Copies bytes within the memory. */
  protected abstract void copy(long from, long to, long bytes);

  @Override
  public final Buffer allocate(long bytes) {
    return account.took(allocateBlock(bytes));
  }

  /**
   * Keeps a new buffer until it is freed.
   *
   * @throws AragoniteException CANCELLED if the account was closed meanwhile
   */
  protected final Buffer held(Buffer buffer, A allocation) {
    allocations.put(buffer.address(), allocation);
    if (account.closed()) {
      free(buffer);
      account.requireOpen();
    }
    return buffer;
  }

  @Override
  public final void free(Buffer buffer) {
    if (buffer.address() == 0) {
      return;
    }
    account.freed(buffer);
    release(MemoryAccount.requireHeld(buffer, allocations.remove(buffer.address())));
  }

  /** Frees all that is held; returns the last error of doing so. */
  protected final @Nullable RuntimeException releaseAll() {
    RuntimeException error = null;
    for (Long address : allocations.keySet()) {
      A allocation = allocations.remove(address);
      if (allocation != null) {
        try {
          release(allocation);
        } catch (AragoniteException e) {
          error = e;
        }
      }
    }
    return error;
  }

  @Override
  public final Buffer grow(Buffer old, long bytes) {
    Buffer grown = allocate(bytes);
    if (old.address() != 0) {
      copy(old.address(), grown.address(), Math.min(old.size(), bytes));
      free(old);
    }
    return grown;
  }

  @Override
  public final MemoryScope scope() {
    return account.scope(this::free);
  }

  @Override
  public final void onShortage(MemoryBudget.Reclaimer holder) {
    account.onShortage(holder);
  }

  @Override
  public final long used() {
    return account.used();
  }

  @Override
  public final long peak() {
    return account.peak();
  }
}
