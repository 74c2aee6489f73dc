package io.aragonite.exec.memory;

import io.aragonite.exec.error.AragoniteException;

/** Where buffers come from. Contents of a new buffer are undefined (poisoned in tests). */
public interface Allocator {
  /**
   * A buffer of {@code bytes} bytes (0 is allowed), aligned to 64. Its last 64-byte line and the 64
   * bytes behind that may be read and written as well, so that loops can store a vector, or the
   * element behind the last one, without a check.
   *
   * @throws AragoniteException MEMORY_EXCEEDED if the budget does not hold it
   */
  Buffer allocate(long bytes);
}
