package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;

/**
 * A device's bytes where the host, and devices that do not reach this one, read them: the buffer
 * itself where the device's memory is the host's, else a copy in the query's host memory.
 */
public final class HostView implements AutoCloseable {
  private final QueryMemory memory;
  private final Buffer buffer;
  private final boolean copied;

  /**
   * Returns when the bytes are there.
   *
   * @param device stays the caller's
   */
  public HostView(ExecContext context, Buffer device) {
    memory = context.hostMemory();
    copied = !context.device().traits().hostMemory();
    buffer = copied ? memory.allocate(device.size()) : device;
    if (copied && device.size() > 0) {
      context.device().transfers().toHost(context, device, buffer.address(), device.size());
    }
  }

  /** In host memory, to be read. */
  public Buffer buffer() {
    return buffer;
  }

  /** Frees the copy. */
  @Override
  public void close() {
    if (copied) {
      memory.free(buffer);
    }
  }
}
