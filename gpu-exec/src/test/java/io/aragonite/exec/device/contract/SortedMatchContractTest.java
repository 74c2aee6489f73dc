package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.memory.Buffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** sorted, matchSorted, expandRanges. */
class SortedMatchContractTest extends Contract {
  SortedMatchContractTest(Device device) {
    super(device);
  }

  private long[] sortedWords(WordKind kind, int size) {
    return Arrays.stream(words(kind, size))
        .boxed()
        .sorted(Long::compareUnsigned)
        .mapToLong(w -> w)
        .toArray();
  }

  @Test
  void rangesOfEqualKeys() {
    for (int size : SIZES) {
      for (WordKind kind : WordKind.values()) {
        long[] keys = sortedWords(kind, size);
        // Ascending needles, which share much with the keys, and others in any order.
        match(keys, keys.length > 3000 ? Arrays.copyOf(keys, 3000) : keys);
        long[] needles = words(kind, random.nextInt(2000));
        for (int i = 0; i < needles.length && size > 0; i += 2) {
          needles[i] = keys[random.nextInt(size)];
        }
        match(keys, needles);
      }
    }
  }

  private void match(long[] keys, long[] needles) {
    Buffer sorted = longs(keys);
    Buffer wanted = longs(needles);
    Buffer firsts = room(4L * needles.length);
    Buffer counts = room(4L * needles.length);
    context
        .sort()
        .matchSorted(context, sorted, keys.length, wanted, needles.length, firsts, counts);
    int[] first = context.ints(firsts, needles.length);
    int[] count = context.ints(counts, needles.length);
    long total = 0;
    for (int i = 0; i < needles.length; i++) {
      int low = bound(keys, needles[i], false);
      int high = bound(keys, needles[i], true);
      assertEquals(high - low, count[i]);
      assertEquals(high > low ? low : -1, first[i]);
      total += count[i];
    }
    Buffer sums = room(8L * needles.length + 8);
    assertEquals(total, context.scan().exclusiveSum(context, counts, needles.length, sums));
    if (total > 0) {
      long from = random.nextLong(total);
      int some = (int) Math.min(total - from, 1 + random.nextInt(5000));
      expand(first, count, sums, firsts, from, some);
      expand(first, count, sums, firsts, 0, (int) Math.min(total, 5000));
    }
    for (Buffer buffer : List.of(sorted, wanted, firsts, counts, sums)) {
      context.memory().free(buffer);
    }
  }

  private void expand(int[] first, int[] count, Buffer sums, Buffer firsts, long from, int some) {
    Buffer rows = room(4L * some);
    Buffer positions = room(4L * some);
    context.scan().expandRanges(context, sums, firsts, first.length, from, some, rows, positions);
    int[] row = context.ints(rows, some);
    int[] position = context.ints(positions, some);
    long at = -from;
    for (int i = 0; i < first.length; i++) {
      for (int k = 0; k < count[i]; k++, at++) {
        if (at >= 0 && at < some) {
          assertEquals(i, row[(int) at]);
          assertEquals(first[i] + k, position[(int) at]);
        }
      }
    }
    context.memory().free(rows);
    context.memory().free(positions);
  }

  /** How many keys are smaller, or not greater. */
  private static int bound(long[] keys, long needle, boolean upper) {
    int low = 0;
    int high = keys.length;
    while (low < high) {
      int middle = (low + high) / 2;
      int order = Long.compareUnsigned(keys[middle], needle);
      if (order < 0 || upper && order == 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  @Test
  void whetherWordsAscend() {
    for (int size : SIZES) {
      for (WordKind kind : WordKind.values()) {
        long[] words = sortedWords(kind, size);
        assertSorted(true, words);
        if (size > 1) {
          words[size - 1] = 5;
          words[size - 2] = -5;
          assertSorted(false, words);
          long[] others = sortedWords(WordKind.DISTINCT, size);
          int at = random.nextInt(size - 1);
          long swap = others[at];
          others[at] = others[at + 1];
          others[at + 1] = swap;
          assertSorted(false, others);
        }
      }
    }
    assertFalse(context.sort().sorted(context, longs(-1, 1), 2), "words are unsigned");
  }

  private void assertSorted(boolean expected, long[] words) {
    Buffer in = longs(words);
    assertEquals(expected, context.sort().sorted(context, in, words.length));
    context.memory().free(in);
  }
}
