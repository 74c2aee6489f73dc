package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives.GroupTable;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;

/**
 * Numbers distinct words. While words are small, absolutely or compared with the rows of a batch,
 * the table is an array addressed by the word; else it is an open-addressing table with linear
 * probing. group.cu says how entries look.
 *
 * <p>A batch is taken in by four kernels: find or insert each word, which also finds the first row
 * of each new one; tell those rows; number them in their order; and give all others the numbers.
 * The last three are left out when nothing is new. Since nobody knows how many words are new, the
 * first kernel goes ahead and gives up when the table turns out to be too small; after that the
 * table grows, with what has been inserted, and the batch begins again, which changes nothing for
 * rows that were there already.
 */
final class CudaGroupTable implements GroupTable {
  private static final String FILE = "group";
  private static final int THREADS = 256;
  private static final int TILE = 1024;

  /** As SPAN in group.cu. */
  private static final int SPAN = 4096;

  /** Entries that an array may always have (16 MiB) ... */
  private static final long DIRECT_SMALL = 1 << 22;

  /** ... and so many for each row of a batch and each group: half as much memory as the words. */
  private static final long DIRECT_FACTOR = 2;

  private static final long DIRECT_FIRST = 1 << 10;
  private static final long HASHED_FIRST = 1 << 16;

  /** A table that is too full becomes so many times larger. */
  private static final long GROWTH = 8;

  /** Slot numbers and their complements are told apart by the sign. */
  private static final long MOST_SLOTS = 1L << 30;

  /** Tables of up to so many slots (1 MiB) are read through the SMs' own caches. */
  private static final long CACHED_SLOTS = 1 << 16;

  /**
   * Rows that are taken in before the others: what is frequent has its number then, so that nothing
   * but the first kernel visits most of the others; and the SMs' caches, which each kernel begins
   * without, have no old copies of it.
   */
  private static final int FIRST_ROWS = 1 << 17;

  /** Rows of the others up to which the first kernel works before it begins anew. */
  private static final int SECOND_ROWS = 1 << 21;

  private final QueryMemory memory;
  private boolean direct;

  /** EMPTY until the first batch. */
  private Buffer table = Buffer.EMPTY;

  /** Entries or slots, a power of two; a hashed table has one more behind them. */
  private long capacity;

  private int groups;

  CudaGroupTable(QueryMemory memory) {
    this.memory = memory;
  }

  @Override
  public int groups() {
    return groups;
  }

  int assign(ExecContext context, Buffer words, int count, Buffer outGroups, Buffer outNewRows) {
    if (groups > Integer.MAX_VALUE - count) {
      throw tooMany();
    }
    if (table.address() == 0 && count > 0) {
      begin(context, words, count);
    }
    int first = count >= 4 * FIRST_ROWS ? FIRST_ROWS : count;
    int added = assign(context, words, first, 0, outGroups, outNewRows);
    if (first < count) {
      int rest = count - first;
      added +=
          assign(
              context,
              words.slice(8L * first, 8L * rest),
              rest,
              first,
              outGroups.slice(4L * first, 4L * rest),
              outNewRows.slice(4L * added, outNewRows.size() - 4L * added));
    }
    return added;
  }

  /**
   * Takes in a part of a batch.
   *
   * @param firstRow the number of its first row
   */
  private int assign(
      ExecContext context,
      Buffer words,
      int count,
      int firstRow,
      Buffer outGroups,
      Buffer outNewRows) {
    if (count == 0) {
      return 0;
    }
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      Buffer candidates = scratch.allocate((count + 31L) / 32 * 4);
      Buffer status = scratch.allocate(24);
      stream.fill(status.address(), (byte) 0, 24);
      while (true) {
        insert(stream, words, count, outGroups, candidates, status);
        long[] state = CudaWords.read(stream, status, 3);
        boolean stopped = state[0] >>> 32 != 0;
        if (!stopped) {
          return (int) state[1] == 0
              ? 0
              : number(context, count, firstRow, outGroups, outNewRows, candidates);
        }
        context.checkCancelled();
        change(stream, count, state[2]);
        // The claimed slots stay claimed.
        stream.fill(status.address() + 4, (byte) 0, 4);
        stream.fill(status.address() + 16, (byte) 0, 8);
      }
    } finally {
      scratch.release(mark);
    }
  }

  private static AragoniteException tooMany() {
    return new AragoniteException(
        ErrorCode.RESULT_TOO_LARGE, "More than 2^29 groups; group by fewer values.");
  }

  private static CudaKernel kernel(CudaStream stream, String name) {
    return stream.gpu().kernel(FILE, "ara_group_" + name);
  }

  /** Makes a table that suits the first batch. */
  private void begin(ExecContext context, Buffer words, int count) {
    CudaStream stream = CudaStream.of(context);
    long mark = context.scratch().mark();
    Buffer out = context.scratch().allocate(8);
    stream.fill(out.address(), (byte) 0, 8);
    stream.launch(
        kernel(stream, "bits"), stream.gridStride(count, THREADS), THREADS, 0, words, count, out);
    long bits = stream.readLong(out.address());
    context.scratch().release(mark);
    direct = bits >= 0 && bits < mostEntries(count);
    capacity = direct ? entriesFor(bits) : HASHED_FIRST;
    table = newTable(stream, direct, capacity);
  }

  private long mostEntries(int count) {
    return Math.min(MOST_SLOTS, Math.max(DIRECT_SMALL, DIRECT_FACTOR * ((long) groups + count)));
  }

  private static long entriesFor(long word) {
    return Math.max(DIRECT_FIRST, Long.highestOneBit(word) << 1);
  }

  private Buffer newTable(CudaStream stream, boolean isDirect, long entries) {
    Buffer buffer = memory.allocate(isDirect ? 4 * entries : 16 * (entries + 1));
    stream.fill(buffer.address(), (byte) -1, buffer.size());
    return buffer;
  }

  private void insert(
      CudaStream stream,
      Buffer words,
      int count,
      Buffer outGroups,
      Buffer candidates,
      Buffer status) {
    CudaKernel kernel = kernel(stream, direct ? "assign_direct" : "assign_hashed");
    for (int from = 0, end; from < count; from = end) {
      end = from == 0 ? Math.min(count, SECOND_ROWS) : count;
      long blocks = CudaWords.blocks(end - from, TILE);
      if (direct) {
        stream.launch(
            kernel,
            blocks,
            THREADS,
            0,
            words,
            from,
            end,
            table,
            capacity,
            outGroups,
            candidates,
            status);
      } else {
        stream.launch(
            kernel,
            blocks,
            THREADS,
            0,
            words,
            from,
            end,
            table,
            capacity - 1,
            CudaWords.shift(capacity),
            (int) room(),
            capacity <= CACHED_SLOTS ? 1 : 0,
            outGroups,
            candidates,
            status);
      }
    }
  }

  /** New slots that may be taken before the table is too full. */
  private long room() {
    long most = capacity < MOST_SLOTS ? capacity / 2 : capacity / 4 * 3;
    return Math.max(0, most - groups);
  }

  /**
   * Makes the table suit a batch that it was too small for.
   *
   * @param largest the greatest word that a direct table has no entry for, unsigned
   */
  private void change(CudaStream stream, int count, long largest) {
    Buffer old = table;
    long oldCapacity = capacity;
    if (direct && largest >= 0 && largest < mostEntries(count)) {
      capacity = entriesFor(largest);
      table = newTable(stream, true, capacity);
      stream.copy(old.address(), table.address(), 4 * oldCapacity);
    } else if (direct) {
      capacity = Math.max(HASHED_FIRST, CudaWords.powerOfTwo(4L * groups));
      table = newTable(stream, false, capacity);
      direct = false;
      move(stream, "to_hashed", old, oldCapacity, oldCapacity);
    } else {
      if (capacity >= MOST_SLOTS) {
        throw tooMany();
      }
      long enough = CudaWords.powerOfTwo(2 * ((long) groups + count));
      capacity =
          Math.min(MOST_SLOTS, Math.min(GROWTH * oldCapacity, Math.max(2 * oldCapacity, enough)));
      table = newTable(stream, false, capacity);
      move(stream, "grow", old, oldCapacity, oldCapacity + 1);
    }
    memory.free(old);
  }

  private void move(CudaStream stream, String name, Buffer old, long oldCapacity, long items) {
    stream.launch(
        kernel(stream, name),
        CudaWords.blocks(items, THREADS),
        THREADS,
        0,
        old,
        oldCapacity,
        table,
        capacity - 1,
        CudaWords.shift(capacity));
  }

  private int number(
      ExecContext context,
      int count,
      int firstRow,
      Buffer outGroups,
      Buffer outNewRows,
      Buffer candidates) {
    CudaStream stream = CudaStream.of(context);
    int spans = (int) CudaWords.blocks(count, SPAN);
    Buffer spanCounts = context.scratch().allocate(4L * spans);
    Buffer spanStarts = context.scratch().allocate(8L * (spans + 1));
    // In a slot the entry lies behind the word.
    long entries = direct ? table.address() : table.address() + 8;
    int stride = direct ? 1 : 4;
    stream.launch(
        kernel(stream, "first"),
        spans,
        THREADS,
        0,
        outGroups,
        count,
        entries,
        stride,
        candidates,
        spanCounts);
    int added =
        (int) context.device().primitives().exclusiveSum(context, spanCounts, spans, spanStarts);
    stream.launch(
        kernel(stream, "number"),
        spans,
        THREADS,
        0,
        outGroups,
        count,
        entries,
        stride,
        candidates,
        spanStarts,
        groups,
        firstRow,
        outNewRows);
    if (added < count) {
      stream.launch(
          kernel(stream, "resolve"),
          CudaWords.blocks(count, TILE),
          THREADS,
          0,
          outGroups,
          count,
          entries,
          stride);
    }
    groups += added;
    return added;
  }

  @Override
  public void close() {
    memory.free(table);
    table = Buffer.EMPTY;
  }
}
