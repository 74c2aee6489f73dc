package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.GroupTable;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.GroupSlot;
import io.aragonite.exec.device.cuda.CudaConstants.GroupStatus;
import io.aragonite.exec.device.cuda.CudaConstants.GroupTablePolicy;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Numbers distinct words. While words are small, absolutely or compared with the rows of a batch,
 * the table is an array addressed by the word; else it is an open-addressing table with linear
 * probing. agent/group_table.cuh says how entries look.
 *
 * <p>A batch is taken in by four kernels: find or insert each word, which also finds the first row
 * of each new one; tell those rows; number them in their order; and give all others the numbers.
 * The last three are left out when nothing is new. Since nobody knows how many words are new, the
 * first kernel goes ahead and gives up when the table turns out to be too small; after that the
 * table grows, with what has been inserted, and the batch begins again, which changes nothing for
 * rows that were there already. That is dear, since a GPU has a million rows under way before one
 * of them can say so: so of a large batch a first part is taken in alone, and the table made large
 * enough for what the others bring if they go on like it.
 */
final class CudaGroupTable implements GroupTable {
  private static final KernelFamily FAMILY = KernelFamily.GROUP_TABLE;
  private static final int THREADS = BlockPolicy.THREADS;
  private static final int TILE = GroupTablePolicy.TILE;
  private static final int SPAN = GroupTablePolicy.SPAN;

  /** Entries that an array may always have (16 MiB) ... */
  private static final long DIRECT_SMALL = 1 << 22;

  /** ... and so many for each row of a batch and each group: half as much memory as the words. */
  private static final long DIRECT_FACTOR = 2;

  private static final long DIRECT_FIRST = 1 << 10;
  private static final long HASHED_LEAST = 1 << 16;

  /** What others are expected to bring makes a table grow up to so many slots (256 MiB). */
  private static final long MOST_EXPECTED_SLOTS = 1 << 24;

  /** ... and to no more than one part in so many of what memory has to spare. */
  private static final long SPARE_SHARE = 8;

  private static final long SLOT_BYTES = GroupSlot.SIZEOF;

  /** A table that is too full becomes so many times larger. */
  private static final long GROWTH = 8;

  private static final long MOST_SLOTS = GroupTablePolicy.MOST_SLOTS;

  /** Slots of up to so many groups (1 MiB of sectors) are read through the SMs' own caches. */
  private static final int CACHED_GROUPS = 1 << 15;

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

  @Override
  public int assign(
      ExecContext context, Buffer words, int count, Buffer outGroups, Buffer outNewRows) {
    if (groups > Integer.MAX_VALUE - count) {
      throw tooMany();
    }
    if (table.address() == 0 && count > 0) {
      begin(context, words, count);
    }
    if (count < 4 * FIRST_ROWS) {
      return assign(context, words, count, 0, outGroups, outNewRows).all();
    }
    Added first = assign(context, words, FIRST_ROWS, 0, outGroups, outNewRows);
    int rest = count - FIRST_ROWS;
    expect(context, first.expected(rest));
    Added others =
        assign(
            context,
            words.slice(8L * FIRST_ROWS, 8L * rest),
            rest,
            FIRST_ROWS,
            outGroups.slice(4L * FIRST_ROWS, 4L * rest),
            outNewRows.slice(4L * first.all(), outNewRows.size() - 4L * first.all()));
    return first.all() + others.all();
  }

  /**
   * New groups of some rows.
   *
   * @param early those whose first row is in the first half; of a first part only
   */
  record Added(int all, int early) {
    static final Added NONE = new Added(0, 0);

    /**
     * New groups that more rows bring, from a first part of {@link #FIRST_ROWS}: if each half as
     * many rows bring fewer than those before by the same factor. It is so for values that occur
     * equally often, in any order, and (the factor being 1) for values that come in their order. Of
     * values of which some are rare it is too few.
     */
    long expected(long rows) {
      int late = all - early;
      double halves = rows / (FIRST_ROWS / 2.0);
      double factor = early == 0 ? 1 : Math.min(1, (double) late / early);
      double sum = factor == 1 ? halves : factor * (1 - Math.pow(factor, halves)) / (1 - factor);
      return (long) (late * sum);
    }
  }

  /** Makes room for so many more groups, where nobody has to give way to what may not come. */
  private void expect(ExecContext context, long more) {
    // An eighth more than expected, which leaves it to chance less often.
    long enough = Math.min(MOST_EXPECTED_SLOTS, slots((groups + more) / 8 * 9));
    long spare = ((CudaQueryMemory) context.memory()).available() / SPARE_SHARE;
    if (direct || enough <= capacity || SLOT_BYTES * (enough + 1) > spare) {
      return;
    }
    try {
      move(CudaStream.of(context), false, enough);
    } catch (AragoniteException e) {
      // Another process may have what the budget has to spare; less may do.
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
    }
  }

  /** Slots of a hashed table that so many groups leave half empty. */
  private static long slots(long groups) {
    return Math.clamp(CudaWords.powerOfTwo(2 * groups), HASHED_LEAST, MOST_SLOTS);
  }

  /**
   * Takes in a part of a batch.
   *
   * @param firstRow the number of its first row
   */
  private Added assign(
      ExecContext context,
      Buffer words,
      int count,
      int firstRow,
      Buffer outGroups,
      Buffer outNewRows) {
    if (count == 0) {
      return Added.NONE;
    }
    CudaStream stream = CudaStream.of(context);
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      Buffer candidates = scratch.allocate((count + 31L) / 32 * 4);
      Buffer status = scratch.allocate(GroupStatus.SIZEOF);
      stream.fill(status.address(), (byte) 0, GroupStatus.SIZEOF);
      while (true) {
        insert(stream, words, count, outGroups, candidates, status);
        BatchStatus state = BatchStatus.read(stream, status);
        if (!state.stopped()) {
          return !state.pending()
              ? Added.NONE
              : number(context, count, firstRow, outGroups, outNewRows, candidates);
        }
        context.checkCancelled();
        change(context, words, count);
        // The claimed slots stay claimed.
        stream.fill(status.address() + GroupStatus.STOP, (byte) 0, Integer.BYTES);
      }
    } finally {
      scratch.release(mark);
    }
  }

  /**
   * What a kernel says of a batch.
   *
   * @param stopped whether the table has to change before the batch can be taken in
   * @param pending whether a row has a word whose group has no number yet
   */
  private record BatchStatus(boolean stopped, boolean pending) {
    static BatchStatus read(CudaStream stream, Buffer status) {
      long[] words = CudaWords.read(stream, status, GroupStatus.SIZEOF / Long.BYTES);
      MemorySegment all = MemorySegment.ofArray(words);
      return new BatchStatus(
          all.get(ValueLayout.JAVA_INT, GroupStatus.STOP) != 0,
          all.get(ValueLayout.JAVA_INT, GroupStatus.PENDING) != 0);
    }
  }

  private static AragoniteException tooMany() {
    return new AragoniteException(
        ErrorCode.RESULT_TOO_LARGE, "More than 2^29 groups; group by fewer values.");
  }

  private static CudaKernel kernel(CudaStream stream, String name) {
    return stream.gpu().kernel(FAMILY, name);
  }

  /** Makes a table that suits the first batch. */
  private void begin(ExecContext context, Buffer words, int count) {
    long bits = bits(context, words, count);
    direct = bits >= 0 && bits < mostEntries(count);
    capacity = direct ? entriesFor(bits) : slots(count < 4 * FIRST_ROWS ? count : FIRST_ROWS);
    table = newTable(CudaStream.of(context), direct, capacity);
  }

  /** The bits that occur in words. */
  private static long bits(ExecContext context, Buffer words, int count) {
    CudaStream stream = CudaStream.of(context);
    long mark = context.scratch().mark();
    Buffer out = context.scratch().allocate(8);
    stream.fill(out.address(), (byte) 0, 8);
    stream.launch(
        kernel(stream, "ara_group_bits"),
        stream.gridStride(count, THREADS),
        THREADS,
        0,
        words,
        count,
        out);
    long bits = stream.readLong(out.address());
    context.scratch().release(mark);
    return bits;
  }

  private long mostEntries(int count) {
    return Math.min(MOST_SLOTS, Math.max(DIRECT_SMALL, DIRECT_FACTOR * ((long) groups + count)));
  }

  private static long entriesFor(long word) {
    return Math.max(DIRECT_FIRST, Long.highestOneBit(word) << 1);
  }

  private Buffer newTable(CudaStream stream, boolean isDirect, long entries) {
    Buffer buffer = memory.allocate(isDirect ? 4 * entries : SLOT_BYTES * (entries + 1));
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
    CudaKernel kernel =
        kernel(stream, direct ? "ara_group_assign_direct" : "ara_group_assign_hashed");
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
            groups <= CACHED_GROUPS ? 1 : 0,
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

  /** Makes the table suit a batch that it was too small for. */
  private void change(ExecContext context, Buffer words, int count) {
    CudaStream stream = CudaStream.of(context);
    long bits = direct ? bits(context, words, count) : 0;
    if (direct && bits >= 0 && bits < mostEntries(count)) {
      move(stream, true, entriesFor(bits));
    } else if (direct && groups < MOST_SLOTS / 4 * 3) {
      move(stream, false, slots(groups + (long) Math.min(count, 4 * FIRST_ROWS)));
    } else if (capacity >= MOST_SLOTS) {
      throw tooMany();
    } else {
      long enough = CudaWords.powerOfTwo(2 * ((long) groups + count));
      long wanted = Math.min(GROWTH * capacity, Math.max(2 * capacity, enough));
      move(stream, false, Math.min(MOST_SLOTS, wanted));
    }
  }

  /** Moves what is there to another table. */
  private void move(CudaStream stream, boolean toDirect, long entries) {
    Buffer to = newTable(stream, toDirect, entries);
    if (toDirect) {
      stream.copy(table.address(), to.address(), 4 * capacity);
    } else {
      stream.launch(
          kernel(stream, direct ? "ara_group_to_hashed" : "ara_group_grow"),
          CudaWords.blocks(direct ? capacity : capacity + 1, THREADS),
          THREADS,
          0,
          table,
          capacity,
          to,
          entries - 1,
          CudaWords.shift(entries));
    }
    memory.free(table);
    table = to;
    direct = toDirect;
    capacity = entries;
  }

  private Added number(
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
    long entries = direct ? table.address() : table.address() + GroupSlot.ENTRY;
    int stride = direct ? 1 : GroupSlot.SIZEOF / Integer.BYTES;
    stream.launch(
        kernel(stream, "ara_group_first"),
        spans,
        THREADS,
        0,
        outGroups,
        count,
        entries,
        stride,
        candidates,
        spanCounts);
    int added = (int) context.scan().exclusiveSum(context, spanCounts, spans, spanStarts);
    stream.launch(
        kernel(stream, "ara_group_number"),
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
          kernel(stream, "ara_group_resolve"),
          CudaWords.blocks(count, TILE),
          THREADS,
          0,
          outGroups,
          count,
          entries,
          stride);
    }
    groups += added;
    // Of a first part: what its first half has brought.
    boolean first = count == FIRST_ROWS && !direct;
    int early = first ? (int) stream.readLong(spanStarts.address() + 8L * (spans / 2)) : 0;
    return new Added(added, early);
  }

  @Override
  public void close() {
    memory.free(table);
    table = Buffer.EMPTY;
  }
}
