package io.aragonite.exec.memory;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Counts what is taken elsewhere, as boxed values on the Java heap, as memory of a query, in steps.
 * Used by one thread at a time; close it when all of that is garbage.
 */
public final class MemoryReservation implements AutoCloseable {
  /** Bytes that are reserved at a time: an account is shared by all workers. */
  private static final long STEP = 256 << 10;

  /** Of an object, and of an array, without what is in it. */
  private static final long HEADER = 16;

  /** Of a decimal with more than 18 digits: with its integer and that one's array. */
  private static final long WIDE_DECIMAL = 120;

  private final QueryMemory memory;
  private long taken;
  private long reserved;
  private long scratch;

  public MemoryReservation(QueryMemory memory) {
    this.memory = memory;
  }

  /**
   * Reserves so many bytes in advance.
   *
   * @throws io.aragonite.exec.error.AragoniteException MEMORY_EXCEEDED if there is no room
   */
  public MemoryReservation(QueryMemory memory, long bytes) {
    this(memory);
    memory.reserve(bytes);
    reserved = bytes;
  }

  /**
   * Counts a row of boxed values, as {@link io.aragonite.exec.expr.Expr.Literal} has them.
   *
   * @throws io.aragonite.exec.error.AragoniteException MEMORY_EXCEEDED if there is no room
   */
  public void addRow(@Nullable Object[] row) {
    long bytes = HEADER + (long) Long.BYTES * row.length;
    for (Object value : row) {
      bytes += bytes(value);
    }
    add(bytes);
  }

  private static long bytes(@Nullable Object value) {
    return switch (value) {
      case String text -> 2 * HEADER + Long.BYTES + (long) Character.BYTES * text.length();
      case byte[] bytes -> HEADER + bytes.length;
      case BigDecimal decimal -> decimal.precision() > 18 ? WIDE_DECIMAL : 2 * HEADER + Long.BYTES;
      case Number number -> HEADER + Long.BYTES;
      // Truth values are shared; objects of the query are counted by nobody twice.
      case null, default -> 0;
    };
  }

  /**
   * Counts so many bytes more.
   *
   * @throws io.aragonite.exec.error.AragoniteException MEMORY_EXCEEDED if there is no room
   */
  public void add(long bytes) {
    taken += bytes;
    if (taken > reserved) {
      long more = Math.max(taken - reserved, STEP);
      memory.reserve(more);
      reserved += more;
    }
  }

  /** Counts so many bytes less; they stay reserved for what comes. */
  public void remove(long bytes) {
    taken -= bytes;
  }

  /**
   * Counts working memory that is used again and again, as its largest use.
   *
   * @throws io.aragonite.exec.error.AragoniteException MEMORY_EXCEEDED if there is no room
   */
  public void useScratch(long bytes) {
    if (bytes > scratch) {
      long more = bytes - scratch;
      scratch = bytes;
      add(more);
    }
  }

  @Override
  public void close() {
    memory.unreserve(reserved);
    reserved = 0;
    taken = 0;
    scratch = 0;
  }
}
