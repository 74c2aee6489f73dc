package io.aragonite.exec.memory;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Remembers the buffers that are taken from an account until {@link #end}, blocks of arenas aside,
 * and frees on closing those that are still held: for work with many buffers of one lifetime.
 */
public final class MemoryScope implements AutoCloseable {
  private final MemoryAccount account;
  private final Consumer<Buffer> owner;
  private final Map<Long, Buffer> buffers = new ConcurrentHashMap<>();
  private volatile boolean open = true;

  MemoryScope(MemoryAccount account, Consumer<Buffer> owner) {
    this.account = account;
    this.owner = owner;
  }

  void took(Buffer buffer) {
    if (open) {
      buffers.put(buffer.address(), buffer);
    }
  }

  void freed(Buffer buffer) {
    buffers.remove(buffer.address());
  }

  /** What is taken from now on is not the scope's. */
  public void end() {
    open = false;
  }

  /** Frees what is left of the scope's buffers. */
  @Override
  public void close() {
    end();
    account.leave(this);
    buffers.values().forEach(owner);
  }
}
