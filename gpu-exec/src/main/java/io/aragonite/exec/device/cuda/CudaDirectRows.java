package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives.DirectRows;
import io.aragonite.exec.device.Primitives.Partitions;
import io.aragonite.exec.device.WordOrder;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows' values by their words; see direct.cu. */
final class CudaDirectRows implements DirectRows {
  private static final String FILE = "direct";
  private static final int THREADS = 256;

  /** As in direct.cu. */
  private static final int BITS_THREADS = 1024;

  private static final int COLUMNS = 4;

  /** The bits of a partition are in shared memory: 128 KiB at most, a 32-bit word at least. */
  private static final int MOST_SHIFT = 20;

  private static final int LEAST_SHIFT = 5;

  /** By so many bits larger partitions are seen to by several blocks, each of which reads all. */
  private static final int MOST_SPLIT = 3;

  private final QueryMemory memory;
  private final WordOrder order;
  private final int partitionBits;
  private final int wordBytes;
  private final boolean complete;
  private Buffer bits;

  /** How many words are there twice; then what is counted. */
  private Buffer status;

  private Buffer slots = Buffer.EMPTY;

  private CudaDirectRows(
      QueryMemory memory,
      WordOrder order,
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

  static @Nullable DirectRows of(
      ExecContext context,
      WordOrder order,
      int partitionBits,
      Partitions rows,
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
    CudaDirectRows made =
        new CudaDirectRows(
            memory, order, partitionBits, wordBytes, order.range() + 1 == count, bits, status);
    made.setBits(context, rows, 0);
    return made;
  }

  private void setBits(ExecContext context, Partitions rows, int more) {
    CudaStream stream = CudaStream.of(context);
    int shift = order.shift(partitionBits);
    int split = Math.max(0, shift - MOST_SHIFT);
    stream.launch(
        stream.gpu().kernel(FILE, "ara_direct_bits_" + wordBytes),
        1L << partitionBits + split,
        BITS_THREADS,
        1 << (shift - split - 3),
        rows.words(),
        rows.starts(),
        order.base(),
        shift,
        split,
        bits.size() / 4,
        more,
        bits,
        status);
  }

  @Override
  public void add(ExecContext context, Partitions rows) {
    setBits(context, rows, 1);
  }

  /** Rows of a thread that fetches, as in direct.cu. */
  private static int fetchItems(int slotBytes) {
    return slotBytes <= 8 ? 16 : 8;
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
  static int leastBits(WordOrder order, int sharedBytes) {
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
    return "ara_direct_%s_%d_%d_%d".formatted(what, wordBytes, slotBytes(columns, width), width);
  }

  private static void columns(Object[] args, int from, List<Buffer> columns) {
    for (int c = 0; c < COLUMNS; c++) {
      args[from + c] = c < columns.size() ? columns.get(c) : Buffer.EMPTY;
    }
  }

  @Override
  public void fill(
      ExecContext context, Buffer words, int wordBytes, int count, List<Buffer> in, int width) {
    if (slots.size() == 0) {
      slots = memory.allocate(slotBytes(in.size(), width) * (order.range() + 1));
    }
    CudaStream stream = CudaStream.of(context);
    Object[] args = new Object[5 + COLUMNS];
    args[0] = words;
    args[1] = count;
    args[2] = order.base();
    args[3] = slots;
    args[4] = in.size();
    columns(args, 5, in);
    stream.launch(
        stream.gpu().kernel(FILE, name("fill", wordBytes, in.size(), width)),
        CudaWords.blocks(count, THREADS),
        THREADS,
        0,
        args);
  }

  @Override
  public int fetch(
      ExecContext context, Buffer words, int wordBytes, int count, List<Buffer> out, int width) {
    CudaStream stream = CudaStream.of(context);
    stream.fill(status.address() + 8, (byte) 0, 8);
    Object[] args = new Object[8 + COLUMNS];
    args[0] = words;
    args[1] = count;
    args[2] = order.base();
    args[3] = order.range();
    args[4] = complete ? Buffer.EMPTY : bits;
    args[5] = slots;
    args[6] = status.slice(8, 8);
    args[7] = out.size();
    columns(args, 8, out);
    stream.launch(
        stream.gpu().kernel(FILE, name("fetch", wordBytes, out.size(), width)),
        CudaWords.blocks(count, (long) THREADS * fetchItems(slotBytes(out.size(), width))),
        THREADS,
        0,
        args);
    long[] found = CudaWords.read(stream, status, 2);
    return found[0] > 0 ? -1 : (int) found[1];
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
