package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.TrieBound;
import io.aragonite.exec.device.TrieWalk;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leapfrog triejoin, depth first, by one thread. Iterators are positions in the arrays of tries;
 * the shortest list of a level offers values, the others seek them by galloping. What several lists
 * have in common is kept while only later levels change that do not lead to them: of the nodes that
 * a clique's first two have in common, each third one's own lists are cut, not the two again.
 */
final class CpuLeapfrog {
  /** How many candidates are tried between two looks at the cancel flag. */
  private static final int CHECK_EVERY = 1 << 12;

  private final ExecContext context;
  private final Level[] levels;
  private final TrieWalk.@Nullable WalkOutput output;
  private final long[] outRows;
  private final long[] outTo;
  private final int[] outCursors;

  // Cursors, by number.
  private final long[] values;
  private final int[] mins;
  private final int[] sizes;
  private final long[] parents;
  private final int[] above;
  private final long[] starts;
  private final int[] weights;
  private final int[] positions;

  private long counted;
  private int filled;
  private boolean stopped;
  private int untilCheck = CHECK_EVERY;

  /** A level while it is walked. */
  private final class Level {
    /** Cursors, and -1 for what is kept. */
    final int[] sides;

    /** The sides whose positions somebody wants. */
    final boolean[] wanted;

    final int[] bounds;
    final TrieBound.BoundKind[] kinds;
    final boolean different;
    final boolean plain;
    final int[] low;
    final int[] high;
    int value;

    /** Cursors whose common values are kept; empty if nothing is. */
    int[] kept = {};

    /** Of these, those that are not kept by {@link #base}. */
    int[] keptBeside = {};

    /** The level whose kept values these begin with, -1 if with none. */
    int base = -1;

    /** Levels whose kept values are void when this one's value changes. */
    int[] voids = {};

    boolean valid;
    Buffer common = Buffer.EMPTY;
    int commonSize;

    Level(TrieWalk walk, int number, int first, boolean[] wantedCursors) {
      TrieWalk.WalkLevel level = walk.levels().get(number);
      int[] cursors = level.cursors().stream().mapToInt(i -> i).toArray();
      int count = 0;
      for (int c : cursors) {
        count += isOld(walk, number, c, wantedCursors) ? 1 : 0;
      }
      if (count >= 2 && number > first) {
        kept = new int[count];
        sides = new int[cursors.length - count + 1];
        sides[0] = -1;
        int k = 0;
        int s = 1;
        for (int c : cursors) {
          if (isOld(walk, number, c, wantedCursors)) {
            kept[k++] = c;
          } else {
            sides[s++] = c;
          }
        }
        keptBeside = kept;
      } else {
        sides = cursors;
      }
      wanted = new boolean[sides.length];
      boolean simple = true;
      for (int s = 0; s < sides.length; s++) {
        wanted[s] = sides[s] >= 0 && wantedCursors[sides[s]];
        simple &=
            sides[s] < 0
                || values[sides[s]] != 0 && starts[sides[s]] == 0 && weights[sides[s]] == 0;
      }
      bounds = level.bounds().stream().mapToInt(TrieWalk.LevelBound::level).toArray();
      kinds =
          level.bounds().stream()
              .map(TrieWalk.LevelBound::kind)
              .toArray(TrieBound.BoundKind[]::new);
      boolean unequal = false;
      for (TrieBound.BoundKind kind : kinds) {
        unequal |= kind == TrieBound.BoundKind.DIFFERENT;
      }
      different = unequal;
      plain = simple && !unequal;
      low = new int[sides.length];
      high = new int[sides.length];
    }

    /** Whether the values below a cursor do not change with the level before this one. */
    private boolean isOld(TrieWalk walk, int number, int cursor, boolean[] wantedCursors) {
      int parent = above[cursor];
      return parent >= 0
          && walk.cursors().get(parent).boundAt() < number - 1
          && values[cursor] != 0
          && starts[cursor] == 0
          && weights[cursor] == 0
          && !wantedCursors[cursor];
    }
  }

  private CpuLeapfrog(
      ExecContext context, TrieWalk walk, int first, TrieWalk.@Nullable WalkOutput output) {
    this.context = context;
    this.output = output;
    int count = walk.cursors().size();
    values = new long[count];
    mins = new int[count];
    sizes = new int[count];
    parents = new long[count];
    above = new int[count];
    starts = new long[count];
    weights = new int[count];
    positions = new int[count];
    boolean[] wanted = new boolean[count];
    for (int c = 0; c < count; c++) {
      TrieWalk.TrieCursor cursor = walk.cursors().get(c);
      values[c] = address(cursor.values());
      mins[c] = cursor.min();
      sizes[c] = cursor.size();
      parents[c] = address(cursor.parents());
      above[c] = cursor.parent();
      starts[c] = address(cursor.starts());
      weights[c] = cursor.weight();
      wanted[c] |= weights[c] > 0;
      if (cursor.parent() >= 0) {
        wanted[cursor.parent()] = true;
      }
    }
    List<Integer> out = output == null ? List.of() : output.cursors();
    outCursors = out.stream().mapToInt(i -> i).toArray();
    outRows = new long[outCursors.length];
    outTo = new long[outCursors.length];
    for (int i = 0; i < outCursors.length && output != null; i++) {
      wanted[outCursors[i]] = true;
      outRows[i] = output.rows().get(i).address();
      outTo[i] = output.out().get(i).address();
    }
    levels = new Level[walk.levels().size()];
    for (int i = 0; i < levels.length; i++) {
      levels[i] = new Level(walk, i, first, wanted);
    }
  }

  private static long address(@Nullable Buffer buffer) {
    return buffer == null ? 0 : buffer.address();
  }

  /** Links levels whose values are kept: from {@code first} on. */
  private void link(TrieWalk walk, int first) {
    for (int i = first + 1; i < levels.length; i++) {
      Level level = levels[i];
      if (level.kept.length == 0) {
        continue;
      }
      int depends = -1;
      for (int c : level.kept) {
        depends = Math.max(depends, walk.cursors().get(above[c]).boundAt());
      }
      if (depends >= first) {
        Level binder = levels[depends];
        binder.voids = append(binder.voids, i);
      }
      for (int b = i - 1; b > first && level.base < 0; b--) {
        int[] beside = beside(level.kept, levels[b].kept);
        if (levels[b].kept.length > 0
            && beside.length == level.kept.length - levels[b].kept.length) {
          level.base = b;
          level.keptBeside = beside;
        }
      }
    }
  }

  /** The lists of one level that are not those of another. */
  private int[] beside(int[] all, int[] others) {
    int[] result = {};
    for (int c : all) {
      boolean there = false;
      for (int o : others) {
        there |= values[c] == values[o] && above[c] == above[o];
      }
      result = there ? result : append(result, c);
    }
    return result;
  }

  private static int[] append(int[] array, int value) {
    int[] longer = java.util.Arrays.copyOf(array, array.length + 1);
    longer[array.length] = value;
    return longer;
  }

  /**
   * Walks from some candidates on.
   *
   * @param output where rows go, null if they are only counted
   * @return how many rows there are
   */
  static long walk(
      ExecContext context,
      TrieWalk walk,
      TrieWalk.Start start,
      long from,
      long to,
      TrieWalk.@Nullable WalkOutput output) {
    CpuLeapfrog leapfrog = new CpuLeapfrog(context, walk, start.level(), output);
    leapfrog.link(walk, start.level());
    leapfrog.run(start, from, to);
    if (output != null && leapfrog.filled > 0) {
      output.full().take(leapfrog.filled);
    }
    return leapfrog.counted;
  }

  private void run(TrieWalk.Start start, long from, long to) {
    Level level = levels[start.level()];
    int sides = level.sides.length;
    long sums = start.sums().address();
    long at = from;
    for (int row = CpuSearch.rowOf(sums, start.bindings(), from); at < to && !stopped; row++) {
      long begin = Mem.getLong(sums + 8L * row);
      long stop = Math.min(to, Mem.getLong(sums + 8L * row + 8));
      if (stop <= at) {
        continue;
      }
      long product = 1;
      for (int c = 0; c < positions.length; c++) {
        Buffer known = start.positions().get(c);
        if (known != null) {
          positions[c] = Mem.getInt(known.address() + 4L * row);
          product = times(product, c);
        }
      }
      for (int i = 0; i < start.level(); i++) {
        Buffer known = start.values().get(i);
        if (known != null) {
          levels[i].value = Mem.getInt(known.address() + 4L * row);
        }
      }
      for (int i = start.level() + 1; i < levels.length; i++) {
        levels[i].valid = false;
      }
      for (int s = 0; s < sides; s++) {
        open(level, s);
      }
      int chosen = start.places().get(Mem.getInt(start.sides().address() + 4L * row));
      int first = Mem.getInt(start.firsts().address() + 4L * row);
      visit(
          start.level(), chosen, first + (int) (at - begin), first + (int) (stop - begin), product);
      at = stop;
    }
  }

  private void open(Level level, int side) {
    int c = level.sides[side];
    if (c < 0) {
      level.low[side] = 0;
      level.high[side] = level.commonSize;
    } else if (parents[c] == 0) {
      level.low[side] = 0;
      level.high[side] = sizes[c];
    } else {
      long node = parents[c] + 4L * positions[above[c]];
      level.low[side] = Mem.getInt(node);
      level.high[side] = Mem.getInt(node + 4);
    }
  }

  private long valuesOf(Level level, int side) {
    int c = level.sides[side];
    return c < 0 ? level.common.address() : values[c];
  }

  /** The number of rows that a cursor stands on, as often as it counts. */
  private long times(long product, int cursor) {
    long result = product;
    for (int i = weights[cursor]; i > 0; i--) {
      long at = starts[cursor] + 4L * positions[cursor];
      result = CpuTrie.multiply(result, Mem.getInt(at + 4) - Mem.getInt(at));
    }
    return result;
  }

  /** Binds a level in all ways. */
  private void level(int number, long product) {
    Level level = levels[number];
    if (level.kept.length > 0 && !level.valid) {
      keep(level);
    }
    int best = 0;
    for (int s = 0; s < level.sides.length; s++) {
      open(level, s);
      if (level.high[s] - level.low[s] < level.high[best] - level.low[best]) {
        best = s;
      }
    }
    int low = level.low[best];
    int high = level.high[best];
    if (low == high) {
      return;
    }
    if (level.bounds.length > 0) {
      long least = Integer.MIN_VALUE;
      long most = Integer.MAX_VALUE;
      for (int b = 0; b < level.bounds.length; b++) {
        long other = levels[level.bounds[b]].value;
        switch (level.kinds[b]) {
          case GREATER -> least = Math.max(least, other + 1);
          case GREATER_OR_EQUAL -> least = Math.max(least, other);
          case LESS -> most = Math.min(most, other - 1);
          case LESS_OR_EQUAL -> most = Math.min(most, other);
          case DIFFERENT -> {}
        }
      }
      low = seek(level, best, low, high, least);
      high = Math.max(low, seek(level, best, low, high, most + 1));
    }
    if (number == levels.length - 1 && output == null && level.plain && level.sides.length <= 2) {
      untilCheck -= high - low;
      count(level, best, low, high, product);
    } else if (low < high) {
      visit(number, best, low, high, product);
    }
  }

  /** Counts what one list, or two, have. */
  private void count(Level level, int best, int low, int high, long product) {
    long found = (long) high - low;
    if (level.sides.length == 2) {
      int other = 1 - best;
      found =
          CpuTrie.intersection(
              valuesOf(level, best),
              low,
              high,
              valuesOf(level, other),
              level.low[other],
              level.high[other]);
    }
    counted = CpuTrie.add(counted, product == 1 ? found : CpuTrie.multiply(product, found));
    check();
  }

  private void check() {
    if (untilCheck <= 0) {
      untilCheck = CHECK_EVERY;
      context.checkCancelled();
    }
  }

  private int seek(Level level, int side, int from, int to, long value) {
    long list = valuesOf(level, side);
    if (list == 0 && level.sides[side] >= 0) {
      return (int) Math.clamp(value - mins[level.sides[side]], from, Math.max(from, to));
    }
    return CpuTrie.gallop(list, from, to, value);
  }

  /** Tries the values of a side, and goes on with those that all have. */
  private void visit(int number, int chosen, int from, int to, long product) {
    Level level = levels[number];
    int cursor = level.sides[chosen];
    long list = valuesOf(level, chosen);
    boolean dense = cursor >= 0 && list == 0;
    int at = from;
    while (at < to && !stopped) {
      untilCheck--;
      int here = at++;
      int value = dense ? mins[cursor] + here : Mem.getInt(list + 4L * here);
      if (level.different && isOneOf(level, value) || cursor >= 0 && isBare(cursor, here)) {
        continue;
      }
      int next = others(level, chosen, value);
      if (next == FOUND) {
        if (level.wanted[chosen]) {
          positions[cursor] = here;
        }
        level.value = value;
        bound(number, level, product);
      } else if (next == NONE) {
        at = to;
      } else if (next == LEAP) {
        at = seek(level, chosen, at, to, leapTo);
      }
      check();
    }
  }

  private static final int FOUND = 0;
  private static final int NONE = 1;
  private static final int LEAP = 2;
  private static final int SKIP = 3;

  private int leapTo;

  /** Lets the other sides seek a value. */
  private int others(Level level, int chosen, int value) {
    for (int s = 0; s < level.sides.length; s++) {
      if (s == chosen) {
        continue;
      }
      int found = seek(level, s, level.low[s], level.high[s], value);
      level.low[s] = found;
      if (found == level.high[s]) {
        return NONE;
      }
      int c = level.sides[s];
      long list = valuesOf(level, s);
      int there = list == 0 ? mins[c] + found : Mem.getInt(list + 4L * found);
      if (there != value) {
        leapTo = there;
        return LEAP;
      }
      if (c >= 0 && isBare(c, found)) {
        return SKIP;
      }
      if (level.wanted[s]) {
        positions[c] = found;
      }
    }
    return FOUND;
  }

  /** Whether nothing is below a position. */
  private boolean isBare(int cursor, int position) {
    long at = starts[cursor] + 4L * position;
    return starts[cursor] != 0 && Mem.getInt(at + 4) == Mem.getInt(at);
  }

  private boolean isOneOf(Level level, int value) {
    for (int b = 0; b < level.bounds.length; b++) {
      if (level.kinds[b] == TrieBound.BoundKind.DIFFERENT
          && levels[level.bounds[b]].value == value) {
        return true;
      }
    }
    return false;
  }

  /** Goes on with a value of a level. */
  private void bound(int number, Level level, long product) {
    long rows = product;
    for (int c : level.sides) {
      if (c >= 0 && weights[c] > 0) {
        rows = times(rows, c);
      }
    }
    if (number < levels.length - 1) {
      for (int later : level.voids) {
        levels[later].valid = false;
      }
      level(number + 1, rows);
    } else if (output == null) {
      counted = CpuTrie.add(counted, rows);
    } else {
      for (int i = 0; i < outCursors.length; i++) {
        Mem.putInt(outTo[i] + 4L * filled, Mem.getInt(outRows[i] + 4L * positions[outCursors[i]]));
      }
      counted++;
      if (++filled == output.capacity()) {
        stopped = !output.full().take(filled);
        filled = 0;
      }
    }
  }

  /** Finds what the kept lists of a level have in common. */
  private void keep(Level level) {
    level.valid = true;
    int[] lists = level.keptBeside;
    int begin = 0;
    long from;
    int low;
    int high;
    if (level.base >= 0) {
      Level base = levels[level.base];
      if (!base.valid) {
        keep(base);
      }
      from = base.common.address();
      low = 0;
      high = base.commonSize;
    } else {
      // The shortest list first.
      for (int i = 1; i < lists.length; i++) {
        if (length(lists[i]) < length(lists[0])) {
          int c = lists[i];
          lists[i] = lists[0];
          lists[0] = c;
        }
      }
      begin = 1;
      from = values[lists[0]];
      low = first(lists[0]);
      high = low + length(lists[0]);
    }
    room(level, high - low + 1);
    long to = level.common.address();
    int size = high - low;
    if (begin == lists.length) {
      Mem.copy(from + 4L * low, to, 4L * size);
    }
    for (int i = begin; i < lists.length; i++) {
      int c = lists[i];
      int otherLow = first(c);
      size = CpuTrie.intersect(from, low, high, values[c], otherLow, otherLow + length(c), to);
      from = to;
      low = 0;
      high = size;
    }
    level.commonSize = size;
    untilCheck -= size;
  }

  private int first(int cursor) {
    return Mem.getInt(parents[cursor] + 4L * positions[above[cursor]]);
  }

  private int length(int cursor) {
    long node = parents[cursor] + 4L * positions[above[cursor]];
    return Mem.getInt(node + 4) - Mem.getInt(node);
  }

  private void room(Level level, int size) {
    if (level.common.size() < 4L * size || level.common.size() == 0) {
      level.common =
          context.scratch().allocate(Math.max(256, 4L * Integer.highestOneBit(size) * 2));
    }
  }
}
