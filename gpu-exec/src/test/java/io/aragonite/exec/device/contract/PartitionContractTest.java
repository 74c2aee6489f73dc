package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PackedKeys;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.device.PartitionOps.SeparatePartitions;
import io.aragonite.exec.device.PartitionedWords;
import io.aragonite.exec.memory.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Partitions: partitionFunction, partitionRows, placePartitions, packed keys, and their joins. */
class PartitionContractTest extends Contract {
  PartitionContractTest(Device device) {
    super(device);
  }

  @Test
  void rowsStayTogetherAndInOrder() {
    for (int size : LIGHT ? new int[] {0, 33, 13_001} : SIZES) {
      for (WordKind kind : KINDS) {
        long[] words = words(kind, size);
        // The order is that of other words now and then: a probe side has some that the build side
        // has not.
        long[] model = random.nextInt(3) == 0 ? words(kind, 1 + random.nextInt(2000)) : words;
        int[] widths = random.ints(random.nextInt(12), 0, 4).map(i -> 1 << i).toArray();
        partition(words, model, 1 + random.nextInt(PartitionOps.PARTITION_BITS), widths, 8);
        int[] narrow = random.ints(random.nextInt(4), 0, 3).map(i -> 1 << i).toArray();
        int bits = 1 + random.nextInt(PartitionOps.PLACE_BITS);
        partition(narrowed(words), narrowed(model), bits, narrow, 4);
        partition(narrowed(words), narrowed(model), 8, new int[] {8, 4}, 4);
        partition(narrowed(words), narrowed(model), PartitionOps.PLACE_BITS, new int[] {8, 4}, 4);
        partition(narrowed(words), narrowed(model), PartitionOps.PLACE_BITS, new int[] {4}, 4);
      }
    }
  }

  private long[] read(Buffer words, int wordBytes, int count) {
    return wordBytes == 8
        ? context.longs(words, count)
        : Arrays.stream(context.ints(words, count)).mapToLong(i -> i).toArray();
  }

  private void partition(long[] words, long[] model, int bits, int[] widths, int wordBytes) {
    int count = words.length;
    Buffer modelWords = words(model, wordBytes);
    PartitionFunction order =
        context.partition().partitionFunction(context, modelWords, wordBytes, model.length);
    Buffer in = words(words, wordBytes);
    Buffer out = room((long) wordBytes * count);
    List<MovedColumn> columns = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    for (int width : widths) {
      byte[] bytes = new byte[width * count];
      random.nextBytes(bytes);
      values.add(bytes);
      columns.add(new MovedColumn(context.bytes(bytes), room((long) width * count), width));
    }
    Buffer offsets = room((4L << bits) + 4);
    context
        .partition()
        .partitionRows(context, order, bits, in, wordBytes, count, out, columns, offsets);

    int[] starts = context.ints(offsets, (1 << bits) + 1);
    assertEquals(0, starts[0]);
    assertEquals(count, starts[1 << bits]);
    long[] moved = read(out, wordBytes, count);
    Map<Long, Integer> partOf = new HashMap<>();
    for (int part = 0; part < 1 << bits; part++) {
      assertTrue(starts[part] <= starts[part + 1]);
      for (int i = starts[part]; i < starts[part + 1]; i++) {
        Integer other = partOf.putIfAbsent(moved[i], part);
        assertTrue(other == null || other == part, "equal words are in one partition");
      }
    }
    // Within a partition rows keep their order: what that makes of the input is the one answer.
    int[] next = Arrays.copyOf(starts, 1 << bits);
    int[] place = new int[count];
    for (int i = 0; i < count; i++) {
      Integer part = partOf.get(words[i]);
      place[i] = part == null ? -1 : next[part]++;
      assertTrue(place[i] >= 0 && moved[place[i]] == words[i], "each row is there");
    }
    for (int c = 0; c < widths.length; c++) {
      byte[] expected = new byte[widths[c] * count];
      for (int i = 0; i < count; i++) {
        System.arraycopy(values.get(c), i * widths[c], expected, place[i] * widths[c], widths[c]);
      }
      assertArrayEquals(expected, context.bytes(columns.get(c).out(), expected.length));
    }
    if (bits <= PartitionOps.PLACE_BITS) {
      place(order, bits, new MovedColumn(in, out, wordBytes), count, columns, starts);
    }
    for (int c = 0; c < widths.length; c++) {
      context.memory().free(columns.get(c).in());
      context.memory().free(columns.get(c).out());
    }
    for (Buffer buffer : List.of(modelWords, in, out, offsets)) {
      context.memory().free(buffer);
    }
  }

  /** Rows of each partition, which must be those between the starts. */
  private int[] sizes(
      PartitionFunction order, int bits, MovedColumn words, int count, int[] starts) {
    int parts = 1 << bits;
    Buffer counts = room(4L * parts);
    context
        .partition()
        .partitionSizes(context, order, bits, words.in(), words.width(), count, counts);
    int[] sizes = context.ints(counts, parts);
    for (int part = 0; part < parts; part++) {
      assertEquals(starts[part + 1] - starts[part], sizes[part]);
    }
    context.memory().free(counts);
    return sizes;
  }

  /** Rows come to where the caller says, in the order that {@code partitionRows} has them in. */
  private void place(
      PartitionFunction order,
      int bits,
      MovedColumn words,
      int count,
      List<MovedColumn> columns,
      int[] starts) {
    int parts = 1 << bits;
    int[] sizes = sizes(order, bits, words, count, starts);
    BitSet apart = new BitSet();
    random.ints(random.nextInt(parts + 1), 0, parts).forEach(apart::set);
    int[] places = new int[1 << PartitionOps.PLACE_BITS];
    int mains = 0;
    int asides = 0;
    // From the last partition to the first, with a gap behind each.
    for (int part = parts - 1; part >= 0; part--) {
      boolean aside = apart.get(part);
      places[part] = aside ? asides : mains;
      int rows = sizes[part] + random.nextInt(3);
      asides += aside ? rows : 0;
      mains += aside ? 0 : rows;
    }
    List<MovedColumn> all = new ArrayList<>(columns);
    all.add(words);
    List<MovedColumn> moved = new ArrayList<>();
    List<Buffer> beside = new ArrayList<>();
    for (MovedColumn column : all) {
      long width = column.width();
      // Gaps stay as they are.
      moved.add(new MovedColumn(column.in(), written(width * mains), column.width()));
      beside.add(written(width * asides));
    }
    Buffer there = ints(places);
    int last = columns.size();
    SeparatePartitions aside =
        new SeparatePartitions(apart, beside.get(last), beside.subList(0, last));
    context
        .partition()
        .placePartitions(
            context, order, bits, moved.get(last), count, moved.subList(0, last), there, aside);
    for (int i = 0; i <= last; i++) {
      int width = all.get(i).width();
      byte[] expected = context.bytes(all.get(i).out(), width * count);
      byte[] main = context.bytes(moved.get(i).out(), width * mains);
      byte[] others = context.bytes(beside.get(i), width * asides);
      for (int part = 0; part < parts; part++) {
        byte[] got = apart.get(part) ? others : main;
        assertArrayEquals(
            Arrays.copyOfRange(expected, width * starts[part], width * starts[part + 1]),
            Arrays.copyOfRange(got, width * places[part], width * (places[part] + sizes[part])));
      }
      context.memory().free(moved.get(i).out());
      context.memory().free(beside.get(i));
    }
    context.memory().free(there);
  }

  @Test
  void packedKeysComeBack() {
    for (int size : SIZES) {
      for (WordKind kind : KINDS) {
        int[] keys = Arrays.stream(words(kind, size)).mapToInt(w -> (int) w).toArray();
        packed(keys, 1 + random.nextInt(PackedKeys.SAID_BITS));
      }
    }
    for (int key : new int[] {0, -1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertEquals(key, PackedKeys.key(PackedKeys.place(key)));
    }
  }

  private void packed(int[] keys, int partBits) {
    int count = keys.length;
    Buffer in = ints(keys);
    Buffer wide = room(8L * count);
    context.partition().keyPlaces(context, in, count, Long.BYTES, wide);
    long[] places = context.longs(wide, count);
    for (int i = 0; i < count; i++) {
      assertEquals(Integer.toUnsignedLong(PackedKeys.place(keys[i])), places[i]);
    }
    Buffer narrow = room(4L * count);
    context.partition().keyPlaces(context, in, count, Integer.BYTES, narrow);
    Buffer inOrder = room(4L * count);
    Buffer groups = room((4L << PackedKeys.SAID_BITS) + 4);
    PartitionFunction order = new PartitionFunction(false, 0, 0xFFFF_FFFFL);
    context
        .partition()
        .partitionRows(
            context, order, PackedKeys.SAID_BITS, narrow, 4, count, inOrder, List.of(), groups);
    // Words of a piece that no key reaches stay as they are.
    Buffer pieces = written(PackedKeys.offset(partBits, 1 << partBits, count));
    Buffer starts = room((4L << partBits) + 4);
    context.partition().packPlaces(context, inOrder, count, groups, partBits, pieces, starts);

    int[] from = context.ints(starts, (1 << partBits) + 1);
    List<List<Integer>> expected = keysOfParts(keys, partBits);
    List<Integer> some = new ArrayList<>(List.of(0, (1 << partBits) - 1));
    random.ints(6, 0, 1 << partBits).forEach(some::add);
    assertEquals(count, from[1 << partBits]);
    for (int part : some) {
      assertEquals(expected.get(part).size(), from[part + 1] - from[part]);
      unpacked(expected.get(part), pieces, partBits, part, from[part]);
    }
    for (Buffer buffer : List.of(in, wide, narrow, inOrder, groups, pieces, starts)) {
      context.memory().free(buffer);
    }
  }

  /** The keys of each part, in the order that packing leaves them in. */
  private static List<List<Integer>> keysOfParts(int[] keys, int partBits) {
    List<List<Integer>> expected = new ArrayList<>();
    for (int part = 0; part < 1 << partBits; part++) {
      expected.add(new ArrayList<>());
    }
    int[] byGroup =
        Arrays.stream(keys)
            .boxed()
            .sorted(Comparator.comparing(key -> PackedKeys.place(key) >>> 16))
            .mapToInt(key -> key)
            .toArray();
    for (int key : byGroup) {
      expected.get(PackedKeys.place(key) >>> (Integer.SIZE - partBits)).add(key);
    }
    return expected;
  }

  /** The keys of one part come out of its piece, and out of several such pieces together. */
  private void unpacked(List<Integer> keys, Buffer pieces, int partBits, int part, int from) {
    int rows = keys.size();
    long bytes = PackedKeys.bytes(partBits, rows);
    Buffer piece = pieces.slice(PackedKeys.offset(partBits, part, from), bytes);
    int copies = 1 + random.nextInt(3);
    Buffer together = room(copies * bytes);
    List<Integer> all = new ArrayList<>();
    for (int copy = 0; copy < copies; copy++) {
      device.transfers().copy(context, piece, together.slice(copy * bytes, bytes), bytes);
      all.addAll(keys);
    }
    Buffer out = room(4L * rows * copies);
    context.partition().unpackKeys(context, together, copies, partBits, part, rows * copies, out);
    assertArrayEquals(
        all.stream().mapToInt(key -> key).toArray(), context.ints(out, rows * copies));
    context.memory().free(out);
    context.memory().free(together);
  }

  /** The point of it all: large sets of words come in parts of about the same size. */
  @Test
  void distinctWordsAreSpread() {
    for (WordKind kind : new WordKind[] {WordKind.DISTINCT, WordKind.RANDOM, WordKind.SPARSE}) {
      int count = 70_000;
      long[] words = words(kind, count);
      Buffer in = longs(words);
      PartitionFunction order = context.partition().partitionFunction(context, in, 8, count);
      Buffer offsets = room(17 * 4);
      Buffer out = room(8L * count);
      context.partition().partitionRows(context, order, 4, in, 8, count, out, List.of(), offsets);
      int[] starts = context.ints(offsets, 17);
      Set<Integer> used = new HashSet<>();
      for (int part = 0; part < 16; part++) {
        int size = starts[part + 1] - starts[part];
        assertTrue(size < count / 16 * 3, kind + ": a partition of " + size + " rows");
        if (size > 0) {
          used.add(part);
        }
      }
      assertTrue(used.size() > 8, kind + ": " + used.size() + " of 16 partitions in use");
    }
  }

  @Test
  void partitionsAreJoined() {
    for (int size : LIGHT ? new int[] {0, 33, 7000} : new int[] {0, 1, 2, 33, 1000, 5000, 40_000}) {
      for (WordKind kind : KINDS) {
        for (int wordBytes = 4; wordBytes <= 8; wordBytes += 4) {
          long[] build = words(kind, size);
          build = Arrays.stream(wordBytes == 4 ? narrowed(build) : build).distinct().toArray();
          if (build.length > 1 && random.nextInt(4) == 0) {
            build[random.nextInt(build.length - 1) + 1] = build[0];
          }
          long[] probe = words(kind, random.nextInt(2 * size + 2));
          probe = wordBytes == 4 ? narrowed(probe) : probe;
          int often = random.nextInt(5);
          for (int i = 0; i < probe.length && build.length > 0; i += 1 + often) {
            // Now and then all rows have one word: more than the pieces of a partition are long.
            probe[i] = build[kind == WordKind.RANDOM ? 0 : random.nextInt(build.length)];
          }
          join(build, probe, wordBytes, Math.max(1, size / 3000) + random.nextInt(2));
        }
      }
    }
  }

  private static boolean anyOf(long[] words, int count, long word) {
    return Arrays.stream(words, 0, count).anyMatch(w -> w == word);
  }

  /**
   * Columns of random bytes, with room for them once more; their memory is added to {@code made}.
   */
  private List<MovedColumn> randomColumns(int count, List<Buffer> made) {
    byte[] bytes = new byte[count * 8];
    random.nextBytes(bytes);
    List<MovedColumn> columns = new ArrayList<>();
    for (int width : random.ints(random.nextInt(11), 0, 4).map(i -> 1 << i).toArray()) {
      Buffer in = context.bytes(Arrays.copyOf(bytes, width * count));
      Buffer out = room((long) width * count);
      columns.add(new MovedColumn(in, out, width));
      made.addAll(List.of(in, out));
    }
    return columns;
  }

  /** Words of a side in partitions; their memory is added to {@code made}. */
  private PartitionedWords partitioned(
      Partitioning by, Buffer in, int count, List<MovedColumn> columns, List<Buffer> made) {
    Buffer out = room((long) by.wordBytes * count);
    Buffer starts = room((4L << by.bits) + 4);
    made.addAll(List.of(in, out, starts));
    context
        .partition()
        .partitionRows(context, by.order, by.bits, in, by.wordBytes, count, out, columns, starts);
    return new PartitionedWords(out, starts);
  }

  private record Partitioning(PartitionFunction order, int bits, int wordBytes) {}

  /** Both sides of a join in partitions, and what came of it. */
  private record Joined(
      PartitionedWords build,
      PartitionedWords probe,
      int wordBytes,
      int parts,
      Buffer found,
      int matches) {}

  private void join(long[] build, long[] probe, int wordBytes, int bits) {
    Buffer buildWords = words(build, wordBytes);
    PartitionFunction order =
        context.partition().partitionFunction(context, buildWords, wordBytes, build.length);
    PartitionFunction mixed = new PartitionFunction(true, order.base(), order.range());
    Partitioning by = new Partitioning(mixed, bits, wordBytes);
    List<Buffer> made = new ArrayList<>();
    List<MovedColumn> carried = randomColumns(build.length, made);
    PartitionedWords left = partitioned(by, buildWords, build.length, carried, made);
    PartitionedWords right =
        partitioned(by, words(probe, wordBytes), probe.length, List.of(), made);
    List<MovedColumn> fetched = new ArrayList<>();
    for (MovedColumn column : carried) {
      Buffer out = written((long) column.width() * probe.length);
      fetched.add(new MovedColumn(column.out(), out, column.width()));
      made.add(out);
    }
    Buffer found = room(4L * probe.length);
    made.add(found);
    int parts = random.nextInt(4) == 0 ? 1 : 1 << bits;
    Buffer rows = probe.length == 0 ? Buffer.EMPTY : found;
    int matches =
        context.hash().joinPartitions(context, parts, wordBytes, left, right, rows, fetched);
    checkJoined(build, probe, new Joined(left, right, wordBytes, parts, found, matches), fetched);
    made.forEach(context.memory()::free);
  }

  private void checkJoined(long[] build, long[] probe, Joined join, List<MovedColumn> fetched) {
    long[] left = read(join.build.words(), join.wordBytes, build.length);
    long[] right = read(join.probe.words(), join.wordBytes, probe.length);
    int buildRows = context.ints(join.build.starts(), join.parts + 1)[join.parts];
    int probeRows = context.ints(join.probe.starts(), join.parts + 1)[join.parts];
    Map<Long, Integer> rowOf = new HashMap<>();
    boolean again = false;
    for (int i = 0; i < buildRows; i++) {
      again |= rowOf.put(left[i], i) != null;
    }
    if (again) {
      // The word may be in a partition without probe rows, which a device does not look at.
      assertTrue(
          join.matches == -1 || !anyOf(right, probeRows, build[0]), "a word was there twice");
    } else if (join.matches == -1) {
      int most = context.hash().joinedPartitionRows(join.wordBytes);
      assertTrue(most > 0 && build.length > most, "refused although words are unique");
    } else {
      int expected = 0;
      int[] rows = context.ints(join.found, probeRows);
      for (int i = 0; i < probeRows; i++) {
        Integer row = rowOf.get(right[i]);
        assertEquals(row == null ? -1 : row, rows[i]);
        expected += row == null ? 0 : 1;
      }
      assertEquals(expected, join.matches);
      checkFetched(fetched, build.length, probe.length, rows);
    }
  }

  /** Values of build rows come to the probe rows that have found them. */
  private void checkFetched(List<MovedColumn> fetched, int build, int probe, int[] rows) {
    for (MovedColumn column : fetched) {
      int width = column.width();
      byte[] in = context.bytes(column.in(), width * build);
      byte[] out = context.bytes(column.out(), width * probe);
      for (int i = 0; i < rows.length; i++) {
        if (rows[i] >= 0) {
          assertArrayEquals(
              Arrays.copyOfRange(in, rows[i] * width, (rows[i] + 1) * width),
              Arrays.copyOfRange(out, i * width, (i + 1) * width));
        }
      }
    }
  }
}
