package io.aragonite.adapter.copy;

import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryReservation;

/** Bytes outside the heap, which grow as some are added. Not safe for several threads. */
final class NativeBytes implements AutoCloseable {
  /** Bytes that may be written, and read, behind what was asked for. */
  static final int SLACK = 64;

  private final MemoryReservation account;
  private long address;
  private long capacity;
  private long size;

  NativeBytes(long capacity, MemoryReservation account) {
    account.add(capacity);
    this.account = account;
    this.capacity = capacity;
    this.address = Mem.allocate(capacity + SLACK);
  }

  long address() {
    return address;
  }

  long size() {
    return size;
  }

  void clear() {
    size = 0;
  }

  /** Makes room for more bytes, and returns where they are to be put. */
  long reserve(long more) {
    if (size + more > capacity) {
      long larger = Math.max(size + more, 2 * capacity);
      account.add(larger);
      long moved = Mem.allocate(larger + SLACK);
      Mem.copy(address, moved, size);
      Mem.free(address);
      account.remove(capacity);
      address = moved;
      capacity = larger;
    }
    return address + size;
  }

  /** Adds bytes that are there already, behind the others. */
  void advance(long bytes) {
    size += bytes;
  }

  void putByte(int value) {
    Mem.putByte(reserve(1), (byte) value);
    size++;
  }

  void putInt(int value) {
    Mem.putInt(reserve(Integer.BYTES), value);
    size += Integer.BYTES;
  }

  void putLong(long value) {
    Mem.putLong(reserve(Long.BYTES), value);
    size += Long.BYTES;
  }

  /** An unsigned number, seven bits a byte, the lowest first. */
  void putVarint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      putByte((int) (rest & 0x7F | 0x80));
      rest >>>= 7;
    }
    putByte((int) rest);
  }

  /** A signed number of few bytes if it is near zero. */
  void putZigzag(long value) {
    putVarint(value << 1 ^ value >> 63);
  }

  byte[] toArray() {
    byte[] bytes = new byte[Math.toIntExact(size)];
    Mem.copy(address, bytes, 0, bytes.length);
    return bytes;
  }

  @Override
  public void close() {
    Mem.free(address);
    account.remove(capacity);
  }
}
