package io.aragonite.adapter.format.parquet;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.Arrays;

/** Working memory of a column chunk's reader: one buffer a purpose, larger when it has to be. */
final class Scratch implements AutoCloseable {
  enum ScratchUse {
    /** A decompressed page. */
    PAGE,
    /** The decompressed dictionary page. */
    DICTIONARY_PAGE,
    /** The dictionary in the column's storage. */
    DICTIONARY,
    /** Physical values of a page. */
    VALUES,
    /** Integers of a page before they are stored in fewer bytes. */
    WIDE,
    LENGTHS,
    PREFIXES,
    /** Offsets of values that are not the column's own. */
    OFFSETS,
  }

  /** Smaller buffers are the C library's to keep; larger ones are few. */
  private static final long SMALLEST = 64 << 10;

  private static final long LARGEST = 16 << 20;

  private final QueryMemory memory;
  private final Buffer[] buffers = new Buffer[ScratchUse.values().length];

  Scratch(QueryMemory memory) {
    this.memory = memory;
    Arrays.fill(buffers, Buffer.EMPTY);
  }

  /**
   * Address of at least {@code bytes} bytes, which are valid until the same use is asked for again.
   */
  long get(ScratchUse use, long bytes) {
    Buffer buffer = buffers[use.ordinal()];
    if (buffer.address() == 0 || buffer.size() < bytes) {
      buffers[use.ordinal()] = Buffer.EMPTY;
      memory.free(buffer);
      buffer = memory.allocate(rounded(bytes));
      buffers[use.ordinal()] = buffer;
    }
    return buffer.address();
  }

  /**
   * Powers of two, so that the buffer of one column's pages, which its memory keeps, serves the
   * next one's: pages of the same file differ in size, and fresh memory takes as long to touch as a
   * page to decompress.
   */
  private static long rounded(long bytes) {
    return bytes < SMALLEST || bytes > LARGEST ? bytes : Long.highestOneBit(2 * bytes - 1);
  }

  @Override
  public void close() {
    for (Buffer buffer : buffers) {
      memory.free(buffer);
    }
    Arrays.fill(buffers, Buffer.EMPTY);
  }
}
