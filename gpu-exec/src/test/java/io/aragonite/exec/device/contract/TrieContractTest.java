package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.TrieBound;
import io.aragonite.exec.device.TrieInput;
import io.aragonite.exec.device.TrieStep;
import io.aragonite.exec.device.TrieWeight;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** trieLevel, trieStarts, trieRanges, trieMatch, trieCount. */
class TrieContractTest extends Contract {
  /** A side as arrays: below node n are values[starts[n]] to values[starts[n + 1]]. */
  private record Level(
      TrieInput side, int[] parents, int[] values, int[] nodes, int @Nullable [] rows) {
    int low(int binding) {
      return parents.length == 0 ? 0 : parents[nodes[binding]];
    }

    int high(int binding) {
      return parents.length == 0 ? values.length : parents[nodes[binding] + 1];
    }

    int rowsAt(int position) {
      return rows == null ? 1 : rows[position];
    }

    /** Where a binding has a value; -1 if it has not. */
    int find(int binding, int value) {
      for (int p = low(binding); p < high(binding); p++) {
        if (values[p] == value && rowsAt(p) > 0) {
          return p;
        }
      }
      return -1;
    }
  }

  private final List<Buffer> buffers = new ArrayList<>();

  TrieContractTest(Device device) {
    super(device);
  }

  private Buffer keep(Buffer buffer) {
    buffers.add(buffer);
    return buffer;
  }

  private void free() {
    buffers.forEach(context.memory()::free);
    buffers.clear();
  }

  @Test
  void levelsAreRunsOfWords() {
    for (int size : new int[] {0, 1, 2, 63, 1000, 5000}) {
      long[] words = new long[size];
      for (int i = 0; i < size; i++) {
        words[i] = random.nextLong(1 + size * 3L) << 7 | random.nextInt(1 << 7);
      }
      Arrays.sort(words);
      for (int shift : new int[] {0, 7, 20}) {
        level(words, shift, 5 + random.nextInt(20), random.nextInt(100) - 50);
      }
      int places = 1 + random.nextInt(4000);
      Buffer starts = keep(room(4L * places + 4));
      context.trie().starts(context, keep(longs(words)), size, 7, places, starts);
      int[] found = context.ints(starts, places + 1);
      for (int i = 0; i <= places; i++) {
        int place = i;
        assertEquals(Arrays.stream(words).filter(w -> w >>> 7 < place).count(), found[i]);
      }
      free();
    }
  }

  private void level(long[] words, int shift, int bits, int min) {
    int size = words.length;
    Buffer rest = keep(room(8L * size));
    Buffer values = keep(room(4L * size));
    Buffer starts = keep(room(4L * size + 4));
    int runs =
        context
            .trie()
            .level(context, keep(longs(words)), size, shift, bits, min, rest, values, starts);
    long[] expected = Arrays.stream(words).map(w -> w >>> shift).distinct().toArray();
    assertArrayEquals(expected, context.longs(rest, runs));
    int[] value = context.ints(values, runs);
    int[] start = context.ints(starts, runs + 1);
    for (int i = 0; i < runs; i++) {
      assertEquals((int) (expected[i] & (1L << bits) - 1) + min, value[i]);
      assertEquals(expected[i], words[start[i]] >>> shift);
      assertEquals(i == 0 ? 0 : start[i], start[i]);
    }
    assertEquals(size, start[runs]);
    free();
  }

  @Test
  void valuesOfAllSides() {
    for (int round = 0; round < (LIGHT ? 8 : 60); round++) {
      int bindings = round % 10 == 0 ? 1 : 1 + random.nextInt(300);
      int domain = 1 + random.nextInt(60);
      int min = round % 7 == 0 ? Integer.MIN_VALUE : random.nextInt(40) - 20;
      List<Level> sides = new ArrayList<>();
      int count = 1 + random.nextInt(5);
      for (int s = 0; s < count; s++) {
        sides.add(side(bindings, domain, min));
      }
      List<TrieBound> bounds = new ArrayList<>();
      List<int[]> others = new ArrayList<>();
      for (int b = random.nextInt(3); b > 0; b--) {
        int[] other = new int[bindings];
        Arrays.setAll(other, i -> min + random.nextInt(domain));
        others.add(other);
        TrieBound.BoundKind kind = TrieBound.BoundKind.values()[random.nextInt(5)];
        bounds.add(new TrieBound(kind, keep(context.ints(other))));
      }
      check(sides, bounds, others, bindings);
      free();
    }
  }

  private void check(List<Level> sides, List<TrieBound> bounds, List<int[]> others, int bindings) {
    TrieStep step = new TrieStep(sides.stream().map(Level::side).toList(), bounds, bindings);
    Buffer chosen = keep(room(4L * bindings));
    Buffer firsts = keep(room(4L * bindings));
    Buffer counts = keep(room(4L * bindings));
    Buffer sums = keep(room(8L * bindings + 8));
    context.trie().ranges(context, step, chosen, firsts, counts);
    long total = context.scan().exclusiveSum(context, counts, bindings, sums);
    List<List<Integer>> expected = new ArrayList<>();
    long[] expectedCounts = new long[bindings];
    int[] weights = new int[51];
    for (int i = 1; i < weights.length; i++) {
      weights[i] = weights[i - 1] + random.nextInt(4);
    }
    int[] weighed = new int[bindings];
    Arrays.setAll(weighed, i -> random.nextInt(50));
    for (int i = 0; i < bindings; i++) {
      for (int p = sides.get(0).low(i); p < sides.get(0).high(i); p++) {
        int value = sides.get(0).values[p];
        List<Integer> found = new ArrayList<>(List.of(i, value));
        long rows = 1;
        boolean all = allowed(bounds, others, i, value);
        for (Level side : sides) {
          int at = side.find(i, value);
          all &= at >= 0;
          found.add(at);
          rows *= at >= 0 && side.side.counted() ? side.rowsAt(at) : 1;
        }
        if (all) {
          expected.add(found);
          expectedCounts[i] += rows;
        }
      }
      expectedCounts[i] *= weights[weighed[i] + 1] - weights[weighed[i]];
    }
    List<List<Integer>> found = new ArrayList<>();
    long from = 0;
    while (from < total) {
      int some = (int) Math.min(total - from, 1 + random.nextInt(700));
      match(step, chosen, firsts, sums, from, some, found);
      from += some;
    }
    assertEquals(sorted(expected), sorted(found));
    Buffer out = keep(room(8L * bindings));
    TrieWeight weight =
        new TrieWeight(keep(context.ints(weights)), 50, keep(context.ints(weighed)));
    context.trie().count(context, step, List.of(weight), out);
    assertArrayEquals(expectedCounts, context.longs(out, bindings));
  }

  private void match(
      TrieStep step,
      Buffer chosen,
      Buffer firsts,
      Buffer sums,
      long from,
      int some,
      List<List<Integer>> found) {
    Buffer rows = keep(room(4L * some));
    Buffer values = keep(room(4L * some));
    List<@Nullable Buffer> positions = new ArrayList<>();
    for (TrieInput side : step.sides()) {
      positions.add(keep(room(4L * some)));
    }
    int count =
        context
            .trie()
            .match(context, step, chosen, firsts, sums, from, some, rows, positions, values);
    int[] row = context.ints(rows, count);
    int[] value = context.ints(values, count);
    List<int[]> at = new ArrayList<>();
    for (Buffer position : positions) {
      at.add(context.ints(Objects.requireNonNull(position), count));
    }
    for (int i = 0; i < count; i++) {
      List<Integer> one = new ArrayList<>(List.of(row[i], value[i]));
      for (int[] position : at) {
        one.add(position[i]);
      }
      found.add(one);
    }
    // What is not wanted is not written.
    List<@Nullable Buffer> none = new ArrayList<>();
    step.sides().forEach(side -> none.add(null));
    assertEquals(
        count,
        context.trie().match(context, step, chosen, firsts, sums, from, some, rows, none, null));
  }

  private static List<String> sorted(List<List<Integer>> rows) {
    return rows.stream().map(Object::toString).sorted().toList();
  }

  private static boolean allowed(
      List<TrieBound> bounds, List<int[]> others, int binding, int value) {
    for (int b = 0; b < bounds.size(); b++) {
      int other = others.get(b)[binding];
      boolean holds =
          switch (bounds.get(b).kind()) {
            case GREATER -> value > other;
            case GREATER_OR_EQUAL -> value >= other;
            case LESS -> value < other;
            case LESS_OR_EQUAL -> value <= other;
            case DIFFERENT -> value != other;
          };
      if (!holds) {
        return false;
      }
    }
    return true;
  }

  private Level side(int bindings, int domain, int min) {
    boolean first = random.nextInt(4) == 0;
    boolean dense = first && random.nextBoolean();
    int parentSize = first ? 1 : 1 + random.nextInt(30);
    int[] parents = new int[parentSize + 1];
    List<Integer> all = new ArrayList<>();
    for (int n = 0; n < parentSize; n++) {
      TreeSet<Integer> below = new TreeSet<>();
      for (int i = random.nextInt(random.nextBoolean() ? 4 : 40); i > 0; i--) {
        below.add(min + random.nextInt(domain));
      }
      all.addAll(below);
      parents[n + 1] = all.size();
    }
    if (dense) {
      all.clear();
      for (int i = 0; i < domain; i++) {
        all.add(min + i);
      }
    }
    int[] values = all.stream().mapToInt(i -> i).toArray();
    int[] nodes = new int[bindings];
    int[] rows = new int[values.length];
    int[] starts = new int[values.length + 1];
    boolean counted = random.nextBoolean();
    boolean known = dense || counted;
    for (int i = 0; i < rows.length; i++) {
      rows[i] = dense ? random.nextInt(3) : 1 + random.nextInt(3);
      starts[i + 1] = starts[i] + rows[i];
    }
    Arrays.setAll(nodes, i -> random.nextInt(parentSize));
    TrieInput side =
        new TrieInput(
            dense ? null : keep(context.ints(values)),
            min,
            values.length,
            first ? null : keep(context.ints(parents)),
            parentSize,
            first ? null : keep(context.ints(nodes)),
            known ? keep(context.ints(starts)) : null,
            counted);
    return new Level(side, first ? new int[0] : parents, values, nodes, known ? rows : null);
  }

  /** Few long lists that many bindings have, beside short ones: each value is looked up often. */
  @Test
  void longListsOfManyBindings() {
    for (int round = 0; round < (LIGHT ? 3 : 8); round++) {
      int domain = round % 2 == 0 ? 6_000 : 3_000_000;
      int min =
          round % 3 == 0
              ? Integer.MIN_VALUE
              : round % 3 == 1 ? -2_000_000 : Integer.MAX_VALUE - domain;
      int bindings = 1 + random.nextInt(round == 0 ? 1 : 4000);
      List<Level> sides = new ArrayList<>();
      for (int s = 0; s < 2 + round % 3; s++) {
        sides.add(skewed(bindings, domain, min));
      }
      int[] other = new int[bindings];
      Arrays.setAll(other, i -> min + random.nextInt(domain));
      List<TrieBound> bounds =
          round < 2
              ? List.of()
              : List.of(new TrieBound(TrieBound.BoundKind.LESS, keep(context.ints(other))));
      TrieStep step = new TrieStep(sides.stream().map(Level::side).toList(), bounds, bindings);
      long[] expected = new long[bindings];
      for (int i = 0; i < bindings; i++) {
        for (int p = sides.get(0).low(i); p < sides.get(0).high(i); p++) {
          int value = sides.get(0).values[p];
          boolean all = bounds.isEmpty() || value < other[i];
          for (int s = 1; s < sides.size() && all; s++) {
            Level side = sides.get(s);
            all = Arrays.binarySearch(side.values, side.low(i), side.high(i), value) >= 0;
          }
          expected[i] += all ? 1 : 0;
        }
      }
      Buffer out = keep(room(8L * bindings));
      context.trie().count(context, step, List.of(), out);
      assertArrayEquals(expected, context.longs(out, bindings));
      free();
    }
  }

  private Level skewed(int bindings, int domain, int min) {
    int nodes = 1 + random.nextInt(60);
    int[] parents = new int[nodes + 1];
    List<Integer> all = new ArrayList<>();
    for (int n = 0; n < nodes; n++) {
      TreeSet<Integer> below = new TreeSet<>();
      int most = n % 8 == 0 ? 4000 : n % 8 == 1 ? 600 : n % 2 == 0 ? 90 : 5;
      for (int i = random.nextInt(most); i > 0; i--) {
        // Many small values, as hubs have small numbers, and a few large ones.
        int reach = random.nextInt(4) == 0 ? domain : Math.min(domain, 8000);
        below.add(min + random.nextInt(reach));
      }
      all.addAll(below);
      parents[n + 1] = all.size();
    }
    int[] nodesOf = new int[bindings];
    Arrays.setAll(nodesOf, i -> random.nextInt(3) == 0 ? 0 : random.nextInt(nodes));
    int[] values = all.stream().mapToInt(i -> i).toArray();
    TrieInput side =
        new TrieInput(
            keep(context.ints(values)),
            min,
            values.length,
            keep(context.ints(parents)),
            nodes,
            keep(context.ints(nodesOf)),
            null,
            false);
    return new Level(side, parents, values, nodesOf, null);
  }

  /**
   * A graph whose hubs come last, or first, and have long lists: bindings are its edges, in order,
   * or in none. Some of them end at hubs, some lists have values on both sides of the hubs.
   */
  @Test
  void bindingsThatEndAtHubs() {
    for (int round = 0; round < (LIGHT ? 2 : 6); round++) {
      int nodes = 9_000 + random.nextInt(12_000);
      int min = new int[] {0, Integer.MIN_VALUE, Integer.MAX_VALUE - nodes, -5_000}[round % 4];
      BitSet[] lists = new BitSet[nodes];
      Arrays.setAll(lists, i -> new BitSet());
      int hubs = 300 + random.nextInt(600);
      for (int i = 0; i < 400_000; i++) {
        int hub = (int) (hubs * random.nextDouble() * random.nextDouble());
        int other = random.nextInt(random.nextInt(4) > 0 ? hubs : nodes);
        int a = round % 2 == 0 ? nodes - 1 - hub : hub;
        int b = round % 2 == 0 ? nodes - 1 - other : other;
        lists[a].set(b);
        lists[b].set(a);
      }
      int[] parents = new int[nodes + 1];
      for (int n = 0; n < nodes; n++) {
        parents[n + 1] = parents[n] + lists[n].cardinality();
      }
      int[] values =
          Arrays.stream(lists).flatMapToInt(BitSet::stream).map(value -> min + value).toArray();
      checkHubs(lists, parents, values, min, 2 + round % 3, round);
      free();
    }
  }

  private void checkHubs(
      BitSet[] lists, int[] parents, int[] values, int min, int sideCount, int round) {
    int bindings = 270_000 + random.nextInt(5_000);
    int[][] nodesOf = new int[sideCount][bindings];
    for (int i = 0; i < bindings; i++) {
      int first =
          round < 4 ? (int) ((long) i * lists.length / bindings) : random.nextInt(lists.length);
      BitSet list = lists[first];
      nodesOf[0][i] = first;
      for (int s = 1; s < sideCount; s++) {
        int near = list.nextSetBit(random.nextInt(lists.length));
        nodesOf[s][i] = near < 0 || random.nextInt(20) == 0 ? random.nextInt(lists.length) : near;
      }
    }
    Buffer onDevice = keep(context.ints(values));
    Buffer starts = keep(context.ints(parents));
    // A list of the same values at another address has no rows.
    Buffer copy = keep(context.ints(values));
    List<TrieInput> sides = new ArrayList<>();
    for (int s = 0; s < sideCount; s++) {
      sides.add(
          new TrieInput(
              s == 1 && round % 3 == 1 ? copy : onDevice,
              min,
              values.length,
              starts,
              lists.length,
              keep(context.ints(nodesOf[s])),
              null,
              false));
    }
    int[] other = Arrays.stream(nodesOf[sideCount - 1]).map(node -> min + node).toArray();
    List<TrieBound> bounds = new ArrayList<>();
    if (round % 5 != 3) {
      TrieBound.BoundKind kind = TrieBound.BoundKind.values()[round % 4];
      bounds.add(new TrieBound(kind, keep(context.ints(other))));
    }
    long[] expected = new long[bindings];
    for (int i = 0; i < bindings; i++) {
      BitSet common = (BitSet) lists[nodesOf[0][i]].clone();
      for (int s = 1; s < sideCount; s++) {
        common.and(lists[nodesOf[s][i]]);
      }
      int binding = i;
      expected[i] =
          bounds.isEmpty()
              ? common.cardinality()
              : common.stream()
                  .filter(v -> allowed(bounds, List.of(other), binding, min + v))
                  .count();
    }
    Buffer out = keep(room(8L * bindings));
    context.trie().count(context, new TrieStep(sides, bounds, bindings), List.of(), out);
    assertArrayEquals(expected, context.longs(out, bindings));
  }

  @Test
  void tooManyRowsAreAnError() {
    int size = 4;
    Buffer starts =
        keep(
            context.ints(
                0, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE));
    Buffer values = keep(context.ints(3, 5, 7, 9));
    TrieInput side = new TrieInput(values, 0, size, null, 0, null, starts, true);
    TrieStep step = new TrieStep(List.of(side, side, side), List.of(), 1);
    Buffer out = keep(room(8));
    AragoniteException error =
        assertThrows(
            AragoniteException.class, () -> context.trie().count(context, step, List.of(), out));
    assertEquals(ErrorCode.NUMERIC_OVERFLOW, error.code());
    free();
  }
}
