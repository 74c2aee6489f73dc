package io.aragonite.exec.vector;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a query to which columns of HANDLE storage refer. They live as long as the query
 * and its result. Safe for several threads, which must hand handles to each other as they do the
 * columns that hold them.
 */
public final class HostObjects {
  private static final int CHUNK_BITS = 12;
  private static final int CHUNK = 1 << CHUNK_BITS;

  private final AtomicLong next = new AtomicLong();

  /** Chunks never move; the array of them is another one when it grows. */
  private volatile @Nullable Object[] @Nullable [] chunks = new Object[8][];

  /** Keeps an object and returns its handle. */
  public long add(Object object) {
    long handle = next.getAndIncrement();
    chunk(Math.toIntExact(handle >>> CHUNK_BITS))[(int) handle & CHUNK - 1] = object;
    return handle;
  }

  /** The object of a handle. */
  @SuppressWarnings("NullAway") // a handle is of an object that is there
  public Object get(long handle) {
    return chunks[(int) (handle >>> CHUNK_BITS)][(int) handle & CHUNK - 1];
  }

  private @Nullable Object[] chunk(int index) {
    @Nullable Object[] @Nullable [] known = chunks;
    @Nullable Object[] chunk = index < known.length ? known[index] : null;
    return chunk != null ? chunk : make(index);
  }

  private synchronized @Nullable Object[] make(int index) {
    @Nullable Object[] @Nullable [] known = chunks;
    if (index >= known.length) {
      known = Arrays.copyOf(known, Math.max(index + 1, 2 * known.length));
    }
    @Nullable Object[] chunk = known[index];
    if (chunk == null) {
      chunk = new @Nullable Object[CHUNK];
      known[index] = chunk;
    }
    chunks = known;
    return chunk;
  }
}
