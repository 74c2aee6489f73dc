package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.RowIds;
import org.jspecify.annotations.Nullable;

/** Candidate pairs of the rows of a probe batch and build rows, piece by piece. */
interface PairGenerator extends AutoCloseable {
  /**
   * Writes the next pairs, probe rows ascending.
   *
   * @return how many, at most {@code capacity}
   */
  int next(ExecContext context, Buffer outProbe, Buffer outBuild, int capacity);

  boolean done();

  /** A number of pairs that there are not more than in all. */
  long atMost();

  /** Whether a probe row is in at most one pair. */
  boolean atMostOne();

  /** Gives back what is kept for the pairs that have not been asked for. */
  @Override
  default void close() {}

  /** Pairs with equal words. */
  final class HashPairs implements PairGenerator {
    private final HashTable table;
    private final ProbeWords words;
    private final ProbeCursor cursor = new ProbeCursor();

    HashPairs(HashTable table, ProbeWords words) {
      this.table = table;
      this.words = words;
    }

    @Override
    public int next(ExecContext context, Buffer outProbe, Buffer outBuild, int capacity) {
      return table.probe(context, words, cursor, outProbe, outBuild, capacity);
    }

    @Override
    public boolean done() {
      return cursor.done;
    }

    @Override
    public long atMost() {
      return (long) words.count() * table.maxMultiplicity();
    }

    @Override
    public boolean atMostOne() {
      return table.unique();
    }

    @Override
    public void close() {
      cursor.close();
    }
  }

  /** Pairs of rows and the one row that has been found for each, or -1. */
  final class MatchedPairs implements PairGenerator {
    private final Buffer found;
    private final int count;
    private int from;

    MatchedPairs(Buffer found, int count) {
      this.found = found;
      this.count = count;
    }

    @Override
    public int next(ExecContext context, Buffer outProbe, Buffer outBuild, int capacity) {
      int some = Math.min(capacity, count - from);
      long mark = context.scratch().mark();
      Buffer piece = found.slice(4L * from, 4L * some);
      Buffer places = from == 0 ? outProbe : context.scratch().allocate(4L * some);
      int pairs = context.scan().selectIds(context, piece, some, true, places);
      context.gather().gatherIds(context, piece, places, pairs, outBuild);
      if (from > 0) {
        Buffer numbers = context.scratch().allocate(4L * some);
        context.scan().iota(context, numbers, from, some);
        context.gather().gatherIds(context, numbers, places, pairs, outProbe);
      }
      context.scratch().release(mark);
      from += some;
      return pairs;
    }

    @Override
    public boolean done() {
      return from == count;
    }

    @Override
    public long atMost() {
      return count;
    }

    @Override
    public boolean atMostOne() {
      return true;
    }
  }

  /**
   * The pairs of some rows of a batch.
   *
   * @param pairs whose probe rows are positions among {@code rows}
   * @param rows ascending rows of the batch
   */
  record OfRows(PairGenerator pairs, Buffer rows) implements PairGenerator {
    @Override
    public int next(ExecContext context, Buffer outProbe, Buffer outBuild, int capacity) {
      long mark = context.scratch().mark();
      Buffer positions = context.scratch().allocate(4L * capacity);
      int count = pairs.next(context, positions, outBuild, capacity);
      context.gather().gatherIds(context, rows, positions, count, outProbe);
      context.scratch().release(mark);
      return count;
    }

    @Override
    public boolean done() {
      return pairs.done();
    }

    @Override
    public long atMost() {
      return pairs.atMost();
    }

    @Override
    public boolean atMostOne() {
      return pairs.atMostOne();
    }

    @Override
    public void close() {
      pairs.close();
    }
  }

  /** Pairs with equal words, found in sorted ones. */
  final class RangePairs implements PairGenerator {
    private final KeyIndex.SortedIndex index;
    private final int count;
    private final Buffer firsts;
    private final Buffer sums;
    private final long total;
    private long from;

    RangePairs(ExecContext context, KeyIndex.SortedIndex index, Buffer words, int count) {
      this.index = index;
      this.count = count;
      firsts = context.scratch().allocate(count * 4L);
      sums = context.scratch().allocate((count + 1L) * 8);
      long mark = context.scratch().mark();
      Buffer counts = context.scratch().allocate(count * 4L);
      context
          .sort()
          .matchSorted(context, index.words(), index.rows(), words, count, firsts, counts);
      total = context.scan().exclusiveSum(context, counts, count, sums);
      context.scratch().release(mark);
    }

    @Override
    public int next(ExecContext context, Buffer outProbe, Buffer outBuild, int capacity) {
      int pairs = (int) Math.min(capacity, total - from);
      RowIds ids = index.ids();
      if (pairs > 0) {
        long mark = context.scratch().mark();
        Buffer places = ids == null ? outBuild : context.scratch().allocate(pairs * 4L);
        context.scan().expandRanges(context, sums, firsts, count, from, pairs, outProbe, places);
        if (ids != null) {
          context.gather().gatherIds(context, ids.ids(), places, pairs, outBuild);
        }
        context.scratch().release(mark);
      }
      from += pairs;
      return pairs;
    }

    @Override
    public boolean done() {
      return from == total;
    }

    @Override
    public long atMost() {
      return total;
    }

    @Override
    public boolean atMostOne() {
      return index.unique();
    }
  }

  /** All pairs of some probe rows and some build rows. */
  final class Cross implements PairGenerator {
    private final @Nullable Buffer probeRows;
    private final int probeCount;
    private final @Nullable Buffer buildRows;
    private final int buildCount;
    private final Buffer sums;
    private final long total;
    private long from;

    /**
     * @param probeRows rows of the batch; null: 0 to {@code probeCount - 1}
     * @param buildRows build rows; null: 0 to {@code buildCount - 1}
     */
    Cross(
        ExecContext context,
        @Nullable Buffer probeRows,
        int probeCount,
        @Nullable Buffer buildRows,
        int buildCount) {
      this.probeRows = probeRows;
      this.probeCount = probeCount;
      this.buildRows = buildRows;
      this.buildCount = buildCount;
      Buffer counts = context.scratch().allocate(probeCount * 4L);
      context.scan().fill(context, counts, 4, buildCount, probeCount);
      sums = context.scratch().allocate((probeCount + 1L) * 8);
      total = context.scan().exclusiveSum(context, counts, probeCount, sums);
    }

    @Override
    public int next(ExecContext context, Buffer outProbe, Buffer outBuild, int capacity) {
      int count = (int) Math.min(capacity, total - from);
      if (count == 0) {
        return 0;
      }
      Buffer probe = probeRows == null ? outProbe : context.scratch().allocate(count * 4L);
      Buffer build = buildRows == null ? outBuild : context.scratch().allocate(count * 4L);
      context.scan().expand(context, sums, probeCount, from, count, probe, build);
      if (probeRows != null) {
        context.gather().gatherIds(context, probeRows, probe, count, outProbe);
      }
      if (buildRows != null) {
        context.gather().gatherIds(context, buildRows, build, count, outBuild);
      }
      from += count;
      return count;
    }

    @Override
    public boolean done() {
      return from == total;
    }

    @Override
    public long atMost() {
      return total;
    }

    @Override
    public boolean atMostOne() {
      return buildCount <= 1;
    }
  }
}
