package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionedWords;
import io.aragonite.exec.device.PerfectHashTable;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.PerfectHashPolicy;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.memory.QueryMemory;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows' values by their words; see agent/perfect_hash.cuh. */
final class CudaPerfectHashTable implements PerfectHashTable {
  private static final KernelFamily FAMILY = KernelFamily.PERFECT_HASH;
  private static final int THREADS = BlockPolicy.THREADS;

  private static final int COLUMNS = PerfectHashPolicy.COLUMNS;
  private static final int CHUNK = PerfectHashPolicy.CHUNK;
  private static final int FILL_ROWS = THREADS * PerfectHashPolicy.FILL_ITEMS;

  private static final Pieces NONE = new Pieces(Buffer.EMPTY, 0, 0);

  /** The bits of a partition are in shared memory: 128 KiB at most, a 32-bit word at least. */
  private static final int MOST_SHIFT = 20;

  private static final int LEAST_SHIFT = 5;

  /** By so many bits larger partitions are seen to by several blocks, each of which reads all. */
  private static final int MOST_SPLIT = 3;

  private final QueryMemory memory;
  private final PartitionFunction order;
  private final int partitionBits;
  private final int wordBytes;
  private final boolean complete;
  private Buffer bits;

  /** How many words are there twice; then what is counted. */
  private Buffer status;

  private Buffer slots = Buffer.EMPTY;

  /** Whether rows have set bits; before, there are none that could be read. */
  private boolean added;

  /** Whether rows have been fetched by runs since they were asked for. */
  private boolean counting;

  private CudaPerfectHashTable(
      QueryMemory memory,
      PartitionFunction order,
      int partitionBits,
      int wordBytes,
      boolean complete,
      Buffer bits,
      Buffer status) {
    this.memory = memory;
    this.order = order;
    this.partitionBits = partitionBits;
    this.wordBytes = wordBytes;
    this.complete = complete;
    this.bits = bits;
    this.status = status;
  }

  static @Nullable PerfectHashTable of(
      ExecContext context,
      PartitionFunction order,
      int partitionBits,
      @Nullable PartitionedWords rows,
      int wordBytes,
      int count,
      QueryMemory memory) {
    int shift = order.shift(partitionBits);
    if (order.mixed() || shift < LEAST_SHIFT || shift > MOST_SHIFT + MOST_SPLIT || count == 0) {
      return null;
    }
    CudaStream stream = CudaStream.of(context);
    int split = Math.max(0, shift - MOST_SHIFT);
    if (1 << (shift - split - 3) > stream.gpu().maxSharedBytes()) {
      return null;
    }
    long words = (order.range() >>> 5) + 1;
    Buffer bits = memory.allocate(4 * words);
    Buffer status = memory.allocate(16);
    stream.fill(status.address(), (byte) 0, 16);
    CudaPerfectHashTable made =
        new CudaPerfectHashTable(
            memory, order, partitionBits, wordBytes, order.range() + 1 == count, bits, status);
    if (rows != null) {
      made.setBits(stream, rows, 1);
    }
    return made;
  }

  private void setBits(CudaStream stream, PartitionedWords rows, int runs) {
    int shift = order.shift(partitionBits);
    int split = Math.max(0, shift - MOST_SHIFT);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_perfect_hash_bits_" + wordBytes),
        1L << partitionBits + split,
        PerfectHashPolicy.BITS_THREADS,
        1 << (shift - split - 3),
        rows.words(),
        rows.starts(),
        order.base(),
        shift,
        split,
        bits.size() / 4,
        added ? 1 : 0,
        runs,
        bits,
        status);
    added = true;
  }

  @Override
  public void add(ExecContext context, Buffer words, PartitionRuns rows) {
    int[] starts = Arrays.stream(rows.starts()).flatMapToInt(Arrays::stream).toArray();
    Buffer there = uploaded(context, starts);
    setBits(CudaStream.of(context), new PartitionedWords(words, there), rows.starts().length);
    memory.free(there);
  }

  private Buffer uploaded(ExecContext context, int[] values) {
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    long bytes = 4L * values.length;
    long host = scratch.allocate(bytes).address();
    for (int i = 0; i < values.length; i++) {
      Mem.putInt(host + 4L * i, values[i]);
    }
    Buffer there = memory.allocate(bytes);
    context.device().transfers().toDevice(context, host, there, bytes);
    scratch.release(mark);
    return there;
  }

  /**
   * The list that perfect_hash.cuh wants of runs.
   *
   * @param there on the device; the caller's
   * @param chunks of {@link #CHUNK} rows at most
   */
  private record Pieces(Buffer there, int count, int chunks) {}

  private Pieces pieces(ExecContext context, PartitionRuns runs) {
    int[][] starts = runs.starts();
    int most = starts.length * (starts[0].length - 1);
    int[] before = new int[most + 1];
    int[] first = new int[most];
    int[] end = new int[most];
    int count = 0;
    for (int p = 0; p + 1 < starts[0].length; p++) {
      for (int[] run : starts) {
        if (run[p + 1] > run[p]) {
          int rows = run[p + 1] - run[p] / PerfectHashPolicy.ALIGNED * PerfectHashPolicy.ALIGNED;
          before[count + 1] = before[count] + (int) CudaWords.blocks(rows, CHUNK);
          first[count] = run[p];
          end[count++] = run[p + 1];
        }
      }
    }
    int[] all = new int[3 * count + 1];
    System.arraycopy(before, 0, all, 0, count + 1);
    System.arraycopy(first, 0, all, count + 1, count);
    System.arraycopy(end, 0, all, 2 * count + 1, count);
    return new Pieces(uploaded(context, all), count, before[count]);
  }

  @Override
  public void fill(
      ExecContext context, Buffer words, PartitionRuns rows, List<Buffer> in, int width) {
    Pieces pieces = pieces(context, rows);
    fill(context, words, (long) pieces.chunks * (CHUNK / FILL_ROWS), 0, in, width, pieces);
    memory.free(pieces.there);
  }

  @Override
  public void fetch(
      ExecContext context, Buffer words, PartitionRuns rows, List<Buffer> out, int width) {
    if (!counting) {
      CudaStream.of(context).fill(status.address() + 8, (byte) 0, 8);
      counting = true;
    }
    Pieces pieces = pieces(context, rows);
    int items = THREADS * fetchItems(slotBytes(out.size(), width));
    fetch(context, words, (long) pieces.chunks * (CHUNK / items), 0, out, width, pieces);
    memory.free(pieces.there);
  }

  @Override
  public long found(ExecContext context) {
    counting = false;
    long[] found = CudaWords.read(CudaStream.of(context), status, 2);
    return found[0] > 0 ? -1 : found[1];
  }

  /** Rows of a thread that fetches. */
  private static int fetchItems(int slotBytes) {
    return slotBytes <= 8
        ? PerfectHashPolicy.NARROW_FETCH_ITEMS
        : PerfectHashPolicy.WIDE_FETCH_ITEMS;
  }

  private static int slotBytes(int columns, int width) {
    int bytes = Math.max(1, columns) * width;
    return bytes <= 8 ? bytes : 16;
  }

  /**
   * Bits of partitions whose words, a bit each, fit a block's shared memory.
   *
   * @return -1 if there are none, or words are too few for it
   */
  static int leastBits(PartitionFunction order, int sharedBytes) {
    if (order.mixed() || order.range() < 0 || order.shift(1) < LEAST_SHIFT) {
      return -1;
    }
    int bits = 1;
    while (order.shift(bits) > MOST_SHIFT || 1L << (order.shift(bits) - 3) > sharedBytes) {
      bits++;
    }
    return bits;
  }

  private static String name(String what, int wordBytes, int columns, int width) {
    return "ara_perfect_hash_"
        + what
        + "_"
        + wordBytes
        + "_"
        + slotBytes(columns, width)
        + "_"
        + width;
  }

  private static void columns(Object[] args, int from, List<Buffer> columns) {
    for (int c = 0; c < COLUMNS; c++) {
      args[from + c] = c < columns.size() ? columns.get(c) : Buffer.EMPTY;
    }
  }

  @Override
  public void fill(
      ExecContext context, Buffer words, int wordBytes, int count, List<Buffer> in, int width) {
    fill(context, words, CudaWords.blocks(count, FILL_ROWS), count, in, width, NONE);
  }

  private void fill(
      ExecContext context,
      Buffer words,
      long blocks,
      int count,
      List<Buffer> in,
      int width,
      Pieces pieces) {
    CudaStream stream = CudaStream.of(context);
    if (slots.size() == 0) {
      slots = memory.allocate(slotBytes(in.size(), width) * (order.range() + 1));
      if (MemoryDebug.SLACK) {
        // Rows are put into their slots by an exchange, which reads what nobody looks at.
        stream.fill(slots.address(), (byte) 0, slots.size());
      }
    }
    Object[] args = new Object[7 + COLUMNS];
    args[0] = words;
    args[1] = count;
    args[2] = order.base();
    args[3] = slots;
    args[4] = in.size();
    columns(args, 5, in);
    args[5 + COLUMNS] = pieces.there;
    args[6 + COLUMNS] = pieces.count;
    stream.launch(
        stream.gpu().kernel(FAMILY, name("fill", wordBytes, in.size(), width)),
        blocks,
        THREADS,
        0,
        args);
  }

  @Override
  public int fetch(
      ExecContext context, Buffer words, int wordBytes, int count, List<Buffer> out, int width) {
    CudaStream stream = CudaStream.of(context);
    stream.fill(status.address() + 8, (byte) 0, 8);
    int items = THREADS * fetchItems(slotBytes(out.size(), width));
    fetch(context, words, CudaWords.blocks(count, items), count, out, width, NONE);
    long[] found = CudaWords.read(stream, status, 2);
    return found[0] > 0 ? -1 : (int) found[1];
  }

  private void fetch(
      ExecContext context,
      Buffer words,
      long blocks,
      int count,
      List<Buffer> out,
      int width,
      Pieces pieces) {
    CudaStream stream = CudaStream.of(context);
    Object[] args = new Object[10 + COLUMNS];
    args[0] = words;
    args[1] = count;
    args[2] = order.base();
    args[3] = order.range();
    args[4] = complete ? Buffer.EMPTY : bits;
    args[5] = slots;
    args[6] = status.slice(8, 8);
    args[7] = out.size();
    columns(args, 8, out);
    args[8 + COLUMNS] = pieces.there;
    args[9 + COLUMNS] = pieces.count;
    stream.launch(
        stream.gpu().kernel(FAMILY, name("fetch", wordBytes, out.size(), width)),
        blocks,
        THREADS,
        0,
        args);
  }

  @Override
  public void close() {
    memory.free(bits);
    memory.free(slots);
    memory.free(status);
    bits = Buffer.EMPTY;
    slots = Buffer.EMPTY;
    status = Buffer.EMPTY;
  }
}
