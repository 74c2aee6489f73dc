package io.aragonite.exec.device.cpu;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import org.jspecify.annotations.Nullable;

/** Operations on sorted input: bounds, merge path, runs, expansion. */
final class CpuSearch {
  private CpuSearch() {}

  static void bound(
      Buffer sortedKeys, int keyCount, Buffer needles, int needleCount, boolean upper, Buffer out) {
    long keys = sortedKeys.address();
    for (int i = 0; i < needleCount; i++) {
      long needle = Mem.getLong(needles.address() + 8L * i);
      Mem.putInt(out.address() + 4L * i, bound(keys, keyCount, needle, upper));
    }
  }

  /** How many of the sorted keys are smaller than the needle (upper: or equal to it). */
  static int bound(long keys, int count, long needle, boolean upper) {
    long flipped = needle ^ Long.MIN_VALUE;
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      long key = Mem.getLong(keys + 8L * middle) ^ Long.MIN_VALUE;
      if (key < flipped || (upper && key == flipped)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  static void mergePath(
      Buffer left, int leftCount, Buffer right, int rightCount, int parts, Buffer outLeft) {
    long total = (long) leftCount + rightCount;
    long step = parts == 0 ? 0 : (total + parts - 1) / parts;
    for (int part = 0; part <= parts; part++) {
      long diagonal = Math.min(part * step, total);
      int low = (int) Math.max(0, diagonal - rightCount);
      int high = (int) Math.min(diagonal, leftCount);
      while (low < high) {
        int middle = (low + high) >>> 1;
        long leftKey = Mem.getLong(left.address() + 8L * middle);
        long rightKey = Mem.getLong(right.address() + 8 * (diagonal - 1 - middle));
        if (Long.compareUnsigned(leftKey, rightKey) <= 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      Mem.putInt(outLeft.address() + 4L * part, low);
    }
  }

  static int runLengthEncode(Buffer keys, int count, Buffer outStarts) {
    long from = keys.address();
    long to = outStarts.address();
    int n = 0;
    if (count > 0) {
      Mem.putInt(to, 0);
      n = 1;
      long last = Mem.getLong(from);
      for (int i = 1; i < count; i++) {
        long key = Mem.getLong(from + 8L * i);
        Mem.putInt(to + 4L * n, i);
        n += key == last ? 0 : 1;
        last = key;
      }
    }
    Mem.putInt(to + 4L * n, count);
    return n;
  }

  static int ascendingRuns(Buffer keys, int keyBytes, int count, Buffer outStarts) {
    boolean words = keyBytes == Long.BYTES;
    long to = outStarts.address();
    int n = 0;
    long last = 0;
    for (int i = 0; i < count; i++) {
      // Words are unsigned.
      long key =
          words
              ? Mem.getLong(keys.address() + 8L * i) ^ Long.MIN_VALUE
              : Mem.getInt(keys.address() + 4L * i);
      if (i > 0 && key < last) {
        return -1;
      }
      Mem.putInt(to + 4L * n, i);
      n += i > 0 && key == last ? 0 : 1;
      last = key;
    }
    Mem.putInt(to + 4L * n, count);
    return n;
  }

  static boolean sorted(Buffer words, int count) {
    for (int i = 1; i < count; i++) {
      long last = Mem.getLong(words.address() + 8L * (i - 1));
      if (Long.compareUnsigned(last, Mem.getLong(words.address() + 8L * i)) > 0) {
        return false;
      }
    }
    return true;
  }

  /** Needles that ascend are found from the one before them on, in steps that double. */
  static void match(
      Buffer sortedKeys, int count, Buffer needles, int needleCount, Buffer firsts, Buffer counts) {
    long keys = sortedKeys.address();
    int at = 0;
    long last = Long.MIN_VALUE;
    for (int i = 0; i < needleCount; i++) {
      long needle = Mem.getLong(needles.address() + 8L * i) ^ Long.MIN_VALUE;
      at = gallop(keys, count, needle, needle >= last ? at : 0);
      last = needle;
      int end = at;
      if (at < count && (Mem.getLong(keys + 8L * at) ^ Long.MIN_VALUE) == needle) {
        end = needle == Long.MAX_VALUE ? count : gallop(keys, count, needle + 1, at);
      }
      Mem.putInt(firsts.address() + 4L * i, end > at ? at : -1);
      Mem.putInt(counts.address() + 4L * i, end - at);
    }
  }

  /** The first key that is not smaller than a needle, which all before {@code from} are. */
  private static int gallop(long keys, int count, long needle, int from) {
    int low = from;
    int step = 1;
    int high = from;
    while (high < count && (Mem.getLong(keys + 8L * high) ^ Long.MIN_VALUE) < needle) {
      low = high + 1;
      high = (int) Math.min(count, (long) high + step);
      step = Math.min(step * 2, 1 << 30);
    }
    while (low < high) {
      int middle = (low + high) >>> 1;
      if ((Mem.getLong(keys + 8L * middle) ^ Long.MIN_VALUE) < needle) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * @param firsts what is added to places of each row; null: nothing
   */
  static void expand(
      Buffer sums,
      @Nullable Buffer firsts,
      int count,
      long from,
      int outCount,
      Buffer outRow,
      Buffer outPlace) {
    if (outCount == 0) {
      return;
    }
    long in = sums.address();
    int row = rowOf(in, count, from);
    long begin = Mem.getLong(in + 8L * row);
    int done = 0;
    while (done < outCount) {
      long end = Mem.getLong(in + 8L * (row + 1));
      int stop = (int) Math.min(outCount, end - from);
      int place = (int) (from + done - begin);
      place += firsts == null ? 0 : Mem.getInt(firsts.address() + 4L * row);
      for (; done < stop; done++) {
        Mem.putInt(outRow.address() + 4L * done, row);
        Mem.putInt(outPlace.address() + 4L * done, place++);
      }
      row++;
      begin = end;
    }
  }

  /** The last row whose range starts at or before a position; rows with empty ranges are passed. */
  static int rowOf(long sums, int count, long position) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Mem.getLong(sums + 8L * (middle + 1)) <= position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
