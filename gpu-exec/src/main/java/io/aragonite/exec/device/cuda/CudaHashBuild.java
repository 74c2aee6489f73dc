package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.HashPolicy;
import io.aragonite.exec.device.cuda.CudaHashLayout.SlotKind;
import io.aragonite.exec.device.cuda.CudaRadixSort.SortPairs;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link CudaHashTable}: puts words into the map, and makes the lists of rows with equal
 * words, by sorting the rows where they are many.
 */
final class CudaHashBuild {
  private static final KernelFamily BUILD = KernelFamily.HASH_BUILD;
  private static final KernelFamily SORTED = KernelFamily.HASH_BUILD_SORTED;
  private static final int THREADS = BlockPolicy.THREADS;
  private static final int TILE = HashPolicy.TILE;

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
  private CudaHashLayout layout = new CudaHashLayout(SlotKind.DIRECT, 0, 0, 0, 0, 0, 0);
  private Buffer map = Buffer.EMPTY;

  /** EMPTY if words are unique, as is the list. */
  private Buffer starts = Buffer.EMPTY;

  private Buffer list = Buffer.EMPTY;

  private CudaHashBuild(QueryMemory memory, int rows) {
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
    CudaHashBuild build = new CudaHashBuild(memory, count);
    if (count == 0) {
      return build.finish();
    }
    QueryMemory.Arena scratch = context.scratch();
    long mark = scratch.mark();
    try {
      build.fill(context, words, wordBytes, rowIds == null ? Buffer.EMPTY : rowIds.ids(), order);
    } catch (RuntimeException e) {
      build.finish().close();
      throw e;
    } finally {
      scratch.release(mark);
    }
    return build.finish();
  }

  private CudaHashTable finish() {
    return new CudaHashTable(memory, layout, map, starts, list, rows, distinct, maxMultiplicity);
  }

  private static CudaKernel kernel(CudaStream stream, KernelFamily family, String name) {
    return stream.gpu().kernel(family, name);
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
      return CudaHashLayout.order(
          bounds(stream, words, wordBytes, Buffer.EMPTY, count, status), count);
    } finally {
      context.scratch().release(mark);
    }
  }

  private static long[] bounds(
      CudaStream stream, Buffer words, int wordBytes, Buffer ids, int count, Buffer status) {
    stream.fill(status.address(), (byte) -1, status.size());
    stream.launch(
        kernel(stream, BUILD, CudaHashTable.narrow("ara_hash_bounds", wordBytes)),
        stream.gridStride(count, 4 * THREADS),
        THREADS,
        0,
        words,
        ids,
        count,
        status);
    return CudaWords.read(stream, status, 6);
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
      order = order == null ? CudaHashLayout.order(bounds, rows) : order;
      largestId = ids.address() == 0 ? largestId : Math.max(largestId, ~bounds[4]);
    }
    Input input = new Input(words, wordBytes, ids, order.ascending());
    makeMap(stream, CudaHashLayout.of(order, largestId, rows));
    if (!insertAll(context, input, status)) {
      // Words lie in heaps.
      makeMap(stream, layout.withSlots(rows, false));
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
    boolean surelyEqual = layout.kind() == SlotKind.DIRECT && layout.range() + 1 < rows;
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
    if (!many || layout.kind() == SlotKind.DIRECT) {
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

  /** Makes an empty map, instead of the one that there may be. */
  private void makeMap(CudaStream stream, CudaHashLayout wanted) {
    memory.free(map);
    map = Buffer.EMPTY;
    layout = wanted;
    map = memory.allocate(wanted.bytes());
    stream.fill(map.address(), (byte) -1, wanted.bytes());
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
        kernel(stream, BUILD, CudaHashTable.narrow(layout.name("ara_hash_insert"), in.wordBytes())),
        count,
        in.words(),
        in.ids(),
        count,
        slotOf,
        status,
        status.address() + PASSED);
    if (layout.kind() == SlotKind.DIRECT) {
      stream.launch(
          kernel(stream, BUILD, "ara_hash_used_direct"),
          stream.gridStride(layout.slots(), 4 * THREADS),
          THREADS,
          0,
          map,
          layout.slots(),
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
    boolean narrow =
        layout.kind() != SlotKind.WIDE && Long.compareUnsigned(layout.range(), 0xFFFF_FFFFL) <= 0;
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
          layout.base(),
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
      boolean ordered = layout.ordered();
      if (crowded(placeRuns(stream, sorted.keys(), keyBytes, ordered, status), distinct)) {
        placeRuns(stream, sorted.keys(), keyBytes, false, status);
      }
      return true;
    } finally {
      taken.forEach(memory::free);
    }
  }

  private SortPairs sort(ExecContext context, int keyBytes, SortPairs in, SortPairs other) {
    int bits = layout.kind() == SlotKind.WIDE ? Long.SIZE : CudaWords.bits(layout.range());
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
   * @param ordered whether slots are to be in the order of words
   * @return what was counted: the most rows of a word, how many slots were passed in the order of
   *     words, and whether a word has given up
   */
  private long[] placeRuns(
      CudaStream stream, Buffer keys, int keyBytes, boolean ordered, Buffer status) {
    // An array has the entries of some of these words only, which are written again.
    if (layout.kind() != SlotKind.DIRECT) {
      makeMap(stream, layout.withSlots(distinct, ordered));
    }
    stream.fill(status.address(), (byte) 0, status.size());
    launch(
        stream,
        kernel(stream, SORTED, layout.name("ara_hash_place") + "_" + keyBytes),
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
    long slots = layout.slots();
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
        kernel(stream, BUILD, layout.name("ara_hash_ranges")),
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

  /** Launches a kernel over tiles of items, whose first parameters are the map's. */
  private void launch(CudaStream stream, CudaKernel kernel, long items, Object... rest) {
    stream.launch(kernel, CudaWords.blocks(items, TILE), THREADS, 0, layout.arguments(map, rest));
  }
}
