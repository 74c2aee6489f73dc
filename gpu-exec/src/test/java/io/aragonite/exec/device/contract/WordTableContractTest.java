package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionedWords;
import io.aragonite.exec.device.PerfectHashTable;
import io.aragonite.exec.device.PerfectHashTable.PartitionRuns;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.expr.KeyLayout.KeyField;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.testing.device.TestDevices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Tables over words of four bytes and of eight: hashBuild, perfectHashTable; convert and narrow.
 */
class WordTableContractTest extends Contract {
  WordTableContractTest(Device device) {
    super(device);
  }

  /** Values at the places that dense unique words say, for devices that have such a thing. */
  @Test
  void rowsByTheirWords() {
    for (int size : new int[] {1, 33, 1000, 70_000}) {
      for (int wordBytes = 4; wordBytes <= 8; wordBytes += 4) {
        for (int width = 4; width <= 8; width += 4) {
          for (int columns = 1; columns * width <= 16; columns++) {
            for (int holes = 0; holes < 2; holes++) {
              rowsByTheirWords(size, wordBytes, width, columns, holes == 1, random.nextInt(8) == 0);
            }
          }
        }
      }
    }
  }

  /** Dense words in the partitions of an order; within a partition they are in any order. */
  private record DenseWords(long[] words, PartitionFunction order, int bits, int[] starts) {}

  /**
   * @param holes whether some words between the least and the greatest are missing
   * @param again whether one is there twice
   */
  private DenseWords denseWords(int size, boolean holes, boolean again) {
    long base = random.nextInt(2_000_000) - 1_000_000L;
    long[] words = new long[size];
    long next = base;
    for (int i = 0; i < size; i++) {
      next += i > 0 && holes && random.nextInt(3) == 0 ? 2 : i > 0 ? 1 : 0;
      words[i] = next;
    }
    if (again) {
      words[1] = words[0];
    }
    PartitionFunction order = new PartitionFunction(false, base, next - base);
    int bits = 2;
    while (order.shift(bits) > 12) {
      bits++;
    }
    int[] starts = new int[(1 << bits) + 1];
    for (long word : words) {
      starts[(int) (word - base >>> order.shift(bits)) + 1]++;
    }
    for (int part = 0; part < 1 << bits; part++) {
      starts[part + 1] += starts[part];
      for (int i = starts[part + 1] - 1; i > starts[part]; i--) {
        int other = starts[part] + random.nextInt(i - starts[part] + 1);
        long word = words[i];
        words[i] = words[other];
        words[other] = word;
      }
    }
    return new DenseWords(words, order, bits, starts);
  }

  private void rowsByTheirWords(
      int size, int wordBytes, int width, int columns, boolean holes, boolean twice) {
    boolean again = twice && size > 1;
    DenseWords dense = denseWords(size, holes, again);
    PartitionFunction order = dense.order;
    int bits = dense.bits;
    Buffer words = words(dense.words, wordBytes);
    // In one piece, or in two runs, the second of which begins anywhere, added in two slices.
    int cut = random.nextInt(size + 1);
    boolean inRuns = random.nextBoolean();
    int[][] both = {
      Arrays.stream(dense.starts).map(start -> Math.min(start, cut)).toArray(),
      Arrays.stream(dense.starts).map(start -> Math.max(start, cut)).toArray()
    };
    int half = random.nextInt(1 << bits);
    List<PartitionRuns> slices = List.of(slice(both, 0, half), slice(both, half, 1 << bits));
    Buffer begins = context.ints(dense.starts);
    PartitionedWords parts = inRuns ? null : new PartitionedWords(words, begins);
    PerfectHashTable rows =
        context
            .hash()
            .perfectHashTable(context, order, bits, parts, wordBytes, size, context.memory());
    if (rows != null && inRuns) {
      slices.forEach(slice -> rows.add(context, words, slice));
    }
    int least = context.hash().directBits(context, order);
    boolean possible = order.shift(bits) >= 5 && least >= 0 && bits >= least;
    assertEquals(possible, rows != null);
    assertEquals(TestDevices.name().equals("cuda") && order.shift(1) >= 5, least >= 0);
    if (rows != null && again) {
      try (rows) {
        assertEquals(-1, rows.fetch(context, words, wordBytes, size, List.of(), width));
      }
    } else if (rows != null) {
      fetch(rows, dense, words, wordBytes, width, columns, inRuns ? slices : List.of());
    }
    context.memory().free(words);
    context.memory().free(begins);
  }

  /**
   * @param slices in which the words were added; none if they came in one piece
   */
  private void fetch(
      PerfectHashTable rows,
      DenseWords dense,
      Buffer words,
      int wordBytes,
      int width,
      int columns,
      List<PartitionRuns> slices) {
    int size = dense.words.length;
    byte[][] values = new byte[columns][size * width];
    List<Buffer> in = new ArrayList<>();
    for (byte[] column : values) {
      random.nextBytes(column);
      in.add(context.bytes(column));
    }
    long base = dense.order.base();
    long[] wanted = random.longs(size + 7, base - 3, base + dense.order.range() + 4).toArray();
    Buffer asked = words(wanted, wordBytes);
    List<Buffer> out = new ArrayList<>();
    for (int c = 0; c < columns; c++) {
      // Words without a row leave their places as they are.
      out.add(written((long) width * wanted.length));
    }
    Map<Long, Integer> rowOf = new HashMap<>();
    for (int i = 0; i < size; i++) {
      rowOf.put(dense.words[i], i);
    }
    int expected = (int) Arrays.stream(wanted).filter(rowOf::containsKey).count();
    try (rows) {
      assertEquals(
          expected, rows.fetch(context, asked, wordBytes, wanted.length, List.of(), width));
      if (!slices.isEmpty()) {
        slices.forEach(slice -> rows.fill(context, words, slice, in, width));
        // What is asked for lies in no partitions: two pieces of it.
        int third = wanted.length / 3;
        int[][] runs = {{0, third}, {third, wanted.length}};
        rows.fetch(context, asked, new PartitionRuns(runs), out, width);
        assertEquals(expected, rows.found(context));
      } else {
        rows.fill(context, words, wordBytes, size, in, width);
        assertEquals(expected, rows.fetch(context, asked, wordBytes, wanted.length, out, width));
      }
    }
    for (int c = 0; c < columns; c++) {
      checkFetched(values[c], out.get(c), width, wanted, rowOf);
    }
    in.forEach(context.memory()::free);
    out.forEach(context.memory()::free);
    context.memory().free(asked);
  }

  private void checkFetched(
      byte[] values, Buffer out, int width, long[] wanted, Map<Long, Integer> rowOf) {
    byte[] got = context.bytes(out, width * wanted.length);
    for (int i = 0; i < wanted.length; i++) {
      Integer row = rowOf.get(wanted[i]);
      if (row != null) {
        assertArrayEquals(
            Arrays.copyOfRange(values, row * width, (row + 1) * width),
            Arrays.copyOfRange(got, i * width, (i + 1) * width));
      }
    }
  }

  /** Some partitions of runs. */
  private static PartitionRuns slice(int[][] starts, int from, int end) {
    int[][] some = new int[starts.length][];
    Arrays.setAll(
        some,
        run -> {
          int[] all = new int[starts[run].length];
          Arrays.setAll(all, p -> starts[run][Math.clamp(p, from, end)]);
          return all;
        });
    return new PartitionRuns(some);
  }

  @Test
  void integersOfEveryWidth() {
    int[] widths = {1, 2, 4, 8};
    for (int count : new int[] {1, 7, 300, 5003}) {
      for (int from : widths) {
        long[] values = random.longs(count).map(value -> value >> 64 - 8 * from).toArray();
        values[0] = -1L << 8 * from - 1;
        Buffer given = room(8L * count);
        context.scan().convert(context, longs(values), 8, count, from, given);
        for (int to : widths) {
          Buffer converted = room(8L * count);
          context.scan().convert(context, given, from, count, to, converted);
          Buffer back = room(8L * count);
          context.scan().convert(context, converted, to, count, 8, back);
          int cut = 64 - 8 * Math.min(from, to);
          assertArrayEquals(
              Arrays.stream(values).map(value -> value << cut >> cut).toArray(),
              context.longs(back, count),
              from + " to " + to + " bytes, " + count + " values");
        }
      }
    }
  }

  @Test
  void keysOfPackedWords() {
    for (int count : new int[] {1, 31, 32, 33, 64, 65, 300, 5003}) {
      for (int width : new int[] {1, 2, 4, 8}) {
        int bits = Math.min(8 * width - 1, 20);
        int shift = random.nextInt(33 - bits);
        boolean mayBeNull = random.nextBoolean();
        long min = width == 8 ? -1L << 40 : -1L << bits - 1;
        KeyField key = new KeyField(min, bits, mayBeNull);
        int[] words = random.ints(count).toArray();
        words[0] &= ~((1 << bits) - 1 << shift);
        Buffer out = room((long) width * count);
        Buffer validity = mayBeNull ? room((count + 63L) / 64 * 8) : null;
        context.scan().unpack(context, ints(words), count, key, shift, width, out, validity);
        Buffer wide = room(8L * count);
        context.scan().convert(context, out, width, count, 8, wide);
        long[] actual = context.longs(wide, count);
        long[] valid = validity == null ? null : context.longs(validity, (count + 63) / 64);
        for (int i = 0; i < count; i++) {
          long part = words[i] >>> shift & (1L << bits) - 1;
          boolean isNull = mayBeNull && part == 0;
          if (valid != null) {
            assertEquals(!isNull, (valid[i >> 6] >> i & 1) != 0, "row " + i);
          }
          if (!isNull) {
            assertEquals(min + part - (mayBeNull ? 1 : 0), actual[i], width + " bytes, row " + i);
          }
        }
      }
    }
  }

  @Test
  void integersOfSignedWords() {
    long[] keys = {0, -1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE, 7, -7};
    Buffer words = longs(Arrays.stream(keys).map(key -> key ^ Long.MIN_VALUE).toArray());
    Buffer out = room(8L * keys.length);
    context.scan().narrow(context, words, keys.length, Long.MIN_VALUE, 8, out);
    assertArrayEquals(keys, context.longs(out, keys.length));
    context.scan().narrow(context, words, keys.length, Long.MIN_VALUE, 4, out);
    assertArrayEquals(
        Arrays.stream(keys).mapToInt(key -> (int) key).toArray(), context.ints(out, keys.length));
    Buffer near = longs(Arrays.stream(keys).map(key -> key - Integer.MIN_VALUE).toArray());
    context.scan().narrow(context, near, keys.length, Integer.MIN_VALUE, 4, out);
    assertArrayEquals(
        Arrays.stream(keys).mapToInt(key -> (int) key).toArray(), context.ints(out, keys.length));
  }

  @Test
  void tablesOverNarrowWords() {
    for (int size : LIGHT ? new int[] {0, 33, 1000} : new int[] {0, 1, 2, 33, 1000, 5000}) {
      for (WordKind kind : KINDS) {
        long[] build = narrowed(words(kind, size));
        long[] probe = narrowed(words(kind, Math.min(size + 1, 300)));
        for (int i = 0; i < probe.length && size > 0; i += 2) {
          probe[i] = build[random.nextInt(size)];
        }
        for (int buildBytes = 4; buildBytes <= 8; buildBytes += 4) {
          for (int probeBytes = 4; probeBytes <= 8; probeBytes += 4) {
            tables(build, buildBytes, probe, probeBytes);
          }
        }
      }
    }
  }

  private void tables(long[] build, int buildBytes, long[] probe, int probeBytes) {
    Buffer buildWords = words(build, buildBytes);
    ProbeWords probeWords = new ProbeWords(words(probe, probeBytes), probeBytes, probe.length);
    PartitionFunction order =
        context.partition().partitionFunction(context, buildWords, buildBytes, build.length);
    Map<Long, List<Integer>> rows = new TreeMap<>();
    for (int i = 0; i < build.length; i++) {
      rows.computeIfAbsent(build[i], w -> new ArrayList<>()).add(i);
    }
    try (HashTable table =
        context
            .hash()
            .build(context, buildWords, buildBytes, null, build.length, order, context.memory())) {
      assertEquals(rows.size(), table.distinct());
      Buffer found = room(4L * probe.length);
      table.lookup(context, probeWords, found);
      int[] lookedUp = context.ints(found, probe.length);
      long expected = 0;
      for (int i = 0; i < probe.length; i++) {
        List<Integer> matches = rows.getOrDefault(probe[i], List.of());
        assertTrue(matches.isEmpty() ? lookedUp[i] == -1 : matches.contains(lookedUp[i]));
        expected += matches.size();
      }
      ProbeCursor cursor = new ProbeCursor();
      int capacity = 1000;
      Buffer outProbe = room(4L * capacity);
      Buffer outBuild = room(4L * capacity);
      long pairs = 0;
      while (!cursor.done) {
        int n = table.probe(context, probeWords, cursor, outProbe, outBuild, capacity);
        int[] left = context.ints(outProbe, n);
        int[] right = context.ints(outBuild, n);
        for (int i = 0; i < n; i++) {
          assertEquals(probe[left[i]], build[right[i]]);
        }
        pairs += n;
      }
      assertEquals(expected, pairs);
      if (table.unique()) {
        fetch(table, probeWords.values(), probeBytes, lookedUp, build.length);
      }
      for (Buffer buffer : List.of(found, outProbe, outBuild)) {
        context.memory().free(buffer);
      }
    }
    context.memory().free(buildWords);
    context.memory().free(probeWords.values());
  }

  private void fetch(HashTable table, Buffer words, int wordBytes, int[] rows, int buildRows) {
    List<MovedColumn> columns = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    for (int width : random.ints(random.nextInt(11), 0, 4).map(i -> 1 << i).toArray()) {
      byte[] bytes = new byte[width * buildRows];
      random.nextBytes(bytes);
      values.add(bytes);
      Buffer out = written((long) width * rows.length);
      columns.add(new MovedColumn(context.bytes(bytes), out, width));
    }
    int expected = (int) Arrays.stream(rows).filter(row -> row >= 0).count();
    assertEquals(expected, table.fetch(context, words, wordBytes, rows.length, columns));
    for (int c = 0; c < columns.size(); c++) {
      int width = columns.get(c).width();
      byte[] out = context.bytes(columns.get(c).out(), width * rows.length);
      for (int i = 0; i < rows.length; i++) {
        if (rows[i] >= 0) {
          assertArrayEquals(
              Arrays.copyOfRange(values.get(c), rows[i] * width, (rows[i] + 1) * width),
              Arrays.copyOfRange(out, i * width, (i + 1) * width));
        }
      }
      context.memory().free(columns.get(c).in());
      context.memory().free(columns.get(c).out());
    }
  }
}
