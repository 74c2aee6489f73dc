package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.ProbeState;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.device.cuda.CudaConstants.ColumnsPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.HashFilterPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.HashPolicy;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.List;

/** Probing of hash tables. */
final class CudaHashProbe {
  private static final int THREADS = CudaHashTable.THREADS;
  private static final int TILE = CudaHashTable.TILE;
  private static final KernelFamily PROBE = KernelFamily.HASH_PROBE;

  /** Tiles that a multiprocessor should have of a probe for pairs before they grow. */
  private static final int MATCH_TILES = 8;

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

  /** See {@link io.aragonite.exec.device.HashTable#lookup}. */
  static void lookup(ExecContext context, CudaHashTable table, ProbeWords words, Buffer out) {
    CudaStream stream = CudaStream.of(context);
    int count = words.count();
    if (table.rows() == 0) {
      stream.fill(out.address(), (byte) -1, 4L * count);
      return;
    }
    Object[] rest = {words.values(), words.rows(), count, table.firstRows(stream), out};
    CudaHashFilter before = table.filter(stream, count);
    if (before != null) {
      CudaKernel kernel = stream.gpu().kernel(PROBE, narrowed("ara_hash_lookup_filtered", words));
      before.launch(stream, kernel, count, table.withMap(CudaFold.join(before.arguments(), rest)));
    } else {
      table.launch(
          stream, table.kernel(stream, PROBE, "ara_hash_lookup", words.bytes()), count, rest);
    }
  }

  private static String narrowed(String kernel, ProbeWords words) {
    return words.bytes() == Integer.BYTES ? kernel + "_4" : kernel;
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
      fetch(stream, table, words, wordBytes, count, counter, widths, pointers);
      if (from == 0) {
        matches = (int) stream.readLong(counter.address());
      }
    }
    scratch.release(mark);
    return matches;
  }

  /**
   * Of unique words: the rows' values of up to eight columns, and in {@code matches}, which starts
   * at 0, how many words have a row.
   *
   * @param pointers addresses of the columns, then of where they go
   */
  private static void fetch(
      CudaStream stream,
      CudaHashTable table,
      Buffer words,
      int wordBytes,
      int count,
      Buffer matches,
      long widths,
      long[] pointers) {
    Object[] rest = new Object[4 + pointers.length];
    rest[0] = words;
    rest[1] = count;
    rest[2] = matches;
    rest[3] = widths;
    for (int i = 0; i < pointers.length; i++) {
      rest[4 + i] = pointers[i];
    }
    table.launch(
        stream,
        table.kernel(stream, KernelFamily.HASH_FETCH, "ara_hash_fetch", wordBytes),
        count,
        rest);
  }

  /**
   * The words that have an id, by the order of rows: the row if words are unique, else a number.
   *
   * @param words at least one
   * @param firstRow the number of the first
   * @param outProbe the rows that have one
   * @param outIds their ids
   * @return how many
   */
  private static int match(
      ExecContext context,
      CudaHashTable table,
      ProbeWords words,
      int firstRow,
      Buffer outProbe,
      Buffer outIds) {
    CudaHashFilter before =
        table.mostMatch() ? null : table.filter(CudaStream.of(context), words.count());
    int pairs =
        before == null
            ? matchTiles(context, table, words, firstRow, outProbe, outIds)
            : matchFiltered(context, table, before, words, firstRow, outProbe, outIds);
    table.matched(words.count(), pairs);
    return pairs;
  }

  private static int matchTiles(
      ExecContext context,
      CudaHashTable table,
      ProbeWords words,
      int firstRow,
      Buffer outProbe,
      Buffer outIds) {
    CudaStream stream = CudaStream.of(context);
    int count = words.count();
    int rounds =
        Math.clamp(count / ((long) TILE * MATCH_TILES * stream.gpu().sms()), 1, HashPolicy.ROUNDS);
    CudaLookBack pass = CudaLookBack.of(context, count, TILE * rounds);
    stream.launch(
        table.kernel(stream, PROBE, "ara_hash_match", words.bytes()),
        pass.tiles(),
        THREADS,
        0,
        table.withMap(
            words.values(),
            words.rows(),
            count,
            rounds,
            firstRow,
            outProbe,
            outIds,
            pass.states(),
            pass.result()));
    return (int) pass.await();
  }

  private static int matchFiltered(
      ExecContext context,
      CudaHashTable table,
      CudaHashFilter before,
      ProbeWords words,
      int firstRow,
      Buffer outProbe,
      Buffer outIds) {
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    int count = words.count();
    int segments = (int) CudaWords.blocks(count, HashFilterPolicy.SEGMENT);
    Buffer rows = scratch.allocate(4L * count);
    Buffer ids = scratch.allocate(4L * count);
    Buffer counts = scratch.allocate(4L * segments);
    Buffer starts = scratch.allocate(8L * (segments + 1L));
    Object[] rest = {words.values(), words.rows(), count, firstRow, rows, ids, counts};
    before.launch(
        stream,
        stream.gpu().kernel(PROBE, narrowed("ara_hash_match_filtered", words)),
        count,
        table.withMap(CudaFold.join(before.arguments(), rest)));
    int pairs = (int) context.scan().exclusiveSum(context, counts, segments, starts);
    if (pairs > 0) {
      stream.launch(
          stream.gpu().kernel(PROBE, "ara_hash_compact"),
          CudaWords.blocks(segments, THREADS),
          THREADS,
          0,
          rows,
          ids,
          counts,
          starts,
          segments,
          outProbe,
          outIds);
    }
    return pairs;
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
          match(context, table, words.slice(cursor.row, rows), cursor.row, outProbe, outBuild);
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
        stream.gpu().kernel(PROBE, "ara_hash_expand"),
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
    locate(CudaStream.of(context), table, words, matches.firsts, counts);
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
    int count = match(context, table, words, 0, matches.rows, numbers);
    matches.count = count;
    if (count > 0) {
      matches.firsts = matches.memory.allocate(4L * count);
      matches.sums = matches.memory.allocate(8L * (count + 1L));
      Buffer counts = scratch.allocate(4L * count);
      ranges(CudaStream.of(context), table, numbers, count, matches.firsts, counts);
      matches.total = context.scan().exclusiveSum(context, counts, count, matches.sums);
    }
  }

  /**
   * Of numbers that {@link #match} finds of words that are not unique: where each one's rows start
   * in the list, and how many there are.
   */
  private static void ranges(
      CudaStream stream,
      CudaHashTable table,
      Buffer numbers,
      int count,
      Buffer outFirsts,
      Buffer outCounts) {
    stream.launch(
        stream.gpu().kernel(PROBE, "ara_hash_list_ranges"),
        CudaWords.blocks(count, THREADS),
        THREADS,
        0,
        numbers,
        count,
        table.starts(),
        outFirsts,
        outCounts);
  }

  /** Of words that are not unique: where each word's rows start in the list, and their number. */
  private static void locate(
      CudaStream stream,
      CudaHashTable table,
      ProbeWords words,
      Buffer outFirsts,
      Buffer outCounts) {
    table.launch(
        stream,
        table.kernel(stream, PROBE, "ara_hash_locate", words.bytes()),
        words.count(),
        words.values(),
        words.rows(),
        words.count(),
        table.starts(),
        outFirsts,
        outCounts);
  }
}
