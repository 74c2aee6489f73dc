package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;

/**
 * A segment tree over positions: partial results of aligned stretches of 2, 4, 8 ... positions, of
 * which any stretch needs about two a level. Node i has the children 2i and 2i + 1; position p is
 * leaf {@code count + p}.
 */
final class SegmentTree {
  /** Combines two rows. */
  @FunctionalInterface
  interface Ids {
    int combine(int a, int b);
  }

  /** Combines two words. */
  @FunctionalInterface
  interface WordCombiner {
    long combine(long a, long b);
  }

  private final int count;
  private final Buffer nodes;

  private SegmentTree(int count, Buffer nodes) {
    this.count = count;
    this.nodes = nodes;
  }

  static SegmentTree ids(ExecContext context, int count, IntUnaryOperator leaf, Ids combine) {
    return words(
        context, count, p -> leaf.applyAsInt(p), (a, b) -> combine.combine((int) a, (int) b));
  }

  static SegmentTree doubles(ExecContext context, int count, IntToDoubleFunction leaf) {
    return words(
        context,
        count,
        p -> Double.doubleToRawLongBits(leaf.applyAsDouble(p)),
        (a, b) ->
            Double.doubleToRawLongBits(Double.longBitsToDouble(a) + Double.longBitsToDouble(b)));
  }

  static SegmentTree words(
      ExecContext context, int count, IntToLongFunction leaf, WordCombiner combine) {
    SegmentTree tree = new SegmentTree(count, context.memory().allocate(2L * count * 8));
    for (int p = 0; p < count; p++) {
      tree.set((long) count + p, leaf.applyAsLong(p));
    }
    context.checkCancelled();
    for (long i = count - 1L; i > 0; i--) {
      tree.set(i, combine.combine(tree.get(2 * i), tree.get(2 * i + 1)));
    }
    return tree;
  }

  private long get(long node) {
    return Mem.getLong(nodes.address() + node * 8);
  }

  private void set(long node, long value) {
    Mem.putLong(nodes.address() + node * 8, value);
  }

  int ids(int from, int to, Ids combine, int neutral) {
    int result = neutral;
    for (long i = (long) from + count, j = (long) to + count; i < j; i >>= 1, j >>= 1) {
      if ((i & 1) != 0) {
        result = combine.combine(result, (int) get(i++));
      }
      if ((j & 1) != 0) {
        result = combine.combine(result, (int) get(--j));
      }
    }
    return result;
  }

  long words(int from, int to, WordCombiner combine, long neutral) {
    long result = neutral;
    for (long i = (long) from + count, j = (long) to + count; i < j; i >>= 1, j >>= 1) {
      if ((i & 1) != 0) {
        result = combine.combine(result, get(i++));
      }
      if ((j & 1) != 0) {
        result = combine.combine(result, get(--j));
      }
    }
    return result;
  }

  double sum(int from, int to) {
    double result = 0;
    for (long i = (long) from + count, j = (long) to + count; i < j; i >>= 1, j >>= 1) {
      if ((i & 1) != 0) {
        result += Double.longBitsToDouble(get(i++));
      }
      if ((j & 1) != 0) {
        result += Double.longBitsToDouble(get(--j));
      }
    }
    return result;
  }

  void free(QueryMemory memory) {
    memory.free(nodes);
  }
}
