package io.aragonite.exec.memory;

/**
 * A piece of a device's memory: an address and a size in bytes. It owns nothing; the {@link
 * Allocator} that made it decides how long it lives. On the CPU device the address is a native
 * address, to be used with {@link Mem}.
 */
public record Buffer(long address, long size) {
  public static final Buffer EMPTY = new Buffer(0, 0);

  public Buffer slice(long offset, long bytes) {
    assert offset >= 0 && bytes >= 0 && offset + bytes <= size : this + " " + offset + "+" + bytes;
    return new Buffer(address + offset, bytes);
  }
}
