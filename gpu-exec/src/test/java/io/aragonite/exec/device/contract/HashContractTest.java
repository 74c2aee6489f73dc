package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.GroupTable;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** hashBuild, hashLookup, hashProbe, assignGroups. */
class HashContractTest extends Contract {
  /** So many pieces of a probe's pairs are enough to see that none is lost between two. */
  private static final int CALLS = LIGHT ? 6 : 60;

  HashContractTest(Device device) {
    super(device);
  }

  @Test
  void lookupAndProbe() {
    for (int size : SIZES) {
      for (WordKind kind : WordKind.values()) {
        long[] build = words(kind, size);
        int probeSize = size == 4097 ? 20_000 : random.nextInt(3000);
        long[] probe = words(kind, probeSize);
        for (int i = 0; i < probeSize && size > 0; i++) {
          if (random.nextInt(3) > 0) {
            probe[i] = build[random.nextInt(size)] + (random.nextInt(5) == 0 ? 1 : 0);
          }
        }
        // All pairs of one word are too many to look at.
        boolean explodes =
            kind == WordKind.EQUAL || kind == WordKind.FEW || kind == WordKind.EXTREME;
        if (explodes || kind == WordKind.ZIPF) {
          probe = Arrays.copyOf(probe, Math.min(probeSize, size > 2000 ? 5 : 60));
        }
        check(build, probe, null);
        if (size < 5000) {
          int[] rows = random.ints(size, 0, 1_000_000).toArray();
          check(build, probe, rows);
        }
      }
    }
  }

  /** Words in ascending order, which may choose where a device puts them. */
  @Test
  void lookupAndProbeOfAscendingWords() {
    LongUnaryOperator even = n -> 40 * n + random.nextInt(40);
    LongUnaryOperator repeated = n -> 1000 * (n / 3) - 7_000_000_000L;
    LongUnaryOperator heaps = n -> 1_000_000 * (n / 700) + n % 700;
    LongUnaryOperator heapOfEqual = n -> n < 100 ? 50 * n : n < 900 ? 5000 : 50 * n;
    LongUnaryOperator oneFarAway = n -> n == 0 ? Integer.MIN_VALUE : 1L << 20 | n;
    for (LongUnaryOperator word : List.of(even, repeated, heaps, heapOfEqual, oneFarAway)) {
      for (int size : new int[] {1, 3, 64, 1025, 9000}) {
        long[] build = LongStream.range(0, size).map(word).sorted().toArray();
        long spread = Math.max(1, build[size - 1] - build[0]);
        long[] probe =
            random
                .ints(2500, 0, 3 * size)
                .mapToLong(n -> n < size ? build[n] : build[0] + random.nextLong(-5, spread + 5))
                .toArray();
        probe[7] = Long.MAX_VALUE;
        probe[8] = Long.MIN_VALUE;
        probe[9] = -1;
        check(build, probe, null);
        check(build, probe, random.ints(size, 0, 1_000_000).sorted().toArray());
      }
    }
  }

  /**
   * Words of 4 bytes, whose distances to the least one need not fit 31 bits, nor 32 with a sign.
   */
  @Test
  void lookupAndProbeOfWordsOfFourBytes() {
    int size = 3000;
    LongUnaryOperator even = n -> 40 * n + random.nextInt(40);
    LongUnaryOperator repeated = n -> 50 * (n / 3);
    LongUnaryOperator wide = n -> n * 1_400_000 + random.nextInt(1000);
    for (LongUnaryOperator word : List.of(even, repeated, wide)) {
      for (long base :
          new long[] {
            Integer.MIN_VALUE, -60_000, 0, Integer.MAX_VALUE - 50L * size, 5_000_000_000L
          }) {
        boolean inReach = base <= Integer.MAX_VALUE;
        long first = inReach ? Math.min(base, Integer.MAX_VALUE - word.applyAsLong(size)) : base;
        long[] ascending =
            LongStream.range(0, size).map(n -> first + word.applyAsLong(n)).toArray();
        int[] probe = random.ints(2500).toArray();
        for (int i = 10; i < 1500; i++) {
          probe[i] = (int) (ascending[random.nextInt(size)] + random.nextInt(2));
        }
        System.arraycopy(
            new int[] {Integer.MAX_VALUE, Integer.MIN_VALUE, -1, 0, (int) first - 1},
            0,
            probe,
            0,
            5);
        Arrays.sort(ascending);
        checkFourBytes(ascending, probe);
        checkFourBytes(
            IntStream.range(0, size).mapToLong(n -> ascending[size - 1 - n]).toArray(), probe);
      }
    }
  }

  private void checkFourBytes(long[] build, int[] probe) {
    Map<Long, List<Integer>> expected = new HashMap<>();
    for (int i = 0; i < build.length; i++) {
      expected.computeIfAbsent(build[i], w -> new ArrayList<>()).add(i);
    }
    long[] wanted = Arrays.stream(probe).asLongStream().toArray();
    try (HashTable table =
        context.hash().build(context, longs(build), null, build.length, context.memory())) {
      ProbeWords words = new ProbeWords(ints(probe), Integer.BYTES, probe.length);
      checkLookup(table, expected, wanted, words);
      checkPairs(table, expected, wanted, words, 1 << 20);
    }
  }

  private void check(long[] build, long[] probe, int[] rows) {
    Map<Long, List<Integer>> expected = new HashMap<>();
    for (int i = 0; i < build.length; i++) {
      expected.computeIfAbsent(build[i], w -> new ArrayList<>()).add(rows == null ? i : rows[i]);
    }
    int most = expected.values().stream().mapToInt(List::size).max().orElse(0);
    RowIds ids = rows == null ? null : context.rowIds(false, rows);
    long before = context.memory().used();
    try (HashTable table =
        context.hash().build(context, longs(build), ids, build.length, context.memory())) {
      assertEquals(build.length, table.rows());
      assertEquals(expected.size(), table.distinct());
      assertEquals(most, table.maxMultiplicity());
      assertEquals(most <= 1, table.unique());
      ProbeWords words = new ProbeWords(longs(probe), Long.BYTES, probe.length);
      checkLookup(table, expected, probe, words);
      HashTable copy = copy(table);
      checkLookup(copy, expected, probe, scattered(probe));
      assertEquals(most <= 1, copy.unique());
      long[] few = beginning(expected, probe, 1000);
      checkPairs(copy, expected, few, words, 1 << 10);
      for (int capacity : new int[] {1, 7, 1000, 1 << 20}) {
        // A call for a few pairs costs a GPU as much as one for thousands.
        if (capacity >= 1000 || build.length < (capacity == 1 ? 100 : 5000)) {
          checkPairs(
              table,
              expected,
              beginning(expected, probe, (long) CALLS * capacity),
              capacity == 1000 ? scattered(probe) : words,
              capacity);
        }
      }
    }
    context.memory().used();
    assertTrue(before <= context.memory().used());
  }

  /** The table in copies of its buffers, or itself if it has none. */
  private HashTable copy(HashTable table) {
    List<Buffer> buffers = table.buffers(context);
    if (buffers == null) {
      return table;
    }
    List<Buffer> copies = new ArrayList<>();
    for (Buffer buffer : buffers) {
      Buffer copy = room(buffer.size());
      context.device().transfers().copy(context, buffer, copy, buffer.size());
      copies.add(copy);
    }
    return table.over(copies);
  }

  /** Words among others, whose rows are given. */
  private ProbeWords scattered(long[] words) {
    long[] values = random.longs(2L * words.length + 1).toArray();
    int[] rows = new int[words.length];
    for (int i = 0; i < words.length; i++) {
      rows[i] = 2 * i + random.nextInt(2);
      values[rows[i]] = words[i];
    }
    return new ProbeWords(longs(values), Long.BYTES, ints(rows), words.length);
  }

  private void checkLookup(
      HashTable table, Map<Long, List<Integer>> expected, long[] probe, ProbeWords words) {
    Buffer found = room(4L * probe.length);
    table.lookup(context, words, found);
    int[] lookedUp = context.ints(found, probe.length);
    for (int i = 0; i < probe.length; i++) {
      List<Integer> matches = expected.getOrDefault(probe[i], List.of());
      if (matches.isEmpty()) {
        assertEquals(-1, lookedUp[i]);
      } else {
        assertTrue(matches.contains(lookedUp[i]));
      }
    }
  }

  /** The first probe rows that have no more pairs than {@code most}, nor are more; one at least. */
  private static long[] beginning(Map<Long, List<Integer>> expected, long[] probe, long most) {
    int rows = 0;
    for (long pairs = 0; rows < probe.length; rows++) {
      pairs += Math.max(1, expected.getOrDefault(probe[rows], List.of()).size());
      if (rows > 0 && pairs > most) {
        break;
      }
    }
    return Arrays.copyOf(probe, rows);
  }

  private void checkPairs(
      HashTable table,
      Map<Long, List<Integer>> expected,
      long[] probe,
      ProbeWords words,
      int capacity) {
    ProbeCursor cursor = new ProbeCursor();
    Buffer outProbe = room(4L * capacity);
    Buffer outBuild = room(4L * capacity);
    Map<Integer, List<Integer>> pairs = new HashMap<>();
    int last = 0;
    while (!cursor.done) {
      int n =
          table.probe(context, words.slice(0, probe.length), cursor, outProbe, outBuild, capacity);
      assertTrue(n <= capacity);
      int[] probeRows = context.ints(outProbe, n);
      int[] buildRows = context.ints(outBuild, n);
      for (int i = 0; i < n; i++) {
        assertTrue(probeRows[i] >= last, "probe rows ascend");
        last = probeRows[i];
        pairs.computeIfAbsent(probeRows[i], r -> new ArrayList<>()).add(buildRows[i]);
      }
    }
    for (int i = 0; i < probe.length; i++) {
      List<Integer> actual = pairs.getOrDefault(i, new ArrayList<>());
      List<Integer> wanted = expected.getOrDefault(probe[i], List.of());
      assertEquals(wanted.stream().sorted().toList(), actual.stream().sorted().toList());
    }
    context.memory().free(outProbe);
    context.memory().free(outBuild);
  }

  /** So many that devices may bring equal words together in another way than for few rows. */
  @Test
  void manyRowsWithDuplicates() {
    int size = (LIGHT ? 1 << 17 : 1 << 20) + 77;
    int distinct = size / 4;
    int[] numbers = random.ints(size, 0, distinct).toArray();
    int[] rows = random.ints(size, 0, 1 << 30).toArray();
    checkMany(numbers, distinct, n -> n - 1000L, null);
    checkMany(numbers, distinct, n -> 50L * n, rows);
    checkMany(numbers, distinct, n -> 100_003L * n, null);
    // Any bits, with the word that is all ones.
    checkMany(numbers, distinct, n -> n * 0x9E3779B97F4A7C15L - 1, rows);
    // A range and row numbers that do not fit a word together, but the range and the count do.
    checkMany(numbers, distinct, n -> ((long) n << 22) - (1L << 40), rows);
    int[] ascending = Arrays.stream(numbers).sorted().toArray();
    checkMany(ascending, distinct, n -> 50L * n - 1000, null);
    checkMany(ascending, distinct, n -> 1_000_000L * (n / 1000) + n % 1000, rows);
    // Only the last rows have words that others have.
    int[] late = IntStream.range(0, size).toArray();
    Arrays.fill(late, size - 10, size, 5);
    checkMany(late, size, n -> 50L * n, null);
  }

  /** Among many words that lie evenly, some that lie close: each is found. */
  @Test
  void fewWordsInHeapsAmongMany() {
    int size = LIGHT ? 9000 : 1_200_000;
    for (int heap : new int[] {190, 240, 300, 1000}) {
      long[] build = LongStream.range(0, size).map(n -> 1000 * n).toArray();
      for (int i = 0; i < heap; i++) {
        build[size / 2 + i] = build[size / 2] + i;
      }
      try (HashTable table =
          context.hash().build(context, longs(build), null, size, context.memory())) {
        assertTrue(table.unique());
        Buffer found = room(4L * size);
        table.lookup(context, longs(build), size, found);
        assertArrayEquals(IntStream.range(0, size).toArray(), context.ints(found, size));
        context.memory().free(found);
      }
    }
  }

  private void checkMany(int[] numbers, int distinct, IntToLongFunction word, int[] rows) {
    int[] counts = new int[distinct];
    for (int number : numbers) {
      counts[number]++;
    }
    Map<Long, List<Integer>> expected = new HashMap<>();
    long[] probe = new long[2000];
    for (int i = 0; i < probe.length; i++) {
      probe[i] = word.applyAsLong(i < 20 ? i : random.nextInt(distinct + 1000)) + (i % 50) / 49;
      expected.put(probe[i], new ArrayList<>());
    }
    long[] build = new long[numbers.length];
    for (int i = 0; i < build.length; i++) {
      build[i] = word.applyAsLong(numbers[i]);
      List<Integer> wanted = expected.get(build[i]);
      if (wanted != null) {
        wanted.add(rows == null ? i : rows[i]);
      }
    }
    RowIds ids = rows == null ? null : context.rowIds(false, rows);
    ProbeWords words = new ProbeWords(longs(probe), Long.BYTES, probe.length);
    try (HashTable table =
        context.hash().build(context, longs(build), ids, build.length, context.memory())) {
      assertEquals(Arrays.stream(counts).filter(count -> count > 0).count(), table.distinct());
      assertEquals(Arrays.stream(counts).max().orElseThrow(), table.maxMultiplicity());
      checkPairs(table, expected, probe, words, 1 << 16);
    }
  }

  @Test
  void tablesGiveTheirMemoryBack() {
    for (WordKind kind : WordKind.values()) {
      Buffer words = longs(words(kind, 1000));
      // The first time takes blocks for scratch memory, which stay.
      context.hash().build(context, words, null, 1000, context.memory()).close();
      context.aggregate().newGroupTable(context, context.memory()).close();
      long before = context.memory().used();
      context.hash().build(context, words, null, 1000, context.memory()).close();
      context.aggregate().newGroupTable(context, context.memory()).close();
      assertEquals(before, context.memory().used());
    }
  }

  @Test
  void groupsAreNumberedByFirstAppearance() {
    for (int size : SIZES) {
      for (WordKind kind : WordKind.values()) {
        // Of the same kind, or dense words first and others then: the table changes its form.
        assign(words(kind, size), words(kind, size));
        assign(words(WordKind.DENSE, size), words(kind, size));
      }
    }
  }

  /** So many that a device may foresee from the first ones how many groups there will be. */
  @Test
  void manyRowsAreNumberedWhateverTheFirstOnesPromise() {
    int size = 600_001;
    int first = 1 << 17;
    LongUnaryOperator wide = n -> n * 0x9E3779B97F4A7C15L;
    long[] different = LongStream.range(0, size).map(wide).toArray();
    long[] runs = LongStream.range(0, size).map(n -> 1000 * (n / 4)).toArray();
    long[] drawn = random.longs(size, 0, 200_000).map(wide).toArray();
    long[] soonAgain = LongStream.range(0, size).map(n -> wide.applyAsLong(n % first)).toArray();
    long[] lateNew = LongStream.range(0, size).map(n -> wide.applyAsLong(n - first)).toArray();
    Arrays.fill(lateNew, 0, first, 7);
    assign(different);
    assign(runs, drawn);
    assign(drawn, different);
    assign(lateNew);
    assign(soonAgain);
  }

  private void assign(long[]... batches) {
    Map<Long, Integer> numbers = new HashMap<>();
    try (GroupTable table = context.aggregate().newGroupTable(context, context.memory())) {
      for (long[] words : batches) {
        int[] expected = new int[words.length];
        List<Integer> newRows = new ArrayList<>();
        for (int i = 0; i < words.length; i++) {
          Integer number = numbers.get(words[i]);
          if (number == null) {
            number = numbers.size();
            numbers.put(words[i], number);
            newRows.add(i);
          }
          expected[i] = number;
        }
        Buffer groups = room(4L * words.length);
        Buffer outNew = room(4L * words.length);
        int added = table.assign(context, longs(words), words.length, groups, outNew);
        assertArrayEquals(expected, context.ints(groups, words.length));
        assertArrayEquals(newRows.stream().mapToInt(i -> i).toArray(), context.ints(outNew, added));
        assertEquals(numbers.size(), table.groups());
        context.memory().free(groups);
        context.memory().free(outNew);
      }
    }
  }
}
