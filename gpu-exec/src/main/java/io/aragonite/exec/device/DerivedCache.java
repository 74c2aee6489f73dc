package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.table.Table;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What queries make of stored tables and others can use again (tries, hash tables), in a device's
 * memory. It is kept while there is room for it, and given up when memory is short, what was used
 * longest ago first; what a query uses stays. Safe for several threads.
 */
public final class DerivedCache implements AutoCloseable {
  /** How often a query that waits for another one looks whether it is cancelled. */
  private static final long POLL_MILLIS = 20;

  /** Something kept; guarded by the cache. */
  private static final class Entry {
    final Object value;
    final List<Buffer> buffers;
    final long bytes;
    int uses;
    long lastUse;

    Entry(Object value, List<Buffer> buffers, long bytes) {
      this.value = value;
      this.buffers = buffers;
      this.bytes = bytes;
    }
  }

  /** Something that a query makes; guarded by the cache, but that its end is seen without. */
  private static final class Making {
    volatile boolean ended;
    boolean noRoom;
  }

  private final ColumnMemory memory;
  private final MemoryBudget budget;
  private final AutoCloseable registration;
  private final Map<Table, Map<Object, Entry>> tables = new IdentityHashMap<>();

  /** What queries make now. */
  private final Map<Table, Map<Object, Making>> making = new IdentityHashMap<>();

  private long uses;

  /**
   * @param budget where the memory is reserved
   */
  public DerivedCache(ColumnMemory memory, MemoryBudget budget) {
    this.memory = memory;
    this.budget = budget;
    this.registration = budget.onShortage(this::reclaim, this::bytes, this::pinned);
  }

  private synchronized long bytes() {
    return tables.values().stream()
        .flatMap(entries -> entries.values().stream())
        .mapToLong(entry -> entry.bytes)
        .sum();
  }

  private synchronized long pinned() {
    return tables.values().stream()
        .flatMap(entries -> entries.values().stream())
        .filter(entry -> entry.uses > 0)
        .mapToLong(entry -> entry.bytes)
        .sum();
  }

  /** The use of something kept, to be closed when the query ends. */
  public final class CacheUse implements AutoCloseable {
    private final ExecContext context;
    private final Entry entry;

    private CacheUse(ExecContext context, Entry entry) {
      this.context = context;
      this.entry = entry;
    }

    public Object value() {
      return entry.value;
    }

    /** It may go when all that the query launched over it is done. */
    @Override
    public void close() {
      try {
        memory.await(context);
      } finally {
        synchronized (DerivedCache.this) {
          entry.uses--;
        }
      }
    }
  }

  /** Knows that a query waits for another one. */
  @FunctionalInterface
  public interface Waiting {
    /**
     * @param made whether the other one still makes what is waited for; asked on any thread
     * @param wait waits
     */
    void follow(BooleanSupplier made, Runnable wait);
  }

  /** The time in which one query makes something, and others that want it wait for it. */
  public final class MakingTurn implements AutoCloseable {
    private final Table table;
    private final Object key;
    private final @Nullable Making made;

    private MakingTurn(Table table, Object key, @Nullable Making made) {
      this.table = table;
      this.key = key;
      this.made = made;
    }

    /** There is no room to keep it: those who wait make it each for himself. */
    public void noRoom() {
      synchronized (DerivedCache.this) {
        if (made != null) {
          made.noRoom = true;
        }
      }
    }

    @Override
    public void close() {
      if (made != null) {
        synchronized (DerivedCache.this) {
          made.ended = true;
          Map<Object, Making> ofTable = making.getOrDefault(table, Map.of());
          ofTable.remove(key);
          if (ofTable.isEmpty()) {
            making.remove(table);
          }
          DerivedCache.this.notifyAll();
        }
      }
    }
  }

  /**
   * Waits until the query that makes something now has ended that, if there is one. Then {@link
   * #find} says whether it is there; if not, others wait for this query, unless there was no room
   * to keep it. Where the one that made it failed, another that waits has the next turn.
   *
   * @param waiting is told while it waits, under the cache's lock
   */
  public synchronized MakingTurn turn(
      ExecContext context, Table table, Object key, Waiting waiting) {
    while (true) {
      Map<Object, Making> ofTable = making.computeIfAbsent(table, t -> new HashMap<>());
      Making now = ofTable.get(key);
      if (now == null) {
        Making mine = new Making();
        ofTable.put(key, mine);
        return new MakingTurn(table, key, mine);
      }
      waiting.follow(() -> !now.ended, () -> await(context, now));
      if (now.noRoom || tables.getOrDefault(table, Map.of()).containsKey(key)) {
        return new MakingTurn(table, key, null);
      }
    }
  }

  private synchronized void await(ExecContext context, Making making) {
    try {
      while (!making.ended) {
        context.checkCancelled();
        wait(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AragoniteException(
          ErrorCode.CANCELLED, "The query was cancelled: its thread was interrupted.", e);
    }
  }

  /**
   * What is kept under a key; null if nothing is.
   *
   * @param key of equality that tells all of a table's things apart
   */
  public synchronized @Nullable CacheUse find(ExecContext context, Table table, Object key) {
    Entry entry = tables.getOrDefault(table, Map.of()).get(key);
    return entry == null ? null : use(context, entry);
  }

  private CacheUse use(ExecContext context, Entry entry) {
    entry.uses++;
    entry.lastUse = ++uses;
    return new CacheUse(context, entry);
  }

  /**
   * Keeps a copy, if there is room without taking anybody else's.
   *
   * @param made buffers of the query
   * @param value makes the thing of the copies of these
   * @return null if there is no room
   */
  public @Nullable CacheUse keep(
      ExecContext context,
      Table table,
      Object key,
      List<Buffer> made,
      Function<List<Buffer>, Object> value) {
    long bytes = made.stream().mapToLong(Buffer::size).sum();
    dropClosed();
    if (bytes > (budget.limit() - budget.used()) / 2) {
      return null;
    }
    List<Buffer> copies = new ArrayList<>();
    boolean copied = false;
    try {
      for (Buffer buffer : made) {
        Buffer copy = memory.allocate(context, buffer.size(), "What is made of a table");
        copies.add(copy);
        context.device().transfers().copy(context, buffer, copy, buffer.size());
      }
      memory.await(context);
      copied = true;
    } catch (AragoniteException e) {
      if (e.code() == ErrorCode.MEMORY_EXCEEDED) {
        return null;
      }
      throw e;
    } finally {
      if (!copied) {
        giveBack(context, copies);
      }
    }
    synchronized (this) {
      Map<Object, Entry> ofTable = tables.computeIfAbsent(table, t -> new HashMap<>());
      Entry known = ofTable.get(key);
      if (known == null) {
        known =
            new Entry(value.apply(copies), copies, copies.stream().mapToLong(memory::taken).sum());
        ofTable.put(key, known);
      } else {
        // Another query was quicker.
        copies.forEach(memory::free);
      }
      return use(context, known);
    }
  }

  /** Gives back copies, into some of which the device may still be writing. */
  private void giveBack(ExecContext context, List<Buffer> copies) {
    try {
      memory.await(context);
    } finally {
      copies.forEach(memory::free);
    }
  }

  /** Gives back what was made of tables that are closed. */
  private synchronized void dropClosed() {
    Iterator<Map.Entry<Table, Map<Object, Entry>>> all = tables.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Table, Map<Object, Entry>> table = all.next();
      if (!table.getKey().closed()) {
        continue;
      }
      Map<Object, Entry> entries = table.getValue();
      entries
          .values()
          .removeIf(entry -> {
            if (entry.uses == 0) {
              entry.buffers.forEach(memory::free);
            }
            return entry.uses == 0;
          });
      if (entries.isEmpty()) {
        all.remove();
      }
    }
  }

  private synchronized long reclaim(long wanted) {
    long released = 0;
    while (released < wanted) {
      Map<Object, Entry> owner = null;
      Object oldest = null;
      Entry victim = null;
      for (Map<Object, Entry> entries : tables.values()) {
        for (Map.Entry<Object, Entry> candidate : entries.entrySet()) {
          Entry entry = candidate.getValue();
          if (entry.uses == 0 && (victim == null || entry.lastUse < victim.lastUse)) {
            owner = entries;
            oldest = candidate.getKey();
            victim = entry;
          }
        }
      }
      if (victim == null || owner == null) {
        return released;
      }
      owner.remove(Objects.requireNonNull(oldest));
      if (owner.isEmpty()) {
        tables.values().remove(owner);
      }
      victim.buffers.forEach(memory::free);
      released += victim.bytes;
    }
    return released;
  }

  /** Gives all memory back; no query may be running. */
  @Override
  public void close() {
    try {
      registration.close();
    } catch (Exception e) {
      throw new IllegalStateException("a registration does not throw", e);
    }
    synchronized (this) {
      tables.values().forEach(of -> of.values().forEach(e -> e.buffers.forEach(memory::free)));
      tables.clear();
    }
  }
}
