package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts of rows and sums of values by group in a device's memory: a direct-address table, whose
 * entries the groups number. Not safe for several threads.
 */
public final class SumTable implements AutoCloseable {
  /** What an entry without rows has in place of a count, which is less by one than its rows. */
  private static final long NO_ROWS = -1;

  private static final long MOST_ROWS = Integer.MAX_VALUE;

  private final QueryMemory memory;
  private final int groups;
  private final Buffer counts;
  private final List<Buffer> sums = new ArrayList<>();
  private long rows;

  /** What no sum's magnitude can exceed. */
  private long bound;

  /**
   * @param groups how many there may be
   * @param sums of each group, beside its count
   * @throws io.aragonite.exec.error.AragoniteException MEMORY_EXCEEDED if it does not fit
   */
  public SumTable(ExecContext context, int groups, int sums) {
    this.memory = context.memory();
    this.groups = groups;
    this.counts = memory.allocate((long) Integer.BYTES * groups);
    try {
      context.scan().fill(context, counts, Integer.BYTES, NO_ROWS, groups);
      for (int i = 0; i < sums; i++) {
        Buffer sum = memory.allocate((long) Long.BYTES * groups);
        this.sums.add(sum);
        context.scan().fill(context, sum, Long.BYTES, 0, groups);
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** The memory of one. */
  public static long bytes(long groups, int sums) {
    return groups * (Integer.BYTES + (long) Long.BYTES * sums);
  }

  /** Groups that there may be. */
  public int groups() {
    return groups;
  }

  /** For each group its rows less one, 32-bit: -1 for none. */
  public Buffer counts() {
    return counts;
  }

  /** For each group a sum, 64-bit. */
  public Buffer sums(int number) {
    return sums.get(number);
  }

  /** For each entry as many sums. */
  public int sums() {
    return sums.size();
  }

  /**
   * Notes that rows are to be added.
   *
   * @param valueBits of the values that are summed, without their sign
   * @return false, with nothing noted, if counts or sums may not hold what they would add up to
   */
  public boolean reserve(int more, int valueBits) {
    if (more > Long.MAX_VALUE >> Math.min(valueBits, Long.SIZE - 1)) {
      return false;
    }
    return reserve(more, (long) more << valueBits);
  }

  /** Notes that all of another table's rows are to be added; as {@link #reserve(int, int)}. */
  public boolean reserve(SumTable other) {
    return reserve(other.rows, other.bound);
  }

  private boolean reserve(long more, long magnitude) {
    if (rows + more > MOST_ROWS || bound + magnitude < 0) {
      return false;
    }
    rows += more;
    bound += magnitude;
    return true;
  }

  @Override
  public void close() {
    memory.free(counts);
    sums.forEach(memory::free);
    sums.clear();
  }
}
