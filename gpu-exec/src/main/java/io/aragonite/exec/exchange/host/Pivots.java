package io.aragonite.exec.exchange.host;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts the merge of all devices' sorted words into parts of equal length, one a device: each looks
 * at its own words only, and they tell each other how many are not greater than what they ask for,
 * a bit of the pivots a round. Equal words are taken from the first devices first. (Maltenberger
 * 2024, section 3.1.1, finds the pivot of two devices by looking into the other one's memory.)
 */
final class Pivots {
  private final ExecContext context;
  private final Rank rank;
  private final QueryMemory memory;

  Pivots(ExecContext context, Rank rank) {
    this.context = context;
    this.rank = rank;
    this.memory = context.memory();
  }

  /**
   * All ranks call it.
   *
   * @param words of this device, unsigned and ascending
   * @param bits of a word that are not 0 in all of them
   * @return where in the words each device's part begins, and all end
   */
  int[] of(Buffer words, int count, int bits) {
    List<Integer> counts = rank.meet(context, SortPhase.PLACE, count, list -> list);
    long total = counts.stream().mapToLong(Integer::longValue).sum();
    int pivots = counts.size() - 1;
    long[] ranks = new long[pivots];
    for (int i = 0; i < pivots; i++) {
      ranks[i] = total * (i + 1) / counts.size();
    }
    // The least words with at least so many words up to them, the highest bit first.
    long[] found = new long[pivots];
    for (int bit = bits - 1; bit >= 0; bit--) {
      long[] asked = new long[pivots];
      for (int i = 0; i < pivots; i++) {
        asked[i] = found[i] | (1L << bit) - 1;
      }
      List<int[]> upTo = tell(words, count, asked, true);
      for (int i = 0; i < pivots; i++) {
        if (sum(upTo, i) < ranks[i]) {
          found[i] |= 1L << bit;
        }
      }
    }
    List<int[]> below = tell(words, count, found, false);
    List<int[]> upTo = tell(words, count, found, true);
    int[] begins = new int[pivots + 2];
    begins[pivots + 1] = count;
    for (int i = 0; i < pivots; i++) {
      long equal = ranks[i] - sum(below, i);
      for (int device = 0; device <= rank.index(); device++) {
        int least = below.get(device)[i];
        int taken = (int) Math.clamp(equal, 0, upTo.get(device)[i] - least);
        equal -= taken;
        begins[i + 1] = least + taken;
      }
    }
    return begins;
  }

  private static long sum(List<int[]> all, int pivot) {
    return all.stream().mapToLong(of -> of[pivot]).sum();
  }

  /** How many words of each device are below what is asked for, or not above it. */
  private List<int[]> tell(Buffer words, int count, long[] asked, boolean upTo) {
    int[] own = new int[asked.length];
    if (count > 0) {
      Buffer needles = memory.allocate(8L * asked.length);
      Buffer out = memory.allocate(4L * asked.length);
      // By kernels: copies of so few bytes would come behind the large ones of the next chunkset.
      for (int i = 0; i < asked.length; i++) {
        context.scan().fill(context, needles.slice(8L * i, 8), Long.BYTES, asked[i], 1);
      }
      context.sort().bound(context, words, count, needles, asked.length, upTo, out);
      own = HostColumns.ints(context, out, asked.length);
      memory.free(needles);
      memory.free(out);
    }
    int[] mine = Arrays.copyOf(own, own.length);
    return rank.meet(context, SortPhase.PLACE, mine, list -> list);
  }
}
