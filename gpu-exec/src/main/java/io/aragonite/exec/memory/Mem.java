package io.aragonite.exec.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Host memory by address. All of native memory is one segment, so that the compiler sees a constant
 * base and neither liveness nor bounds checks remain; whoever calls this owns the bounds. Layouts
 * are unaligned, since file data may lie anywhere.
 */
public final class Mem {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private Mem() {}

  public static byte getByte(long address) {
    return ALL.get(ValueLayout.JAVA_BYTE, address);
  }

  public static void putByte(long address, byte value) {
    ALL.set(ValueLayout.JAVA_BYTE, address, value);
  }

  public static short getShort(long address) {
    return ALL.get(ValueLayout.JAVA_SHORT_UNALIGNED, address);
  }

  public static void putShort(long address, short value) {
    ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, address, value);
  }

  public static int getInt(long address) {
    return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, address);
  }

  public static void putInt(long address, int value) {
    ALL.set(ValueLayout.JAVA_INT_UNALIGNED, address, value);
  }

  public static long getLong(long address) {
    return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, address);
  }

  public static void putLong(long address, long value) {
    ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, address, value);
  }

  public static float getFloat(long address) {
    return ALL.get(ValueLayout.JAVA_FLOAT_UNALIGNED, address);
  }

  public static void putFloat(long address, float value) {
    ALL.set(ValueLayout.JAVA_FLOAT_UNALIGNED, address, value);
  }

  public static double getDouble(long address) {
    return ALL.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, address);
  }

  public static void putDouble(long address, double value) {
    ALL.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, address, value);
  }

  public static void copy(long from, long to, long bytes) {
    MemorySegment.copy(ALL, from, ALL, to, bytes);
  }

  public static void copy(byte[] from, int offset, long to, int bytes) {
    MemorySegment.copy(from, offset, ALL, ValueLayout.JAVA_BYTE, to, bytes);
  }

  public static void copy(long from, byte[] to, int offset, int bytes) {
    MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, from, to, offset, bytes);
  }

  public static void fill(long address, long bytes, byte value) {
    ALL.asSlice(address, bytes).fill(value);
  }

  /** Whether bit {@code index} of a little-endian bit set at {@code address} is on. */
  public static boolean getBit(long address, long index) {
    return (getByte(address + (index >> 3)) >> (index & 7) & 1) != 0;
  }

  /** A view of native memory for library calls; it is valid as long as the memory is. */
  public static MemorySegment segment(long address, long bytes) {
    return ALL.asSlice(address, bytes);
  }
}
