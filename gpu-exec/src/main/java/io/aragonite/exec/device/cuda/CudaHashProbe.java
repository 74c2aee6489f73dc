package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.ProbeState;
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

  /** The matches of a probe batch, counted once for all pieces that they are written in. */
  private static final class Matches implements ProbeState {
    private final QueryMemory memory;
    private final Buffer firsts;
    private final Buffer sums;
    private long total;

    Matches(QueryMemory memory, int count) {
      this.memory = memory;
      this.firsts = memory.allocate(4L * count);
      this.sums = memory.allocate(8L * (count + 1L));
    }

    @Override
    public void close() {
      memory.free(firsts);
      memory.free(sums);
    }
  }

  static int probe(
      ExecContext context,
      CudaHashTable table,
      Buffer words,
      int wordBytes,
      int count,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    if (count == 0 || table.rows() == 0) {
      cursor.row = count;
      cursor.done = true;
      return 0;
    }
    return table.unique()
        ? probeUnique(context, table, words, wordBytes, count, cursor, outProbe, outBuild, capacity)
        : probeLists(context, table, words, wordBytes, count, cursor, outProbe, outBuild, capacity);
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
      Buffer words,
      int wordBytes,
      int count,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      // A row has at most one pair, so that this many rows cannot overflow the output.
      int rows = Math.min(count - cursor.row, capacity);
      int tiles = (int) CudaWords.blocks(rows, TILE);
      Buffer found = scratch.allocate(4L * rows);
      Buffer tileCounts = scratch.allocate(4L * tiles);
      Buffer tileStarts = scratch.allocate(8L * (tiles + 1));
      Buffer some = words.slice((long) wordBytes * cursor.row, (long) wordBytes * rows);
      table.match(stream, some, wordBytes, rows, found, tileCounts);
      int pairs = (int) context.scan().exclusiveSum(context, tileCounts, tiles, tileStarts);
      table.matched(rows, pairs);
      if (pairs > 0) {
        stream.launch(
            stream.gpu().kernel(CudaHashTable.PROBE, "ara_hash_compact"),
            tiles,
            THREADS,
            0,
            found,
            rows,
            tileStarts,
            cursor.row,
            outProbe,
            outBuild);
      }
      cursor.row += rows;
      cursor.done = cursor.row >= count;
      return pairs;
    } finally {
      scratch.release(mark);
    }
  }

  private static int probeLists(
      ExecContext context,
      CudaHashTable table,
      Buffer words,
      int wordBytes,
      int count,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    if (!(cursor.state instanceof Matches)) {
      cursor.state = new Matches(context.memory(), count);
      cursor.place = 0;
      count(context, table, words, wordBytes, count, (Matches) cursor.state);
    }
    Matches matches = (Matches) cursor.state;
    int pairs = (int) Math.min(capacity, matches.total - cursor.place);
    expand(
        context,
        matches.sums,
        matches.firsts,
        table.list(),
        count,
        cursor.place,
        pairs,
        outProbe,
        outBuild);
    cursor.place += pairs;
    if (cursor.place >= matches.total) {
      cursor.row = count;
      cursor.done = true;
      cursor.close();
    }
    return pairs;
  }

  /**
   * The pairs from position {@code from} on.
   *
   * @param list what ranges are ranges of; EMPTY: positions themselves
   */
  static void expand(
      ExecContext context,
      Buffer sums,
      Buffer firsts,
      Buffer list,
      int count,
      long from,
      int pairs,
      Buffer outProbe,
      Buffer outBuild) {
    CudaStream stream = CudaStream.of(context);
    stream.launch(
        stream.gpu().kernel(CudaHashTable.PROBE, "ara_hash_expand"),
        CudaWords.blocks(pairs, TILE),
        THREADS,
        0,
        sums,
        firsts,
        list,
        count,
        from,
        pairs,
        outProbe,
        outBuild);
  }

  private static void count(
      ExecContext context,
      CudaHashTable table,
      Buffer words,
      int wordBytes,
      int count,
      Matches matches) {
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      Buffer counts = scratch.allocate(4L * count);
      table.locate(CudaStream.of(context), words, wordBytes, count, matches.firsts, counts);
      matches.total = context.scan().exclusiveSum(context, counts, count, matches.sums);
    } finally {
      scratch.release(mark);
    }
  }
}
