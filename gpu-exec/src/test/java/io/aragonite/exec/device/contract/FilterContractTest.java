package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.KeyFilter;
import io.aragonite.exec.memory.Buffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** filterBuild and filterSelect. */
class FilterContractTest extends Contract {
  FilterContractTest(Device device) {
    super(device);
  }

  @Test
  void noWordIsLostAndFewPassThatShouldNot() {
    for (int size : SIZES) {
      for (WordKind kind : WordKind.values()) {
        long[] build = words(kind, size);
        long[] probe = words(kind, 1 + random.nextInt(2 * size + 1));
        for (int i = 0; i < probe.length && size > 0; i += 2 + random.nextInt(2)) {
          probe[i] = build[random.nextInt(size)];
        }
        check(build, probe);
      }
    }
  }

  @Test
  void theEndsOfTheNumbers() {
    long[] ends = {Long.MIN_VALUE, Long.MAX_VALUE, 0, -1, 1, Long.MIN_VALUE + 1};
    for (int n = 0; n <= ends.length; n++) {
      check(Arrays.copyOf(ends, n), ends);
    }
    check(new long[] {-5, 7}, new long[] {-6, -5, -4, 0, 6, 7, 8, 63, 64, -69, 71});
  }

  private void check(long[] build, long[] probe) {
    Buffer words = longs(build);
    Buffer others = longs(probe);
    Buffer out = room(4L * probe.length);
    Set<Long> known = new HashSet<>();
    Arrays.stream(build).forEach(known::add);
    try (KeyFilter filter =
        context.hash().buildFilter(context, words, build.length, context.memory())) {
      int count = filter.select(context, others, probe.length, out);
      int[] passed = context.ints(out, count);
      sameOfColumns(filter, probe, passed);
      boolean[] passes = new boolean[probe.length];
      int before = -1;
      for (int i : passed) {
        assertTrue(i > before, "positions ascend");
        passes[i] = true;
        before = i;
      }
      int wrong = 0;
      int absent = 0;
      for (int i = 0; i < probe.length; i++) {
        boolean there = known.contains(probe[i]);
        assertTrue(passes[i] || !there, "a word was lost");
        absent += there ? 0 : 1;
        wrong += passes[i] && !there ? 1 : 0;
      }
      if (filter.exact()) {
        assertEquals(0, wrong);
        assertTrue(filter.distinct() < 0 || filter.distinct() == known.size(), "distinct words");
      }
      assertTrue(absent < 200 || wrong < 0.1 * absent, wrong + " of " + absent + " pass");
    }
    for (Buffer buffer : new Buffer[] {words, others, out}) {
      context.memory().free(buffer);
    }
  }

  /** Words that are values less something, as columns have them. */
  private void sameOfColumns(KeyFilter filter, long[] words, int[] passed) {
    long zero = random.nextInt(1000) - 500;
    Buffer out = room(4L * words.length);
    Buffer wide = longs(Arrays.stream(words).map(word -> word + zero).toArray());
    int count = filter.select(context, wide, Long.BYTES, zero, words.length, out);
    if (count >= 0) {
      assertArrayEquals(passed, context.ints(out, count));
    }
    context.memory().free(wide);
    long[] sums = Arrays.stream(words).map(word -> word + zero).toArray();
    if (Arrays.stream(sums).allMatch(sum -> sum == (int) sum)) {
      Buffer narrow = ints(Arrays.stream(sums).mapToInt(sum -> (int) sum).toArray());
      int ofInts = filter.select(context, narrow, Integer.BYTES, zero, words.length, out);
      assertEquals(count, ofInts);
      if (ofInts >= 0) {
        assertArrayEquals(passed, context.ints(out, ofInts));
      }
      context.memory().free(narrow);
    }
    context.memory().free(out);
  }
}
