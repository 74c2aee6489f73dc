package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.SortOps.Ties;
import io.aragonite.exec.memory.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** radixPartition, sortPairs, keepTies, bound, mergePath, runLengthEncode. */
class SortContractTest extends Contract {
  SortContractTest(Device device) {
    super(device);
  }

  private static long digit(long key, int from, int to) {
    return to - from >= 64 ? key : key >>> from & (1L << to - from) - 1;
  }

  /** Positions in the stable order of the keys' bits. */
  private static int[] order(long[] keys, int from, int to) {
    return IntStream.range(0, keys.length)
        .boxed()
        .sorted(Comparator.comparing(i -> digit(keys[i], from, to), Long::compareUnsigned))
        .mapToInt(i -> i)
        .toArray();
  }

  @Test
  void sortPairs() {
    for (int size : SIZES) {
      for (WordKind kind : WordKind.values()) {
        for (int[] bits : new int[][] {{0, 64}, {0, 32}, {5, 12}, {32, 64}, {63, 64}, {8, 8}}) {
          long[] keys = words(kind, size);
          int[] order = order(keys, bits[0], bits[1]);
          Buffer sorted = longs(keys);
          Buffer ids = ints(IntStream.range(0, size).map(i -> ~i).toArray());
          context.sort().sortPairs(context, sorted, ids, size, bits[0], bits[1]);
          assertArrayEquals(Arrays.stream(order).map(i -> ~i).toArray(), context.ints(ids, size));
          assertArrayEquals(
              Arrays.stream(order).mapToLong(i -> keys[i]).toArray(), context.longs(sorted, size));
          context.memory().free(sorted);
          context.memory().free(ids);
        }
      }
    }
  }

  @Test
  void radixPartition() {
    for (int size : SIZES) {
      for (WordKind kind : WordKind.values()) {
        for (int[] digit : new int[][] {{0, 8}, {53, 11}, {2, 1}, {0, 0}}) {
          long[] keys = words(kind, size);
          int end = digit[0] + digit[1];
          int[] order =
              digit[1] == 0 ? IntStream.range(0, size).toArray() : order(keys, digit[0], end);
          int parts = 1 << digit[1];
          Buffer outKeys = room(8L * size);
          Buffer outIds = room(4L * size);
          Buffer offsets = room(4L * (parts + 1));
          context
              .partition()
              .radixPartition(
                  context,
                  longs(keys),
                  ints(IntStream.range(0, size).toArray()),
                  size,
                  digit[0],
                  digit[1],
                  outKeys,
                  outIds,
                  offsets);
          assertArrayEquals(order, context.ints(outIds, size));
          assertArrayEquals(
              Arrays.stream(order).mapToLong(i -> keys[i]).toArray(), context.longs(outKeys, size));
          int[] expected = new int[parts + 1];
          for (long key : keys) {
            expected[1 + (int) digit(key, digit[0], end)]++;
          }
          Arrays.parallelPrefix(expected, Integer::sum);
          assertArrayEquals(expected, context.ints(offsets, parts + 1));
          context.memory().free(outKeys);
          context.memory().free(outIds);
        }
        if (size > 5000) {
          break;
        }
      }
    }
  }

  @Test
  void bound() {
    for (int size : SMALL_SIZES) {
      for (WordKind kind : WordKind.values()) {
        long[] keys = sorted(words(kind, size));
        long[] needles = words(kind, 50);
        for (int i = 0; i < 25 && size > 0; i++) {
          needles[i] = keys[random.nextInt(size)] + random.nextInt(3) - 1;
        }
        for (boolean upper : new boolean[] {false, true}) {
          Buffer out = room(4L * 50);
          context.sort().bound(context, longs(keys), size, longs(needles), 50, upper, out);
          int[] expected =
              Arrays.stream(needles)
                  .mapToInt(needle ->
                      (int)
                          LongStream.of(keys)
                              .filter(k -> Long.compareUnsigned(k, needle) < (upper ? 1 : 0))
                              .count())
                  .toArray();
          assertArrayEquals(expected, context.ints(out, 50));
        }
      }
    }
  }

  /** So many that devices may search in another way, for needles in order and in none. */
  @Test
  void boundOfManyKeys() {
    int size = LIGHT ? 5000 : (1 << 20) + 5;
    int count = size / 8 + 70_000;
    for (WordKind kind : new WordKind[] {WordKind.SPARSE, WordKind.ZIPF, WordKind.EXTREME}) {
      long[] keys = words(kind, size);
      Arrays.setAll(keys, i -> keys[i] ^ Long.MIN_VALUE);
      Arrays.sort(keys);
      long[] needles = words(kind, count);
      for (int i = 0; i < count; i += 2) {
        needles[i] = (keys[random.nextInt(size)] ^ Long.MIN_VALUE) + random.nextInt(3) - 1;
      }
      long[] unsigned = LongStream.of(keys).map(k -> k ^ Long.MIN_VALUE).toArray();
      Buffer keyBuffer = longs(unsigned);
      for (boolean ordered : new boolean[] {false, true}) {
        if (ordered) {
          Arrays.setAll(needles, i -> needles[i] ^ Long.MIN_VALUE);
          Arrays.sort(needles);
          Arrays.setAll(needles, i -> needles[i] ^ Long.MIN_VALUE);
        }
        Buffer needleBuffer = longs(needles);
        for (boolean upper : new boolean[] {false, true}) {
          Buffer out = room(4L * count);
          context.sort().bound(context, keyBuffer, size, needleBuffer, count, upper, out);
          int[] found = context.ints(out, count);
          for (int i = 0; i < count; i++) {
            long needle = needles[i] ^ Long.MIN_VALUE;
            int at = found[i];
            boolean below = at == 0 || (upper ? keys[at - 1] <= needle : keys[at - 1] < needle);
            boolean above = at == size || (upper ? keys[at] > needle : keys[at] >= needle);
            assertTrue(below && above, () -> kind + ": " + needle + " is not at " + at);
          }
          context.memory().free(out);
        }
      }
    }
  }

  private static long[] sorted(long[] keys) {
    return LongStream.of(keys).boxed().sorted(Long::compareUnsigned).mapToLong(k -> k).toArray();
  }

  @Test
  void mergePath() {
    for (int leftSize : new int[] {0, 1, 33, 1000}) {
      for (int rightSize : new int[] {0, 1, 64, 777}) {
        for (WordKind kind : WordKind.values()) {
          long[] left = sorted(words(kind, leftSize));
          long[] right = sorted(words(kind, rightSize));
          for (int parts : new int[] {1, 2, 7, 2000}) {
            Buffer out = room(4L * (parts + 1));
            context
                .sort()
                .mergePath(context, longs(left), leftSize, longs(right), rightSize, parts, out);
            assertArrayEquals(cuts(left, right, parts), context.ints(out, parts + 1));
          }
        }
      }
    }
  }

  private static int[] cuts(long[] left, long[] right, int parts) {
    int total = left.length + right.length;
    int step = (total + parts - 1) / parts;
    int[] taken = new int[total + 1];
    for (int i = 0, l = 0; i < total; i++) {
      int r = i - l;
      if (r == right.length || l < left.length && Long.compareUnsigned(left[l], right[r]) <= 0) {
        l++;
      }
      taken[i + 1] = l;
    }
    return IntStream.rangeClosed(0, parts)
        .map(part -> taken[(int) Math.min((long) part * step, total)])
        .toArray();
  }

  @Test
  void runLengthEncode() {
    for (int size : SIZES) {
      for (WordKind kind : WordKind.values()) {
        long[] keys = sorted(words(kind, size));
        int[] starts =
            IntStream.range(0, size).filter(i -> i == 0 || keys[i] != keys[i - 1]).toArray();
        Buffer out = room(4L * (size + 1));
        int runs = context.sort().runLengthEncode(context, longs(keys), size, out);
        assertEquals(starts.length, runs);
        assertArrayEquals(starts, context.ints(out, runs));
        assertEquals(size, context.ints(out, runs + 1)[runs]);
      }
    }
  }

  @Test
  void ascendingRuns() {
    for (int size : SIZES) {
      for (WordKind kind : WordKind.values()) {
        long[] words = sorted(words(kind, size));
        ascendingRuns(longs(words), Long.BYTES, words, true);
        int[] integers = Arrays.stream(words).mapToInt(word -> (int) word).sorted().toArray();
        long[] asLongs = Arrays.stream(integers).asLongStream().toArray();
        ascendingRuns(ints(integers), Integer.BYTES, asLongs, true);
        // The largest ones first: one that is less is behind them, wherever that is.
        if (size > 1 && words[0] != words[size - 1]) {
          int at = 1 + random.nextInt(size - 1);
          long[] fallen = words.clone();
          fallen[at - 1] = words[size - 1];
          fallen[at] = words[0];
          ascendingRuns(longs(fallen), Long.BYTES, fallen, false);
        }
        if (size > 1 && integers[0] != integers[size - 1]) {
          int at = 1 + random.nextInt(size - 1);
          int[] fallen = integers.clone();
          fallen[at - 1] = integers[size - 1];
          fallen[at] = integers[0];
          ascendingRuns(ints(fallen), Integer.BYTES, asLongs, false);
        }
      }
    }
  }

  private void ascendingRuns(Buffer in, int keyBytes, long[] keys, boolean ascend) {
    int size = keys.length;
    int[] starts = IntStream.range(0, size).filter(i -> i == 0 || keys[i] != keys[i - 1]).toArray();
    Buffer out = room(4L * (size + 1));
    int runs = context.sort().ascendingRuns(context, in, keyBytes, size, out);
    assertEquals(ascend ? starts.length : -1, runs);
    if (ascend) {
      assertArrayEquals(starts, context.ints(out, runs));
      assertEquals(size, context.ints(out, runs + 1)[runs]);
    }
  }

  @Test
  void keepTies() {
    for (int size : SIZES) {
      for (WordKind kind :
          new WordKind[] {WordKind.EQUAL, WordKind.DENSE, WordKind.FEW, WordKind.RANDOM}) {
        for (int tieLength : new int[] {1, 2, 7, 1000, Integer.MAX_VALUE}) {
          long[] keys = words(kind, size);
          int[] ties = IntStream.range(0, size).map(i -> i / tieLength).toArray();
          for (int from = 0; from < size; from += Math.min(tieLength, size)) {
            Arrays.sort(keys, from, (int) Math.min(size, (long) from + tieLength));
          }
          int[] ids = random.ints(size).toArray();
          List<Integer> expectedTies = new ArrayList<>();
          List<Integer> expectedIds = new ArrayList<>();
          int last = -1;
          for (int i = 0; i < size; i++) {
            boolean before = i > 0 && ties[i - 1] == ties[i] && keys[i - 1] == keys[i];
            boolean after = i + 1 < size && ties[i + 1] == ties[i] && keys[i + 1] == keys[i];
            if (before || after) {
              last += before ? 0 : 1;
              expectedTies.add(last);
              expectedIds.add(ids[i]);
            }
          }
          Buffer outTies = room(4L * size);
          Buffer outIds = room(4L * size);
          Ties found =
              context
                  .sort()
                  .keepTies(context, longs(keys), ints(ties), ints(ids), size, outTies, outIds);
          assertEquals(new Ties(expectedTies.size(), last + 1), found);
          int kept = found.rows();
          assertArrayEquals(
              expectedTies.stream().mapToInt(i -> i).toArray(), context.ints(outTies, kept));
          assertArrayEquals(
              expectedIds.stream().mapToInt(i -> i).toArray(), context.ints(outIds, kept));
        }
      }
    }
  }
}
