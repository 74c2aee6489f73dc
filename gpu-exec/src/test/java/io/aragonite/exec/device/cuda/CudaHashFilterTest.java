package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.testing.TestSeed;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Probes of so many rows that a filter in shared memory comes before the table. */
@Tag("gpu")
class CudaHashFilterTest {
  private static final int ROWS = 2 * CudaHashFilter.LEAST_ROWS + 1_025;

  private final Random random = TestSeed.random(getClass());

  @Test
  void noRowIsLostAndNoneComesThatShouldNot() {
    check(5_000, 1_000_000_000, 8, 20);
    check(65_536, 1_000_000_000, 4, 3);
    check(4_096, 1_000_000_000, 4, 1);
  }

  @Test
  void filtersOfManyWordsHaveFewBitsForEach() {
    check(400_000, 1_000_000_000, 4, 30);
    check(300_001, 700_000_000, 8, 7);
  }

  @Test
  void wordsOfASmallRangeHaveABitEach() {
    check(100_000, 400_000, 4, 25);
    check(70_001, 700_000, 8, 2);
  }

  /**
   * @param words of the table
   * @param largest magnitude of a word
   * @param one in so many rows has a partner, about
   */
  private void check(int words, int largest, int wordBytes, int one) {
    Map<Integer, Integer> rows = new HashMap<>();
    int[] build = new int[words];
    for (int i = 0; i < words; i++) {
      do {
        build[i] = random.nextInt(-largest, largest);
      } while (rows.putIfAbsent(build[i], i) != null);
    }
    int[] probe = new int[ROWS];
    for (int i = 0; i < ROWS; i++) {
      probe[i] =
          random.nextInt(one) == 0
              ? build[random.nextInt(words)]
              : random.nextInt(-largest - largest / 10, largest + largest / 10);
    }
    try (CudaDevice device = TestGpu.device(256L << 20);
        TestContext context = new TestContext(device);
        HashTable table =
            context
                .hash()
                .build(
                    context,
                    words(context, build, wordBytes),
                    wordBytes,
                    null,
                    words,
                    null,
                    context.memory())) {
      assertNotNull(((CudaHashTable) table).filter(CudaStream.of(context), ROWS));
      Buffer given = words(context, probe, wordBytes);
      Buffer out = context.scratch().allocate(4L * ROWS);
      table.lookup(context, new ProbeWords(given, wordBytes, ROWS), out);
      int[] found = context.ints(out, ROWS);
      int pairs = 0;
      for (int i = 0; i < ROWS; i++) {
        int wanted = rows.getOrDefault(probe[i], -1);
        assertEquals(wanted, found[i]);
        pairs += wanted >= 0 ? 1 : 0;
      }
      // Again, since the second probe knows how many rows of the first had a partner.
      for (int time = 0; time < 2; time++) {
        checkPairs(context, table, given, wordBytes, found, pairs);
      }
    }
  }

  private static void checkPairs(
      TestContext context, HashTable table, Buffer given, int wordBytes, int[] found, int pairs) {
    Buffer outProbe = context.scratch().allocate(4L * ROWS);
    Buffer outBuild = context.scratch().allocate(4L * ROWS);
    try (ProbeCursor cursor = new ProbeCursor()) {
      int count =
          table.probe(
              context, new ProbeWords(given, wordBytes, ROWS), cursor, outProbe, outBuild, ROWS);
      assertTrue(cursor.done);
      assertEquals(pairs, count);
      int[] probeRows = context.ints(outProbe, count);
      int[] buildRows = context.ints(outBuild, count);
      int before = -1;
      for (int i = 0; i < count; i++) {
        assertTrue(probeRows[i] > before, "rows ascend");
        before = probeRows[i];
        assertEquals(found[before], buildRows[i]);
      }
    }
  }

  private static Buffer words(TestContext context, int[] values, int wordBytes) {
    long bytes = (long) wordBytes * values.length;
    Buffer host = context.hostScratch().allocate(bytes);
    for (int i = 0; i < values.length; i++) {
      if (wordBytes == 4) {
        Mem.putInt(host.address() + 4L * i, values[i]);
      } else {
        Mem.putLong(host.address() + 8L * i, values[i]);
      }
    }
    Buffer words = context.scratch().allocate(bytes);
    context.device().transfers().toDevice(context, host.address(), words, bytes);
    return words;
  }
}
