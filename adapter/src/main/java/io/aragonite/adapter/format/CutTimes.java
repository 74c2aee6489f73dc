package io.aragonite.adapter.format;

import io.aragonite.exec.memory.Mem;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which columns of a file had times with digits behind the milliseconds, which are cut off. Safe
 * for several threads.
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
   * Whether some of these times are between two milliseconds.
   *
   * @param address of the first, 64 bits each
   * @param stride bytes from one to the next
   * @param units in a millisecond
   */
  public static boolean any(long address, int count, int stride, long units) {
    long rest = 0;
    for (int i = 0; i < count && rest == 0; i++) {
      rest = Mem.getLong(address + (long) stride * i) % units;
    }
    return rest != 0;
  }
}
