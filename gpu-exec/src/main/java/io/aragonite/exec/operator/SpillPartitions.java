package io.aragonite.exec.operator;

import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.spill.QuerySpill;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an operator's rows that memory does not hold, in the order in which they are worked
 * with. A part that does not fit is taken out, and its children come in its place.
 *
 * @param <R> the collections of a part
 */
public final class SpillPartitions<R> {
  /** Eviction priorities that the parts of an operator share. */
  private static final long SPAN = 1L << 40;

  private final QuerySpill spill;
  private final QueryMetrics.NodeMetrics metrics;
  private final int mostBits;
  private final ToLongFunction<R> bytes;
  private final Deque<SpillPartition<R>> parts = new ArrayDeque<>();

  /**
   * @param bits of the words that all rows have in common
   * @param whole whether it is not to be partitioned, whether it fits or not
   * @param turn see {@link SpillableRowCollection}
   * @param span of turns, which its children share
   */
  public record SpillPartition<R>(R rows, int bits, boolean whole, long turn, long span) {}

  /**
   * @param mostBits by which parts are made, after which a part is taken for one key
   * @param bytes of what a part must have less of than its parent; else no partitioning helps
   */
  public SpillPartitions(
      QuerySpill spill, QueryMetrics.NodeMetrics metrics, int mostBits, ToLongFunction<R> bytes) {
    this.spill = spill;
    this.metrics = metrics;
    this.mostBits = mostBits;
    this.bytes = bytes;
  }

  /** Rows that have not been partitioned, each of which is a part. */
  public void add(List<R> roots, boolean whole) {
    long span = SPAN / Math.max(1, roots.size());
    for (int i = 0; i < roots.size(); i++) {
      parts.add(new SpillPartition<>(roots.get(i), 0, whole, span * i, span));
    }
  }

  /** Takes out the next part; null: there is none. */
  public @Nullable SpillPartition<R> poll() {
    return parts.pollFirst();
  }

  /** Gives back what {@link #poll} gave. */
  public void putBack(SpillPartition<R> part) {
    parts.addFirst(part);
  }

  /** The rows of the parts to come. */
  public Iterator<R> upcoming() {
    return parts.stream().map(SpillPartition::rows).iterator();
  }

  /**
   * Begins to partition a part.
   *
   * @param writers how many threads write at once, times the collections that a child has
   */
  public Split split(SpillPartition<R> parent, int bits, int writers) {
    return new Split(parent.bits, parent.turn, parent.span, bits, writers);
  }

  /** Begins to partition rows that are still to come. */
  public Split split(int bits, int writers) {
    return new Split(0, 0, SPAN, bits, writers);
  }

  /** The children of a part, while rows are dealt out to them. */
  public final class Split {
    /** That the rows of a child have in common. */
    private final int common;

    private final long turn;
    private final long step;
    private final int bits;
    private final int writers;

    private Split(int before, long turn, long span, int bits, int writers) {
      this.common = before + bits;
      this.turn = turn;
      this.step = Math.max(1, span >> bits);
      this.bits = bits;
      this.writers = writers << bits;
    }

    /** A collection for each child. */
    public List<SpillableRowCollection> children(List<ColumnShape> shapes) {
      List<SpillableRowCollection> children = new ArrayList<>();
      for (int i = 0; i < 1 << bits; i++) {
        children.add(spill.newRowCollection(shapes, writers, turn + step * i, metrics));
      }
      return children;
    }

    /**
     * What deals rows out to {@link #children}.
     *
     * @param wordBits of a word, whose highest ones are common to all rows of the part
     */
    public Partitioner partitioner(
        List<SpillableRowCollection> children, Partitioner.PartitionWords words, int wordBits) {
      return new Partitioner(children, words, wordBits - common, bits);
    }

    /** Puts the children, whose {@code bytes} are known now, in front of all other parts. */
    public void push(IntFunction<R> child) {
      List<R> children = new ArrayList<>();
      for (int i = 0; i < 1 << bits; i++) {
        children.add(child.apply(i));
      }
      long all = children.stream().mapToLong(bytes).sum();
      List<SpillPartition<R>> made = new ArrayList<>();
      for (int i = 0; i < children.size(); i++) {
        R rows = children.get(i);
        boolean heavy = bytes.applyAsLong(rows) > all / 8 * 7;
        boolean whole = heavy || common + Partitioner.MAX_BITS > mostBits;
        made.add(new SpillPartition<>(rows, common, whole, turn + step * i, step));
      }
      Collections.reverse(made);
      made.forEach(parts::addFirst);
      metrics.figures.merge("partitions", 1L << bits, Long::sum);
    }
  }
}
