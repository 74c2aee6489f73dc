package io.aragonite.exec.memory;

import io.aragonite.exec.error.AragoniteException;

/** Where buffers come from. Contents of a new buffer are undefined (poisoned in tests). */
public interface Allocator {
  /**
   * A buffer of at least {@code bytes} bytes (0 is allowed), aligned to 64, whose last 64-byte line
   * may be read and written whole.
   *
   * @throws AragoniteException MEMORY_EXCEEDED if the budget does not hold it
   */
  Buffer allocate(long bytes);
}
