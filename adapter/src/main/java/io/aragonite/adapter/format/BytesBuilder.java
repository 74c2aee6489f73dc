package io.aragonite.adapter.format;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;

/** Bytes of values that are appended one behind the other; it grows. */
public final class BytesBuilder implements AutoCloseable {
  private final QueryMemory memory;
  private Buffer buffer = Buffer.EMPTY;
  private int size;

  /** Whether the buffer is somebody else's. */
  private boolean lent;

  public BytesBuilder(QueryMemory memory) {
    this.memory = memory;
  }

  /**
   * Begins in a place of somebody else's, and stays there as long as that is large enough.
   *
   * @param place empty: none
   */
  public BytesBuilder(QueryMemory memory, Buffer place) {
    this.memory = memory;
    this.buffer = place;
    this.lent = place.address() != 0;
  }

  /** An empty one in the same memory. */
  public BytesBuilder another() {
    return new BytesBuilder(memory);
  }

  public int size() {
    return size;
  }

  public long address() {
    return buffer.address();
  }

  /** The buffer, which the caller takes over. */
  public Buffer take() {
    Buffer taken = buffer;
    buffer = Buffer.EMPTY;
    return taken;
  }

  public void clear() {
    size = 0;
  }

  /** Makes room for {@code bytes} more and returns where they go; {@link #advance} counts them. */
  public long room(long bytes) {
    long wanted = size + bytes;
    if (wanted > Integer.MAX_VALUE) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "A part of a table has more than 2 GB of text in one column; write it in smaller row"
              + " groups");
    }
    if (buffer.address() == 0 || wanted > buffer.size()) {
      long grown = Math.min(Integer.MAX_VALUE, Math.max(wanted, 2L * buffer.size()));
      buffer = lent ? moved(Math.max(4096, grown)) : memory.grow(buffer, Math.max(4096, grown));
    }
    return buffer.address() + size;
  }

  /** The bytes so far, in a buffer of its own. */
  private Buffer moved(long bytes) {
    Buffer own = memory.allocate(bytes);
    Mem.copy(buffer.address(), own.address(), size);
    lent = false;
    return own;
  }

  public void advance(int bytes) {
    size += bytes;
  }

  /**
   * Copies bytes in steps of 8 if they are few: up to 7 bytes behind either end are touched, which
   * both a page and a buffer have room for.
   */
  public static void copy(long from, long to, int bytes) {
    if (bytes <= 40) {
      for (int i = 0; i < bytes; i += 8) {
        Mem.putLong(to + i, Mem.getLong(from + i));
      }
    } else {
      Mem.copy(from, to, bytes);
    }
  }

  @Override
  public void close() {
    if (!lent) {
      memory.free(buffer);
    }
    buffer = Buffer.EMPTY;
  }
}
