package io.aragonite.exec.memory;

/**
 * One query's account with a {@link MemoryBudget}: buffers that live until freed or until the query
 * ends.
 */
public interface QueryMemory extends Allocator, AutoCloseable {
  /** Gives a buffer back before the query ends; EMPTY is ignored. */
  void free(Buffer buffer);

  /**
   * A buffer of at least {@code bytes} with the contents of {@code old}, which is freed. {@code
   * old} may be EMPTY.
   */
  Buffer grow(Buffer old, long bytes);

  /** Sets all bytes of a buffer of this account, or of a slice of one, to {@code value}. */
  void fill(Buffer buffer, byte value);

  /**
   * Registers what of the query can give up memory. It is asked, by the thread that wants memory,
   * before a request is refused, and again as long as it gives any.
   */
  void onShortage(MemoryBudget.Reclaimer holder);

  /** As {@link #allocate}, of no scope: for arenas, which outlive scopes. */
  Buffer allocateBlock(long bytes);

  /**
   * Counts bytes that are taken elsewhere (a value on the Java heap) as if they were this
   * account's.
   *
   * @throws io.aragonite.exec.error.AragoniteException MEMORY_EXCEEDED if there is no room
   */
  default void reserve(long bytes) {}

  /** Ends a reservation, or a part of one. */
  default void unreserve(long bytes) {}

  /** Remembers what is taken from now on. */
  MemoryScope scope();

  /** Bytes held now. */
  long used();

  /** The most bytes held at once. */
  long peak();

  /**
   * A bump allocator that takes blocks from this account. Not safe for several threads; close it.
   */
  Arena newArena();

  /** Frees all that is held. */
  @Override
  void close();

  /** Scratch memory that is given back all at once. */
  interface Arena extends Allocator, AutoCloseable {
    /** Forgets all allocations; the blocks are kept for the next ones. */
    void reset();

    /** Where allocation stands, for {@link #release}. */
    long mark();

    /**
     * Forgets the allocations made since {@link #mark} returned {@code mark}; as with a stack,
     * later marks must have been released or are void.
     */
    void release(long mark);

    @Override
    void close();
  }
}
