package io.aragonite.exec.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import sun.misc.Unsafe;

/**
 * Host memory by address. Nothing is checked: whoever calls this owns the bounds. Addresses need
 * not be aligned, since file data may lie anywhere.
 *
 * <p>Single values go through {@code sun.misc.Unsafe}: a memory segment over the whole address
 * space leaves a comparison at every access, which costs tight loops half their speed (measured
 * with PrimitivesBench on JDK 25). The JVM wants {@code --sun-misc-unsafe-memory-access=allow} for
 * it, or prints a warning.
 */
@SuppressWarnings({"removal", "deprecation"})
public final class Mem {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  private static final Unsafe UNSAFE = unsafe();

  /**
   * Whether addresses are checked to be those of the host (with assertions on, as in tests): a
   * device may have memory of its own, whose addresses are not to come here. Where that is tested
   * without such a device its addresses have bit 63 set. Written so that it costs no bytecode of
   * accessors that matters when many of them are inlined into one loop.
   */
  private static final boolean CHECKED = Mem.class.desiredAssertionStatus();

  private Mem() {}

  private static long host(long address) {
    if (address <= 0) {
      throw new AssertionError(
          "not an address of host memory: 0x" + Long.toHexString(address) + " (Transfers copy)");
    }
    return address;
  }

  private static void check(long address, long bytes) {
    if (CHECKED && bytes > 0) {
      host(address);
    }
  }

  private static Unsafe unsafe() {
    try {
      Field field = Unsafe.class.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      return (Unsafe) field.get(null);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Where the bytes of an array begin, behind its header: what tells the headers' layout. */
  static int byteArrayBase() {
    return Unsafe.ARRAY_BYTE_BASE_OFFSET;
  }

  public static byte getByte(long address) {
    return UNSAFE.getByte(CHECKED ? host(address) : address);
  }

  public static void putByte(long address, byte value) {
    UNSAFE.putByte(CHECKED ? host(address) : address, value);
  }

  public static short getShort(long address) {
    return UNSAFE.getShort(CHECKED ? host(address) : address);
  }

  public static void putShort(long address, short value) {
    UNSAFE.putShort(CHECKED ? host(address) : address, value);
  }

  public static int getInt(long address) {
    return UNSAFE.getInt(CHECKED ? host(address) : address);
  }

  public static void putInt(long address, int value) {
    UNSAFE.putInt(CHECKED ? host(address) : address, value);
  }

  public static long getLong(long address) {
    return UNSAFE.getLong(CHECKED ? host(address) : address);
  }

  /**
   * What a device has written there, and whatever it has written before is seen from then on: other
   * accessors may be moved about, or made once for a whole loop.
   */
  public static long getLongVolatile(long address) {
    return UNSAFE.getLongVolatile(null, CHECKED ? host(address) : address);
  }

  public static void putLong(long address, long value) {
    UNSAFE.putLong(CHECKED ? host(address) : address, value);
  }

  public static float getFloat(long address) {
    return UNSAFE.getFloat(CHECKED ? host(address) : address);
  }

  public static void putFloat(long address, float value) {
    UNSAFE.putFloat(CHECKED ? host(address) : address, value);
  }

  public static double getDouble(long address) {
    return UNSAFE.getDouble(CHECKED ? host(address) : address);
  }

  public static void putDouble(long address, double value) {
    UNSAFE.putDouble(CHECKED ? host(address) : address, value);
  }

  public static void copy(long from, long to, long bytes) {
    check(from, bytes);
    check(to, bytes);
    UNSAFE.copyMemory(from, to, bytes);
  }

  public static void copy(byte[] from, int offset, long to, int bytes) {
    check(to, bytes);
    MemorySegment.copy(from, offset, ALL, ValueLayout.JAVA_BYTE, to, bytes);
  }

  public static void copy(long from, byte[] to, int offset, int bytes) {
    check(from, bytes);
    MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, from, to, offset, bytes);
  }

  /** Copies numbers to the beginning of an array. */
  public static void copy(long from, int[] to, int count) {
    check(from, 4L * count);
    MemorySegment.copy(ALL, ValueLayout.JAVA_INT_UNALIGNED, from, to, 0, count);
  }

  /** Copies numbers to the beginning of an array. */
  public static void copy(long from, long[] to, int count) {
    check(from, 8L * count);
    MemorySegment.copy(ALL, ValueLayout.JAVA_LONG_UNALIGNED, from, to, 0, count);
  }

  public static void fill(long address, long bytes, byte value) {
    check(address, bytes);
    UNSAFE.setMemory(address, bytes, value);
  }

  /** Whether bit {@code index} of a little-endian bit set at {@code address} is on. */
  public static boolean getBit(long address, long index) {
    return (getByte(address + (index >> 3)) >> (index & 7) & 1) != 0;
  }

  /**
   * Copies {@code count} bits from bit {@code first} on to a bitmap's beginning, in words of 8
   * bytes.
   */
  public static void moveBits(long from, long first, long to, int count) {
    for (int i = 0; i < count; i += 64) {
      long bit = first + i;
      int shift = (int) bit & 63;
      long at = from + (bit >> 6) * 8;
      long word = getLong(at) >>> shift;
      // The next word is looked at only if it has bits that are wanted.
      if (shift > 0 && count - i > 64 - shift) {
        word |= getLong(at + 8) << (64 - shift);
      }
      putLong(to + (i >> 3), word);
    }
  }

  /** A view of native memory for library calls; it is valid as long as the memory is. */
  public static MemorySegment segment(long address, long bytes) {
    check(address, bytes);
    return ALL.asSlice(address, bytes);
  }

  /** Memory that {@link #free} frees, 16-aligned; ours comes from a {@code QueryMemory}. */
  public static long allocate(long bytes) {
    return UNSAFE.allocateMemory(bytes);
  }

  public static void free(long address) {
    UNSAFE.freeMemory(address);
  }
}
