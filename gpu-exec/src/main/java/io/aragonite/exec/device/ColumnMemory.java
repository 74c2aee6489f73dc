package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.Buffer;
import java.util.List;

/**
 * Memory of a device for columns that outlive a query ({@link TableCache}), reserved in the
 * device's budget. Calls with one context take place in the order of its query's other work.
 */
public interface ColumnMemory {
  /**
   * A piece of host memory and where it goes.
   *
   * @param host address of the first byte
   * @param device of as many bytes as are copied
   */
  record Copy(long host, Buffer device) {}

  /**
   * A buffer as {@link io.aragonite.exec.memory.Allocator} makes them, of nobody's query.
   *
   * @param what what for, for the message
   * @throws AragoniteException MEMORY_EXCEEDED if the budget or the device does not hold it
   */
  Buffer allocate(ExecContext context, long bytes, String what);

  /** Bytes of the budget that a buffer takes: it has room behind it. */
  long taken(Buffer buffer);

  /** Gives a buffer back that no work uses any more. */
  void free(Buffer buffer);

  /** Copies pieces in any order; returns when the host memory may be used again. */
  void toDevice(ExecContext context, List<Copy> copies);

  /** Sets all bytes of a buffer. */
  void fill(ExecContext context, Buffer buffer, byte value);

  /** Returns when all that this query asked for is done, so that others may rely on it. */
  void await(ExecContext context);
}
