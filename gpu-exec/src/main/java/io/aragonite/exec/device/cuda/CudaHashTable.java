package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HashTable;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.ProbeCursor;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.HashPolicy;
import io.aragonite.exec.device.cuda.CudaRadixSort.SortPairs;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A multimap from words to rows, as hash_build.cu builds it: a map from each word to an id. If
 * words are unique, the id is the row; else it is a number, and the rows of number {@code n} are
 * those from {@code starts[n]} to {@code starts[n + 1]} of a list.
 *
 * <p>The map is an array by word where words are dense; else an open-addressing table with linear
 * probing, at most half full: with 8-byte slots if the range of the words and the row ids together
 * fit 63 bits, and with 16-byte slots if they do not. Slots are chosen by mixed words; but where
 * words are inserted in ascending order and lie evenly, those of 8 bytes are in the order of words:
 * rows of the probe side that are near each other in that order, as those of tables with one
 * clustering are, then visit slots near each other.
 */
final class CudaHashTable implements HashTable {
  private enum Layout {
    DIRECT,
    PACKED,
    WIDE
  }

  private static final KernelFamily BUILD = KernelFamily.HASH_BUILD;

  private static final KernelFamily SORTED = KernelFamily.HASH_BUILD_SORTED;
  private static final KernelFamily PROBE = KernelFamily.HASH_PROBE;
  static final int THREADS = BlockPolicy.THREADS;
  static final int TILE = HashPolicy.TILE;

  /** Entries of four bytes that an array may have a row: a packed table takes 16 bytes a row. */
  private static final long DIRECT_FACTOR = 4;

  /** ... and that it may always have. */
  private static final long DIRECT_SMALL = 1 << 16;

  private static final long MOST_SLOTS = 1L << 31;

  private static final int TABLE_ARGUMENTS = 7;

  /** From so many rows on, rows of equal words are brought together by sorting. */
  private static final int SORT_ROWS = 1 << 21;

  /** Of many rows, one in so many are inserted first: most often they tell of duplicates. */
  private static final int SAMPLE = 64;

  /** Slots that a row may pass in the mean where slots are in the order of words. */
  private static final int MOST_PASSED = 2;

  /** Bytes of the counters that kernels share: what each kernel counts is with it. */
  private static final long STATUS_BYTES = 64;

  /** Where kernels count the slots that were passed; behind it, whether a row has given up. */
  private static final long PASSED = 8;

  private final QueryMemory memory;
  private final int rows;
  private int distinct;
  private int maxMultiplicity;
  private Layout layout = Layout.DIRECT;

  /** The least word; what is kept of a word is its distance to that. */
  private long base;

  /** The greatest distance, unsigned. */
  private long range;

  /** Slots less one. */
  private long mask;

  private int shift;

  /** Bits of an id in a packed slot. */
  private int idBits;

  /** Slots a word, times 2^64, in a packed table in the order of words; 0 if words are mixed. */
  private long scale;

  private Buffer table = Buffer.EMPTY;

  /** EMPTY if words are unique, as is the list. */
  private Buffer starts = Buffer.EMPTY;

  private Buffer list = Buffer.EMPTY;
  private Buffer firstRows = Buffer.EMPTY;

  /** Null until it is first wanted. */
  private @Nullable CudaHashFilter filter;

  /** Whether several queries look into it: then nothing is made with it but when it is made. */
  private boolean shared;

  /** Whether the rows that were matched last had a partner for the most part. */
  private volatile boolean mostMatch;

  private CudaHashTable(QueryMemory memory, int rows) {
    this.memory = memory;
    this.rows = rows;
  }

  /**
   * @param wordBytes 8, or 4 for signed words
   * @param order of these words; null if it is not known yet
   */
  static CudaHashTable build(
      ExecContext context,
      Buffer words,
      int wordBytes,
      @Nullable RowIds rowIds,
      int count,
      @Nullable PartitionFunction order,
      QueryMemory memory) {
    CudaHashTable table = new CudaHashTable(memory, count);
    if (count == 0) {
      return table;
    }
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      table.fill(context, words, wordBytes, rowIds == null ? Buffer.EMPTY : rowIds.ids(), order);
    } catch (RuntimeException e) {
      table.close();
      throw e;
    } finally {
      scratch.release(mark);
    }
    return table;
  }

  private static CudaKernel kernel(CudaStream stream, KernelFamily family, String name) {
    return stream.gpu().kernel(family, name);
  }

  private String name(String kernel) {
    return switch (layout) {
      case DIRECT -> kernel + "_direct";
      case PACKED -> kernel + "_packed";
      case WIDE -> kernel + "_wide";
    };
  }

  /** How a table over words would be ordered. Waits. */
  static PartitionFunction order(ExecContext context, Buffer words, int wordBytes, int count) {
    if (count == 0) {
      return new PartitionFunction(false, 0, 0);
    }
    CudaStream stream = CudaStream.of(context);
    long mark = context.scratch().mark();
    try {
      Buffer status = context.scratch().allocate(STATUS_BYTES);
      return order(bounds(stream, words, wordBytes, Buffer.EMPTY, count, status), count);
    } finally {
      context.scratch().release(mark);
    }
  }

  private static PartitionFunction order(long[] bounds, int count) {
    long base = bounds[0];
    long range = ~bounds[1] - bounds[0];
    boolean ascending = (bounds[5] & 1) != 0;
    long signedRange = ~bounds[3] - bounds[2];
    if (Long.compareUnsigned(signedRange, range) < 0) {
      base = bounds[2] ^ Long.MIN_VALUE;
      range = signedRange;
      ascending = (bounds[5] & 2) != 0;
    }
    long mostDirect = Math.min(MOST_SLOTS, Math.max(DIRECT_SMALL, DIRECT_FACTOR * count));
    if (Long.compareUnsigned(range, mostDirect) < 0) {
      return new PartitionFunction(false, base, range, ascending);
    }
    // Wide tables mix whole words.
    boolean packed = CudaWords.bits(range) + CudaWords.bits(count - 1) <= 63;
    return packed
        ? new PartitionFunction(true, base, range, ascending)
        : new PartitionFunction(true, 0, -1L);
  }

  private static long[] bounds(
      CudaStream stream, Buffer words, int wordBytes, Buffer ids, int count, Buffer status) {
    stream.fill(status.address(), (byte) -1, status.size());
    stream.launch(
        kernel(stream, BUILD, narrow("ara_hash_bounds", wordBytes)),
        stream.gridStride(count, 4 * THREADS),
        THREADS,
        0,
        words,
        ids,
        count,
        status);
    return CudaWords.read(stream, status, 6);
  }

  private static String narrow(String name, int wordBytes) {
    return wordBytes == Integer.BYTES ? name + "_4" : name;
  }

  private void fill(
      ExecContext context,
      Buffer words,
      int wordBytes,
      Buffer ids,
      @Nullable PartitionFunction given) {
    CudaStream stream = CudaStream.of(context);
    // Counters that several kernels use in turn; the bounds come first.
    Buffer status = context.scratch().allocate(STATUS_BYTES);
    PartitionFunction order = given;
    long largestId = rows - 1L;
    if (order == null || ids.address() != 0) {
      long[] bounds = bounds(stream, words, wordBytes, ids, rows, status);
      order = order == null ? order(bounds, rows) : order;
      largestId = ids.address() == 0 ? largestId : Math.max(largestId, ~bounds[4]);
    }
    Input input = new Input(words, wordBytes, ids, order.ascending());
    chooseLayout(stream, order, largestId);
    if (!insertAll(context, input, status)) {
      // Words lie in heaps.
      scale = 0;
      makeTable(stream, rows);
      insertAll(context, input, status);
    }
  }

  /**
   * What a table is made of.
   *
   * @param ascending whether no word is less than the one before
   */
  private record Input(Buffer words, int wordBytes, Buffer ids, boolean ascending) {}

  /**
   * Puts all rows into the empty table, and makes the lists of rows with equal words.
   *
   * @return false if rows pass too many slots, as they can where slots are in the order of words
   */
  private boolean insertAll(ExecContext context, Input in, Buffer status) {
    CudaStream stream = CudaStream.of(context);
    boolean many = rows >= SORT_ROWS;
    boolean surelyEqual = layout == Layout.DIRECT && range + 1 < rows;
    if (many && surelyEqual && sortLists(context, in, status)) {
      return true;
    }
    Buffer slotOf = context.scratch().allocate(4L * rows);
    if (many && !surelyEqual) {
      int some = rows / SAMPLE;
      stream.fill(status.address(), (byte) 0, status.size());
      long[] counted = insert(stream, in, some, slotOf, status);
      if (crowded(counted, some)) {
        return false;
      }
      if (counted[0] < some && sortLists(context, in, status)) {
        return true;
      }
    }
    // Rows that were inserted before find themselves, and are not counted again but in an array.
    if (!many || layout == Layout.DIRECT) {
      stream.fill(status.address(), (byte) 0, status.size());
    }
    long[] counted = insert(stream, in, rows, slotOf, status);
    if (crowded(counted, rows)) {
      return false;
    }
    distinct = (int) counted[0];
    maxMultiplicity = 1;
    if (distinct < rows) {
      context.checkCancelled();
      if (!many || !sortLists(context, in, status)) {
        makeLists(context, in.ids(), slotOf, status);
      }
    }
    return true;
  }

  /** Whether a row has given up, or so many passed too many slots, of which few may pass some. */
  private static boolean crowded(long[] counted, int count) {
    return counted[2] != 0 || counted[1] > (long) MOST_PASSED * count + 64;
  }

  /** Chooses how the table lies and makes it, empty. */
  private void chooseLayout(CudaStream stream, PartitionFunction order, long largestId) {
    base = order.base();
    range = order.range();
    idBits = CudaWords.bits(largestId);
    layout =
        !order.mixed()
            ? Layout.DIRECT
            : CudaWords.bits(range) + idBits <= 63 ? Layout.PACKED : Layout.WIDE;
    if (layout == Layout.WIDE) {
      // Its slots have whole words.
      base = 0;
      range = -1;
    }
    scale = layout == Layout.PACKED && order.ascending() ? 1 : 0;
    makeTable(stream, rows);
  }

  /** Makes an empty table for so many words, instead of the one that there may be. */
  private void makeTable(CudaStream stream, int words) {
    memory.free(table);
    table = Buffer.EMPTY;
    long bytes;
    if (layout == Layout.DIRECT) {
      bytes = 4 * (range + 1);
    } else {
      long capacity = Math.min(MOST_SLOTS, CudaWords.powerOfTwo(2L * words));
      mask = capacity - 1;
      shift = CudaWords.shift(capacity);
      bytes = layout == Layout.PACKED ? 8 * capacity : 16 * (capacity + 1);
      scale = scale == 0 ? 0 : scale(capacity, range);
    }
    table = memory.allocate(bytes);
    stream.fill(table.address(), (byte) -1, bytes);
  }

  /** The slots for each of the words of a range, times 2^64; 0 if there are more slots. */
  private static long scale(long capacity, long range) {
    return range < capacity ? 0 : (long) Math.scalb((double) capacity / (range + 1), 63) << 1;
  }

  /**
   * Puts the words of {@code count} rows in.
   *
   * @return how many there are that differ, how many slots were passed in the order of words, and
   *     whether a row has given up
   */
  private long[] insert(CudaStream stream, Input in, int count, Buffer slotOf, Buffer status) {
    launch(
        stream,
        kernel(stream, BUILD, narrow(name("ara_hash_insert"), in.wordBytes())),
        count,
        in.words(),
        in.ids(),
        count,
        slotOf,
        status,
        status.address() + PASSED);
    if (layout == Layout.DIRECT) {
      stream.launch(
          kernel(stream, BUILD, "ara_hash_used_direct"),
          stream.gridStride(range + 1, 4 * THREADS),
          THREADS,
          0,
          table,
          range + 1,
          status);
    }
    return CudaWords.read(stream, status, 3);
  }

  /**
   * Sorts the rows by their words, which makes the list, and puts each word into the table once.
   *
   * @return false if there is not enough memory to sort; nothing has changed then
   */
  private boolean sortLists(ExecContext context, Input in, Buffer status) {
    boolean narrow = layout != Layout.WIDE && Long.compareUnsigned(range, 0xFFFF_FFFFL) <= 0;
    int keyBytes = narrow ? Integer.BYTES : Long.BYTES;
    List<Buffer> taken = new ArrayList<>();
    try {
      SortPairs pairs = takePairs(keyBytes, taken);
      SortPairs other = pairs == null ? null : takePairs(keyBytes, taken);
      if (pairs == null || other == null) {
        return false;
      }
      CudaStream stream = CudaStream.of(context);
      stream.launch(
          kernel(stream, SORTED, "ara_hash_keys_" + in.wordBytes() + "_" + keyBytes),
          CudaWords.blocks(rows, TILE),
          THREADS,
          0,
          in.words(),
          in.ids(),
          rows,
          base,
          pairs.keys(),
          pairs.values());
      SortPairs sorted = in.ascending() ? pairs : sort(context, keyBytes, pairs, other);
      context.checkCancelled();
      Buffer begins = (sorted.equals(pairs) ? other : pairs).values();
      distinct = CudaSelect.runStarts(context, sorted.keys(), keyBytes, rows, begins);
      starts = memory.allocate(4L * (distinct + 1L));
      stream.copy(begins.address(), starts.address(), starts.size());
      list = sorted.values();
      taken.remove(list);
      if (crowded(placeRuns(stream, sorted.keys(), keyBytes, status), distinct)) {
        scale = 0;
        placeRuns(stream, sorted.keys(), keyBytes, status);
      }
      return true;
    } finally {
      taken.forEach(memory::free);
    }
  }

  private SortPairs sort(ExecContext context, int keyBytes, SortPairs in, SortPairs other) {
    int bits = layout == Layout.WIDE ? Long.SIZE : CudaWords.bits(range);
    return new CudaRadixSort(context, keyBytes, Integer.BYTES).sort(in, other, rows, 0, bits);
  }

  /** Room to sort all rows, and for one value more; null if there is none. */
  private @Nullable SortPairs takePairs(int keyBytes, List<Buffer> taken) {
    try {
      Buffer keys = memory.allocate((long) keyBytes * rows);
      taken.add(keys);
      Buffer values = memory.allocate(4L * (rows + 1L));
      taken.add(values);
      return new SortPairs(keys, values);
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return null;
    }
  }

  /**
   * Puts the words of the list into the table.
   *
   * @return what was counted: the most rows of a word, how many slots were passed in the order of
   *     words, and whether a word has given up
   */
  private long[] placeRuns(CudaStream stream, Buffer keys, int keyBytes, Buffer status) {
    // An array has the entries of some of these words only, which are written again.
    if (layout != Layout.DIRECT) {
      makeTable(stream, distinct);
    }
    stream.fill(status.address(), (byte) 0, status.size());
    launch(
        stream,
        kernel(stream, SORTED, name("ara_hash_place") + "_" + keyBytes),
        distinct,
        keys,
        starts,
        distinct,
        status,
        status.address() + PASSED);
    long[] counted = CudaWords.read(stream, status, 3);
    maxMultiplicity = (int) counted[0];
    return counted;
  }

  /** Puts rows with equal words next to each other. */
  private void makeLists(ExecContext context, Buffer ids, Buffer slotOf, Buffer status) {
    CudaStream stream = CudaStream.of(context);
    long slots =
        switch (layout) {
          case DIRECT -> range + 1;
          case PACKED -> mask + 1;
          case WIDE -> mask + 2;
        };
    starts = memory.allocate(4L * (distinct + 1L));
    list = memory.allocate(4L * rows);
    // First how many rows a slot has, then where its next one goes.
    Buffer places = context.scratch().allocate(4 * slots);
    stream.fill(places.address(), (byte) 0, 4 * slots);
    stream.fill(status.address(), (byte) 0, status.size());
    long blocks = CudaWords.blocks(rows, TILE);
    stream.launch(
        kernel(stream, BUILD, "ara_hash_count"), blocks, THREADS, 0, slotOf, rows, places);
    launch(
        stream,
        kernel(stream, BUILD, name("ara_hash_ranges")),
        slots,
        places,
        slots,
        status,
        starts,
        status.address() + 8);
    stream.launch(kernel(stream, BUILD, "ara_hash_seal"), 1, 1, 0, starts, distinct, rows);
    stream.launch(
        kernel(stream, BUILD, "ara_hash_scatter"),
        blocks,
        THREADS,
        0,
        slotOf,
        ids,
        rows,
        places,
        list);
    maxMultiplicity = stream.readInt(status.address() + 8);
  }

  /** Launches a kernel over tiles of items, whose first parameters are the table's. */
  void launch(CudaStream stream, CudaKernel kernel, long items, Object... rest) {
    stream.launch(kernel, CudaWords.blocks(items, TILE), THREADS, 0, withTable(rest));
  }

  /** A kernel's arguments, of which the table's come first. */
  Object[] withTable(Object... rest) {
    Object[] args = new Object[TABLE_ARGUMENTS + rest.length];
    args[0] = table;
    args[1] = base;
    args[2] = range;
    args[3] = mask;
    args[4] = shift;
    args[5] = idBits;
    args[6] = scale;
    System.arraycopy(rest, 0, args, TABLE_ARGUMENTS, rest.length);
    return args;
  }

  @Override
  public int probe(
      ExecContext context,
      ProbeWords words,
      ProbeCursor cursor,
      Buffer outProbe,
      Buffer outBuild,
      int capacity) {
    return CudaHashProbe.probe(context, this, words, cursor, outProbe, outBuild, capacity);
  }

  @Override
  public int fetch(
      ExecContext context, Buffer words, int wordBytes, int count, List<MovedColumn> columns) {
    return CudaHashProbe.fetch(context, this, words, wordBytes, count, columns);
  }

  @Override
  public void lookup(ExecContext context, ProbeWords words, Buffer out) {
    CudaHashProbe.lookup(context, this, words, out);
  }

  /** The kernel of a family for this layout and words of so many bytes. */
  CudaKernel kernel(CudaStream stream, KernelFamily family, String name, int wordBytes) {
    return kernel(stream, family, narrow(name(name), wordBytes));
  }

  /** What goes before a probe of so many rows; null: nothing does. */
  @Nullable CudaHashFilter filter(CudaStream stream, int count) {
    boolean suits =
        layout == Layout.PACKED
            && !shared
            && count >= CudaHashFilter.LEAST_ROWS
            && CudaHashFilter.suits(distinct);
    return suits ? filter(stream) : null;
  }

  private synchronized CudaHashFilter filter(CudaStream stream) {
    CudaHashFilter known = filter;
    if (known == null) {
      known = new CudaHashFilter(stream, distinct, memory);
      try {
        stream.launch(
            kernel(stream, PROBE, "ara_hash_filter"),
            CudaWords.blocks(mask + 1, THREADS),
            THREADS,
            0,
            withTable(known.bits(), known.mask()));
      } catch (RuntimeException e) {
        known.close();
        throw e;
      }
      filter = known;
    }
    return known;
  }

  /** A row for each number of a word; EMPTY if words are unique. Made for the first lookup. */
  synchronized Buffer firstRows(CudaStream stream) {
    if (!unique() && firstRows.address() == 0) {
      firstRows = memory.allocate(4L * distinct);
      stream.launch(
          kernel(stream, PROBE, "ara_hash_firsts"),
          CudaWords.blocks(distinct, THREADS),
          THREADS,
          0,
          starts,
          list,
          distinct,
          firstRows);
    }
    return firstRows;
  }

  /** Is told how many of some rows have a partner. */
  void matched(int count, int pairs) {
    mostMatch = pairs > count / 2;
  }

  /** Whether more than half of the rows that were matched last had a partner. */
  boolean mostMatch() {
    return mostMatch;
  }

  /** Where the rows of each number start in the list, and the end; EMPTY if words are unique. */
  Buffer starts() {
    return starts;
  }

  /** Rows by word; EMPTY if words are unique. */
  Buffer list() {
    return list;
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public int distinct() {
    return distinct;
  }

  @Override
  public int maxMultiplicity() {
    return maxMultiplicity;
  }

  /** With the rows for lookups, which others would not make for all. */
  @Override
  public List<Buffer> buffers(ExecContext context) {
    return Stream.of(table, starts, list, firstRows(CudaStream.of(context)))
        .filter(part -> part.address() != 0)
        .toList();
  }

  @Override
  public CudaHashTable over(List<Buffer> copies) {
    Iterator<Buffer> left = copies.iterator();
    UnaryOperator<Buffer> copy = part -> part.address() == 0 ? Buffer.EMPTY : left.next();
    CudaHashTable copied = new CudaHashTable(memory, rows);
    copied.shared = true;
    copied.distinct = distinct;
    copied.maxMultiplicity = maxMultiplicity;
    copied.layout = layout;
    copied.base = base;
    copied.range = range;
    copied.mask = mask;
    copied.shift = shift;
    copied.idBits = idBits;
    copied.scale = scale;
    copied.table = copy.apply(table);
    copied.starts = copy.apply(starts);
    copied.list = copy.apply(list);
    copied.firstRows = copy.apply(firstRows);
    return copied;
  }

  @Override
  public void close() {
    memory.free(table);
    memory.free(starts);
    memory.free(list);
    memory.free(firstRows);
    if (filter != null) {
      filter.close();
    }
    firstRows = Buffer.EMPTY;
    table = Buffer.EMPTY;
    starts = Buffer.EMPTY;
    list = Buffer.EMPTY;
  }
}
