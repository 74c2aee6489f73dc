package org.apache.arrow.memory.util;

import io.aragonite.exec.memory.Mem;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Stands in for Arrow's class of this name, by which its buffers reach memory. Arrow's own makes
 * byte buffers of addresses through a private constructor of the JDK's, which programs have to open
 * with {@code --add-opens=java.base/java.nio=ALL-UNNAMED}; without it, files and streams of Arrow
 * cannot be written. Segments need no flag.
 *
 * <p>It has to come before arrow-memory-core on the class path; in the jars that hold all libraries
 * it is the only one. A program that has Arrow before it needs that flag.
 */
public final class MemoryUtil {
  /** If the native byte order is little-endian. */
  public static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private MemoryUtil() {}

  /** The address of a direct buffer's first byte, wherever its position is. */
  public static long getByteBufferAddress(ByteBuffer buffer) {
    return MemorySegment.ofBuffer(buffer.duplicate().clear()).address();
  }

  /** A view of native memory, which is valid as long as the memory is. */
  public static ByteBuffer directBuffer(long address, int capacity) {
    if (capacity < 0) {
      throw new IllegalArgumentException("a buffer of " + capacity + " bytes");
    }
    return Mem.segment(address, capacity).asByteBuffer();
  }

  public static void copyMemory(long from, long to, long bytes) {
    Mem.copy(from, to, bytes);
  }

  public static void copyToMemory(byte[] from, long index, long to, long bytes) {
    Mem.copy(from, Math.toIntExact(index), to, Math.toIntExact(bytes));
  }

  public static void copyFromMemory(long from, byte[] to, long index, long bytes) {
    Mem.copy(from, to, Math.toIntExact(index), Math.toIntExact(bytes));
  }

  public static byte getByte(long address) {
    return Mem.getByte(address);
  }

  public static void putByte(long address, byte value) {
    Mem.putByte(address, value);
  }

  public static short getShort(long address) {
    return Mem.getShort(address);
  }

  public static void putShort(long address, short value) {
    Mem.putShort(address, value);
  }

  public static int getInt(long address) {
    return Mem.getInt(address);
  }

  public static void putInt(long address, int value) {
    Mem.putInt(address, value);
  }

  public static long getLong(long address) {
    return Mem.getLong(address);
  }

  public static void putLong(long address, long value) {
    Mem.putLong(address, value);
  }

  public static void setMemory(long address, long bytes, byte value) {
    Mem.fill(address, bytes, value);
  }

  public static int getInt(byte[] bytes, int index) {
    return MemorySegment.ofArray(bytes).get(ValueLayout.JAVA_INT_UNALIGNED, index);
  }

  public static long getLong(byte[] bytes, int index) {
    return MemorySegment.ofArray(bytes).get(ValueLayout.JAVA_LONG_UNALIGNED, index);
  }

  public static long allocateMemory(long bytes) {
    return Mem.allocate(bytes);
  }

  public static void freeMemory(long address) {
    Mem.free(address);
  }
}
