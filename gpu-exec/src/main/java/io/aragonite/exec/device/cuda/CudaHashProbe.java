package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.ProbeState;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.device.cuda.CudaConstants.ColumnsPolicy;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.List;

/** Probing of hash tables. */
final class CudaHashProbe {
  private static final int THREADS = CudaHashTable.THREADS;
  private static final int TILE = CudaHashTable.TILE;

  /** Columns that one probe fetches. */
  private static final int FETCHED = ColumnsPolicy.COLUMNS;

  private CudaHashProbe() {}

  /**
   * The matches of a probe batch, counted once for all pieces that they are written in: of each row
   * that may have some, where the list has them.
   */
  private static final class Matches implements ProbeState {
    private final QueryMemory memory;

    /** Rows of the batch that have a partner; EMPTY: all rows are looked at. */
    private Buffer rows = Buffer.EMPTY;

    private Buffer firsts = Buffer.EMPTY;
    private Buffer sums = Buffer.EMPTY;
    private int count;
    private long total;

    Matches(QueryMemory memory) {
      this.memory = memory;
    }

    @Override
    public void close() {
      memory.free(rows);
      memory.free(firsts);
      memory.free(sums);
    }
  }

  static int probe(
      ExecContext context,
      CudaHashTable table,
      ProbeWords words,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    if (words.count() == 0 || table.rows() == 0) {
      cursor.row = words.count();
      cursor.done = true;
      return 0;
    }
    return table.unique()
        ? probeUnique(context, table, words, cursor, outProbe, outBuild, capacity)
        : probeLists(context, table, words, cursor, outProbe, outBuild, capacity);
  }

  /** See {@link io.aragonite.exec.device.HashTable#fetch}. */
  static int fetch(
      ExecContext context,
      CudaHashTable table,
      Buffer words,
      int wordBytes,
      int count,
      List<MovedColumn> columns) {
    if (count == 0 || table.rows() == 0) {
      return 0;
    }
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    int matches = 0;
    for (int from = 0; from == 0 || from < columns.size(); from += FETCHED) {
      Buffer counter = scratch.allocate(8);
      stream.fill(counter.address(), (byte) 0, 8);
      long widths = 0;
      long[] pointers = new long[2 * FETCHED];
      for (int c = 0; c < FETCHED && from + c < columns.size(); c++) {
        MovedColumn column = columns.get(from + c);
        widths |= (long) column.width() << (8 * c);
        pointers[c] = column.in().address();
        pointers[FETCHED + c] = column.out().address();
      }
      table.fetch(stream, words, wordBytes, count, counter, widths, pointers);
      if (from == 0) {
        matches = (int) stream.readLong(counter.address());
      }
    }
    scratch.release(mark);
    return matches;
  }

  private static int probeUnique(
      ExecContext context,
      CudaHashTable table,
      ProbeWords words,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    // A row has at most one pair, so that this many rows cannot overflow the output.
    int rows = Math.min(words.count() - cursor.row, capacity);
    long mark = context.scratch().mark();
    try {
      int pairs =
          table.match(context, words.slice(cursor.row, rows), cursor.row, outProbe, outBuild);
      cursor.row += rows;
      cursor.done = cursor.row >= words.count();
      return pairs;
    } finally {
      context.scratch().release(mark);
    }
  }

  private static int probeLists(
      ExecContext context,
      CudaHashTable table,
      ProbeWords words,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    if (!(cursor.state instanceof Matches)) {
      Matches matches = new Matches(context.memory());
      cursor.state = matches;
      cursor.place = 0;
      long mark = context.scratch().mark();
      try {
        if (table.mostMatch()) {
          locateAll(context, table, words, matches);
        } else {
          locateMatching(context, table, words, matches);
        }
      } finally {
        context.scratch().release(mark);
      }
    }
    Matches matches = (Matches) cursor.state;
    int pairs = (int) Math.min(capacity, matches.total - cursor.place);
    expand(
        context,
        matches.sums,
        matches.firsts,
        table.list(),
        matches.rows,
        matches.count,
        cursor.place,
        pairs,
        outProbe,
        outBuild);
    cursor.place += pairs;
    if (cursor.place >= matches.total) {
      cursor.row = words.count();
      cursor.done = true;
      cursor.close();
    }
    return pairs;
  }

  /** The places of ranges of the rows 0 to {@code count - 1}, from the place {@code from} on. */
  static void expandRanges(
      ExecContext context,
      Buffer sums,
      Buffer firsts,
      int count,
      long from,
      int outCount,
      Buffer outRow,
      Buffer outPlace) {
    Buffer none = Buffer.EMPTY;
    expand(context, sums, firsts, none, none, count, from, outCount, outRow, outPlace);
  }

  /**
   * The pairs from position {@code from} on.
   *
   * @param list what ranges are ranges of; EMPTY: positions themselves
   * @param rows whose ranges these are; EMPTY: those of rows 0 to {@code count - 1}
   */
  private static void expand(
      ExecContext context,
      Buffer sums,
      Buffer firsts,
      Buffer list,
      Buffer rows,
      int count,
      long from,
      int pairs,
      Buffer outProbe,
      Buffer outBuild) {
    if (pairs == 0) {
      return;
    }
    CudaStream stream = CudaStream.of(context);
    stream.launch(
        stream.gpu().kernel(CudaHashTable.PROBE, "ara_hash_expand"),
        CudaWords.blocks(pairs, TILE),
        THREADS,
        0,
        sums,
        firsts,
        list,
        rows,
        count,
        from,
        pairs,
        outProbe,
        outBuild);
  }

  /** Looks for the ranges of all rows at once. */
  private static void locateAll(
      ExecContext context, CudaHashTable table, ProbeWords words, Matches matches) {
    int count = words.count();
    matches.count = count;
    matches.firsts = matches.memory.allocate(4L * count);
    matches.sums = matches.memory.allocate(8L * (count + 1L));
    Buffer counts = context.scratch().allocate(4L * count);
    table.locate(CudaStream.of(context), words, matches.firsts, counts);
    matches.total = context.scan().exclusiveSum(context, counts, count, matches.sums);
    if (matches.total <= count / 2) {
      table.matched(count, (int) matches.total);
    }
  }

  /** Looks for the rows that have partners first, which are few. */
  private static void locateMatching(
      ExecContext context, CudaHashTable table, ProbeWords words, Matches matches) {
    QueryMemory.Arena scratch = context.scratch();
    matches.rows = matches.memory.allocate(4L * words.count());
    Buffer numbers = scratch.allocate(4L * words.count());
    int count = table.match(context, words, 0, matches.rows, numbers);
    matches.count = count;
    if (count > 0) {
      matches.firsts = matches.memory.allocate(4L * count);
      matches.sums = matches.memory.allocate(8L * (count + 1L));
      Buffer counts = scratch.allocate(4L * count);
      table.ranges(CudaStream.of(context), numbers, count, matches.firsts, counts);
      matches.total = context.scan().exclusiveSum(context, counts, count, matches.sums);
    }
  }
}
