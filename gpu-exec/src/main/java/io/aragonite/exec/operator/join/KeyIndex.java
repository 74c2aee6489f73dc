package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.RowIds;
import org.jspecify.annotations.Nullable;

/**
 * Finds the build rows with a word: a hash table, the sorted words themselves, or, where partitions
 * have been joined already, what was found then.
 */
sealed interface KeyIndex extends AutoCloseable {
  /** Rows that take part. */
  int rows();

  /** Distinct words. */
  int distinct();

  default boolean unique() {
    return distinct() == rows();
  }

  /** For each word a row with an equal one, or -1: the same row each time. */
  void lookup(ExecContext context, ProbeWords words, Buffer outRows);

  /** All pairs of a position among {@code words} and a row with an equal word. */
  PairGenerator pairs(ExecContext context, ProbeWords words);

  /**
   * Of a word that is looked up, 4 or 8 bytes, where words may have row numbers; 0: words are in
   * order.
   */
  default int gatheredBytes() {
    return 0;
  }

  @Override
  void close();

  /**
   * A hash table of the device.
   *
   * @param bytes of a word, 4 or 8
   * @param owned whether the table is the index's to close
   */
  record HashIndex(HashTable table, int bytes, boolean owned) implements KeyIndex {
    @Override
    public int rows() {
      return table.rows();
    }

    @Override
    public int distinct() {
      return table.distinct();
    }

    @Override
    public void lookup(ExecContext context, ProbeWords words, Buffer outRows) {
      table.lookup(context, words, outRows);
    }

    @Override
    public PairGenerator pairs(ExecContext context, ProbeWords words) {
      return new PairGenerator.HashPairs(table, words);
    }

    @Override
    public int gatheredBytes() {
      return bytes;
    }

    @Override
    public void close() {
      if (owned) {
        table.close();
      }
    }
  }

  /**
   * Row numbers in place of words: of each probe row the one build row that has its word, or -1.
   *
   * @param rows the build side's, whose words are unique
   */
  record MatchedRows(int rows) implements KeyIndex {
    @Override
    public int distinct() {
      return rows;
    }

    @Override
    public void lookup(ExecContext context, ProbeWords found, Buffer outRows) {
      context.device().transfers().copy(context, found.values(), outRows, 4L * found.count());
    }

    @Override
    public PairGenerator pairs(ExecContext context, ProbeWords found) {
      return new PairGenerator.MatchedPairs(found.values(), found.count());
    }

    @Override
    public void close() {}
  }

  /**
   * Words in ascending order.
   *
   * @param memory where {@code words} and {@code ids} are given back to
   * @param ids the row of each word; null: word i is row i
   */
  record SortedIndex(QueryMemory memory, Buffer words, @Nullable RowIds ids, int rows, int distinct)
      implements KeyIndex {
    /** An index of words that ascend, which become its own, as do the ids. */
    static SortedIndex of(ExecContext context, Buffer words, @Nullable RowIds ids, int rows) {
      Buffer starts = context.memory().allocate(4L * rows + 4);
      int runs = context.sort().runLengthEncode(context, words, rows, starts);
      context.memory().free(starts);
      return new SortedIndex(context.memory(), words, ids, rows, runs);
    }

    @Override
    public void lookup(ExecContext context, ProbeWords probe, Buffer outRows) {
      Buffer needles = probe.values();
      int count = probe.count();
      long mark = context.scratch().mark();
      Buffer counts = context.scratch().allocate(4L * count);
      if (ids == null) {
        context.sort().matchSorted(context, words, rows, needles, count, outRows, counts);
      } else {
        Buffer firsts = context.scratch().allocate(4L * count);
        context.sort().matchSorted(context, words, rows, needles, count, firsts, counts);
        context.gather().gatherIds(context, ids.ids(), firsts, count, outRows);
      }
      context.scratch().release(mark);
    }

    @Override
    public PairGenerator pairs(ExecContext context, ProbeWords probe) {
      return new PairGenerator.RangePairs(context, this, probe.values(), probe.count());
    }

    @Override
    public void close() {
      memory.free(words);
      if (ids != null) {
        memory.free(ids.ids());
      }
    }
  }
}
