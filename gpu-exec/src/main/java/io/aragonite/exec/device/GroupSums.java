package io.aragonite.exec.device;

import io.aragonite.exec.memory.Mem;

/**
 * Counts of rows and sums of values by group, in host memory: for each group its count, then its
 * sums, in 128 bits. Not safe for several threads.
 */
public final class GroupSums {
  private final int groups;
  private final int perGroup;
  private final long[] low;
  private final long[] high;

  /**
   * @param sums of each group, beside its count
   */
  public GroupSums(int groups, int sums) {
    this.groups = groups;
    this.perGroup = 1 + sums;
    this.low = new long[groups * perGroup];
    this.high = new long[low.length];
  }

  /** Groups that there may be. */
  public int groups() {
    return groups;
  }

  /**
   * Adds others.
   *
   * @param address of as many, two 64-bit words each, the lower one first
   */
  public void add(long address) {
    for (int i = 0; i < low.length; i++) {
      long more = Mem.getLong(address + 16L * i);
      long sum = low[i] + more;
      high[i] += Mem.getLong(address + 16L * i + 8) + (Long.compareUnsigned(sum, more) < 0 ? 1 : 0);
      low[i] = sum;
    }
  }

  /** Rows of all groups. */
  public long count() {
    long count = 0;
    for (int i = 0; i < low.length; i += perGroup) {
      count += low[i];
    }
    return count;
  }

  /** Rows of a group. */
  public long count(int group) {
    return low[group * perGroup];
  }

  /** The low 64 bits of a sum. */
  public long low(int group, int sum) {
    return low[group * perGroup + 1 + sum];
  }

  /** The high 64 bits of a sum. */
  public long high(int group, int sum) {
    return high[group * perGroup + 1 + sum];
  }
}
