package io.aragonite.adapter.format;

import io.aragonite.exec.memory.Mem;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which columns of a file had times with digits that their type does not keep. Safe for several
 * threads.
 */
public final class CutTimes {
  private final Set<Integer> columns = ConcurrentHashMap.newKeySet();

  /** Says that a column had some. */
  public void add(int column) {
    columns.add(column);
  }

  public boolean contains(int column) {
    return columns.contains(column);
  }

  /**
   * Whether some of these numbers are no whole thousands: nanoseconds between two microseconds, or
   * microseconds between two milliseconds.
   *
   * @param address of the first, 64 bits each
   * @param stride bytes from one to the next
   */
  public static boolean anyThousandths(long address, int count, int stride) {
    // The divisor is a constant, so that the division is a multiplication.
    long rest = 0;
    for (int i = 0; i < count; i++) {
      rest |= Mem.getLong(address + (long) stride * i) % 1_000L;
    }
    return rest != 0;
  }

  /**
   * Whether some of these numbers are no whole millions: nanoseconds between two milliseconds.
   *
   * @param address of the first, 64 bits each
   */
  public static boolean anyMillionths(long address, int count) {
    long rest = 0;
    for (int i = 0; i < count; i++) {
      rest |= Mem.getLong(address + 8L * i) % 1_000_000L;
    }
    return rest != 0;
  }
}
