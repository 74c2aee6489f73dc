package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.TrieBound;
import io.aragonite.exec.device.TrieInput;
import io.aragonite.exec.device.TrieStep;
import io.aragonite.exec.device.TrieWeight;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tries and their intersection by leapfrogging (Veldhuizen): of the sides of a binding the one with
 * the fewest values offers them, the others seek them, galloping from where they stand, and what
 * they find instead lets the first one leap.
 */
final class CpuTrie {
  /** From this ratio of two lengths on, the shorter list's values are sought in the longer one. */
  private static final int GALLOP_RATIO = 24;

  private CpuTrie() {}

  static int level(
      Buffer words,
      int count,
      int shift,
      int bits,
      int min,
      Buffer outWords,
      Buffer outValues,
      Buffer outStarts) {
    long mask = (1L << bits) - 1;
    int runs = 0;
    long last = 0;
    for (int i = 0; i < count; i++) {
      // A shift by 64 would be one by 0: all words are one run then.
      long word = shift > 63 ? 0 : Mem.getLong(words.address() + 8L * i) >>> shift;
      if (i == 0 || word != last) {
        Mem.putLong(outWords.address() + 8L * runs, word);
        Mem.putInt(outValues.address() + 4L * runs, (int) (word & mask) + min);
        Mem.putInt(outStarts.address() + 4L * runs, i);
        runs++;
        last = word;
      }
    }
    Mem.putInt(outStarts.address() + 4L * runs, count);
    return runs;
  }

  static void starts(Buffer words, int count, int shift, int size, Buffer outStarts) {
    int at = 0;
    for (int i = 0; i <= size; i++) {
      while (at < count && Mem.getLong(words.address() + 8L * at) >>> shift < i) {
        at++;
      }
      Mem.putInt(outStarts.address() + 4L * i, at);
    }
  }

  /** A side while it is worked with: addresses, 0 for what is not there, and where it stands. */
  private static final class Side {
    final long values;
    final int min;
    final int size;
    final long parents;
    final long nodes;
    final long starts;
    final boolean counted;
    int low;
    int high;

    Side(TrieInput side) {
      values = address(side.values());
      min = side.min();
      size = side.size();
      parents = address(side.parents());
      nodes = address(side.nodes());
      starts = address(side.starts());
      counted = side.counted();
    }

    private static long address(@Nullable Buffer buffer) {
      return buffer == null ? 0 : buffer.address();
    }

    /** Stands at the first value of a binding. */
    void open(int binding) {
      if (parents == 0) {
        low = 0;
        high = size;
      } else {
        long node = parents + 4L * Mem.getInt(nodes + 4L * binding);
        low = Mem.getInt(node);
        high = Mem.getInt(node + 4);
      }
    }

    int value(int position) {
      return values == 0 ? min + position : Mem.getInt(values + 4L * position);
    }

    /** Rows or children at a position; one if nobody knows of any. */
    int rows(int position) {
      long at = starts + 4L * position;
      return starts == 0 ? 1 : Mem.getInt(at + 4) - Mem.getInt(at);
    }

    /** The first position from {@code from} on, before {@code to}, with this value or more. */
    int seek(int from, int to, long value) {
      if (values == 0) {
        return (int) Math.clamp(value - min, from, Math.max(from, to));
      }
      return gallop(values, from, to, value);
    }
  }

  /** The first of {@code to - from} ascending values that is not smaller, in steps that grow. */
  static int gallop(long values, int from, int to, long value) {
    int low = from;
    int high = from;
    int step = 1;
    while (high < to && Mem.getInt(values + 4L * high) < value) {
      low = high + 1;
      high = (int) Math.min(to, (long) high + step);
      step = Math.min(step * 4, 1 << 28);
    }
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Mem.getInt(values + 4L * middle) < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static Side[] sides(TrieStep step) {
    return step.sides().stream().map(Side::new).toArray(Side[]::new);
  }

  /** Which side of a binding has the fewest values, and where those are that the bounds allow. */
  private static final class Offer {
    private final Side[] sides;
    private final TrieBound.BoundKind[] kinds;
    private final long[] others;
    int side;
    int from;
    int to;

    Offer(TrieStep step, Side[] sides) {
      this.sides = sides;
      kinds = step.bounds().stream().map(TrieBound::kind).toArray(TrieBound.BoundKind[]::new);
      others = step.bounds().stream().mapToLong(bound -> bound.values().address()).toArray();
    }

    /** Opens all sides at a binding. */
    void open(int binding) {
      side = 0;
      for (int s = 0; s < sides.length; s++) {
        sides[s].open(binding);
        if (sides[s].high - sides[s].low < sides[side].high - sides[side].low) {
          side = s;
        }
      }
      from = sides[side].low;
      to = sides[side].high;
      if (kinds.length > 0) {
        cut(binding);
      }
    }

    private void cut(int binding) {
      long least = Integer.MIN_VALUE;
      long most = Integer.MAX_VALUE;
      for (int b = 0; b < kinds.length; b++) {
        long other = Mem.getInt(others[b] + 4L * binding);
        switch (kinds[b]) {
          case GREATER -> least = Math.max(least, other + 1);
          case GREATER_OR_EQUAL -> least = Math.max(least, other);
          case LESS -> most = Math.min(most, other - 1);
          case LESS_OR_EQUAL -> most = Math.min(most, other);
          case DIFFERENT -> {}
        }
      }
      from = sides[side].seek(from, to, least);
      to = Math.max(from, sides[side].seek(from, to, most + 1));
    }
  }

  static void ranges(TrieStep step, Buffer outSides, Buffer outFirsts, Buffer outCounts) {
    Offer offer = new Offer(step, sides(step));
    for (int i = 0; i < step.bindings(); i++) {
      offer.open(i);
      Mem.putInt(outSides.address() + 4L * i, offer.side);
      Mem.putInt(outFirsts.address() + 4L * i, offer.from);
      Mem.putInt(outCounts.address() + 4L * i, offer.to - offer.from);
    }
  }

  /** The values that some bindings must not have, one a binding. */
  private static long[] different(TrieStep step) {
    return step.bounds().stream()
        .filter(bound -> bound.kind() == TrieBound.BoundKind.DIFFERENT)
        .mapToLong(bound -> bound.values().address())
        .toArray();
  }

  private static boolean isOneOf(long[] different, int binding, int value) {
    for (long values : different) {
      if (Mem.getInt(values + 4L * binding) == value) {
        return true;
      }
    }
    return false;
  }

  /** Leapfrogs through the values of one binding from a position of the side that offers them. */
  private static final class Leapfrog {
    private final Side[] sides;
    private final long[] different;
    private int chosen;
    private int binding;
    private int next;
    private int end;

    /** The positions of the value found; the side that offers it included. */
    final int[] positions;

    /** The value found. */
    int value;

    Leapfrog(TrieStep step) {
      sides = sides(step);
      different = different(step);
      positions = new int[sides.length];
    }

    void open(int bindingNumber, int side, int from, int to) {
      binding = bindingNumber;
      chosen = side;
      next = from;
      end = to;
      for (int s = 0; s < sides.length; s++) {
        if (s != side) {
          sides[s].open(bindingNumber);
        }
      }
    }

    /** Finds the next value that all have; false if there is none. */
    boolean find() {
      Side offering = sides[chosen];
      while (next < end) {
        int at = next++;
        int v = offering.value(at);
        if (different.length > 0 && isOneOf(different, binding, v) || offering.rows(at) == 0) {
          continue;
        }
        positions[chosen] = at;
        if (others(offering, v)) {
          value = v;
          return true;
        }
      }
      return false;
    }

    private boolean others(Side offering, int v) {
      for (int s = 0; s < sides.length; s++) {
        if (s == chosen) {
          continue;
        }
        Side side = sides[s];
        int found = side.seek(side.low, side.high, v);
        side.low = found;
        if (found == side.high) {
          next = end;
          return false;
        }
        int there = side.value(found);
        if (there != v) {
          next = offering.seek(next, end, there);
          return false;
        }
        if (side.rows(found) == 0) {
          return false;
        }
        positions[s] = found;
      }
      return true;
    }

    /** How often the value found counts. */
    long rows() {
      long product = 1;
      for (int s = 0; s < sides.length; s++) {
        if (sides[s].counted) {
          product = multiply(product, sides[s].rows(positions[s]));
        }
      }
      return product;
    }
  }

  static int match(
      TrieStep step,
      Buffer sides,
      Buffer firsts,
      Buffer sums,
      long from,
      int candidates,
      Buffer outBindings,
      List<@Nullable Buffer> outPositions,
      @Nullable Buffer outValues) {
    Leapfrog leapfrog = new Leapfrog(step);
    int sideCount = outPositions.size();
    long[] out = new long[sideCount];
    for (int s = 0; s < sideCount; s++) {
      Buffer positions = outPositions.get(s);
      out[s] = positions == null ? 0 : positions.address();
    }
    long end = from + candidates;
    long at = from;
    int found = 0;
    for (int row = CpuSearch.rowOf(sums.address(), step.bindings(), from); at < end; row++) {
      long begin = Mem.getLong(sums.address() + 8L * row);
      long stop = Math.min(end, Mem.getLong(sums.address() + 8L * row + 8));
      if (stop <= at) {
        continue;
      }
      int first = Mem.getInt(firsts.address() + 4L * row);
      leapfrog.open(
          row,
          Mem.getInt(sides.address() + 4L * row),
          first + (int) (at - begin),
          first + (int) (stop - begin));
      while (leapfrog.find()) {
        Mem.putInt(outBindings.address() + 4L * found, row);
        for (int s = 0; s < sideCount; s++) {
          if (out[s] != 0) {
            Mem.putInt(out[s] + 4L * found, leapfrog.positions[s]);
          }
        }
        if (outValues != null) {
          Mem.putInt(outValues.address() + 4L * found, leapfrog.value);
        }
        found++;
      }
      at = stop;
    }
    return found;
  }

  static long count(TrieStep step, List<TrieWeight> weights, Buffer outCounts) {
    Leapfrog leapfrog = new Leapfrog(step);
    Offer offer = new Offer(step, leapfrog.sides);
    boolean plain = isPlainPair(leapfrog);
    long tried = 0;
    for (int i = 0; i < step.bindings(); i++) {
      offer.open(i);
      tried += offer.to - offer.from;
      long count = 0;
      if (offer.from < offer.to) {
        if (plain) {
          Side other = leapfrog.sides[1 - offer.side];
          count =
              intersection(
                  leapfrog.sides[offer.side].values,
                  offer.from,
                  offer.to,
                  other.values,
                  other.low,
                  other.high);
        } else {
          leapfrog.open(i, offer.side, offer.from, offer.to);
          while (leapfrog.find()) {
            count = add(count, leapfrog.rows());
          }
        }
        for (TrieWeight weight : weights) {
          long node =
              weight.starts().address() + 4L * Mem.getInt(weight.nodes().address() + 4L * i);
          count = multiply(count, Mem.getInt(node + 4) - Mem.getInt(node));
        }
      }
      Mem.putLong(outCounts.address() + 8L * i, count);
    }
    return tried;
  }

  /** Whether there are two lists of values and nothing else to heed. */
  private static boolean isPlainPair(Leapfrog leapfrog) {
    if (leapfrog.sides.length != 2 || leapfrog.different.length > 0) {
      return false;
    }
    for (Side side : leapfrog.sides) {
      if (side.values == 0 || side.starts != 0) {
        return false;
      }
    }
    return true;
  }

  /** How many values two lists have in common, the shorter of which comes first. */
  static int intersection(long a, int aFrom, int aTo, long b, int bFrom, int bTo) {
    int found = 0;
    int j = bFrom;
    if ((long) (aTo - aFrom) * GALLOP_RATIO < bTo - bFrom) {
      for (int i = aFrom; i < aTo; i++) {
        int value = Mem.getInt(a + 4L * i);
        j = gallop(b, j, bTo, value);
        if (j == bTo) {
          break;
        }
        found += Mem.getInt(b + 4L * j) == value ? 1 : 0;
      }
      return found;
    }
    int i = aFrom;
    // Without branches on what is found: which list goes on is not to be predicted.
    while (i < aTo && j < bTo) {
      int left = Mem.getInt(a + 4L * i);
      int right = Mem.getInt(b + 4L * j);
      found += left == right ? 1 : 0;
      i += left <= right ? 1 : 0;
      j += right <= left ? 1 : 0;
    }
    return found;
  }

  /**
   * The values that two lists have in common.
   *
   * @param to where they go: other memory, or the beginning of the first list
   * @return how many
   */
  static int intersect(long a, int aFrom, int aTo, long b, int bFrom, int bTo, long to) {
    int found = 0;
    if ((long) (aTo - aFrom) * GALLOP_RATIO < bTo - bFrom) {
      int j = bFrom;
      for (int i = aFrom; i < aTo; i++) {
        int value = Mem.getInt(a + 4L * i);
        j = gallop(b, j, bTo, value);
        if (j == bTo) {
          break;
        }
        if (Mem.getInt(b + 4L * j) == value) {
          Mem.putInt(to + 4L * found++, value);
        }
      }
      return found;
    }
    if ((long) (bTo - bFrom) * GALLOP_RATIO < aTo - aFrom) {
      int i = aFrom;
      for (int j = bFrom; j < bTo; j++) {
        int value = Mem.getInt(b + 4L * j);
        i = gallop(a, i, aTo, value);
        if (i == aTo) {
          break;
        }
        if (Mem.getInt(a + 4L * i) == value) {
          Mem.putInt(to + 4L * found++, value);
        }
      }
      return found;
    }
    int i = aFrom;
    int j = bFrom;
    while (i < aTo && j < bTo) {
      int left = Mem.getInt(a + 4L * i);
      int right = Mem.getInt(b + 4L * j);
      Mem.putInt(to + 4L * found, left);
      found += left == right ? 1 : 0;
      i += left <= right ? 1 : 0;
      j += right <= left ? 1 : 0;
    }
    return found;
  }

  static long add(long a, long b) {
    long sum = a + b;
    if (sum < 0) {
      throw overflow();
    }
    return sum;
  }

  static long multiply(long a, long b) {
    if (Math.multiplyHigh(a, b) != 0 || a * b < 0) {
      throw overflow();
    }
    return a * b;
  }

  private static AragoniteException overflow() {
    return new AragoniteException(
        ErrorCode.NUMERIC_OVERFLOW,
        "A join has more than 2^63 - 1 rows, which COUNT(*) cannot tell; restrict it.");
  }
}
