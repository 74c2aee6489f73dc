package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import java.util.Arrays;

/**
 * The positions of rows that a test passes: select, see select.cu, selectIds, see select_ids.cu,
 * and runLengthEncode, see run_length_encode.cu.
 */
final class CudaSelect {
  private static final KernelFamily FAMILY = KernelFamily.RUN_LENGTH_ENCODE;
  private static final int THREADS = CudaPass.THREADS;

  /** Rows that a warp tests together, and how often at most, as in run_length_encode.cu. */
  private static final int UNIT = 1024;

  private static final int UNITS = 4;
  private static final int WARPS = THREADS / 32;

  /** Shared memory in which positions wait. */
  private static final int ROOMS = WARPS * (2048 + 32) / 32 * 34 * Short.BYTES;

  /** Blocks that a multiprocessor should have before tiles grow. */
  private static final int BLOCKS = 2;

  /** Tiles that each block for itself adds the counts of all tiles before to. */
  private static final int TILES = 8192;

  /** Threads of a block of select.cu and select_ids.cu, two of which fill a multiprocessor. */
  private static final int PICK_THREADS = 512;

  private static final int PICK_BLOCKS = 2;
  private static final int PICK_WARPS = PICK_THREADS / 32;

  /** How often a warp tests {@link #UNIT} rows in select.cu at most. */
  private static final int PICK_UNITS = 32;

  /**
   * Shared memory of such a block: its rows' bits for each unit of a warp, where positions wait.
   */
  private static final int PICK_UNIT_BYTES = PICK_WARPS * UNIT / 8;

  private static final int PICK_ROOMS = PICK_WARPS * (1024 + 32) / 32 * 34 * Short.BYTES;

  /** What else a block may have of it. */
  private static final int PICK_OTHER = 1024;

  /** Rows of a piece of select_ids.cu, and what a block keeps of each of its pieces. */
  private static final int PIECE = PICK_WARPS * 2 * UNIT;

  private static final int PIECE_BYTES = PIECE / 8 + 4 * PICK_WARPS + 8;

  /** Pieces of a block at most: a lane each. */
  private static final int MOST_PIECES = 32;

  /** Shared memory where positions wait there, and what else two blocks have of it, each. */
  private static final int IDS_ROOMS = PICK_WARPS * (1024 + 32) * Short.BYTES;

  private static final int IDS_OTHER = 2048;

  /**
   * Rows of a launch there, so that pieces' counts have words and most of its blocks run at once.
   */
  private static final int LAUNCH_ROWS = 1 << 27;

  private CudaSelect() {}

  static int select(ExecContext context, Buffer flags, int count, boolean set, Buffer out) {
    return pick(context, "ara_select", count, out, flags, set ? 0 : 1);
  }

  /** The rows whose bit is on. */
  static int selectBits(ExecContext context, Buffer bits, int count, Buffer out) {
    return pick(context, "ara_select_bits", count, out, bits);
  }

  static int selectIds(ExecContext context, Buffer ids, int count, boolean matched, Buffer out) {
    int found = 0;
    int from = 0;
    while (from < count) {
      int rows = Math.min(LAUNCH_ROWS, count - from);
      Buffer some = ids.slice(4L * from, 4L * rows);
      found += pickIds(context, some, rows, from, matched ? 0 : 1, out.address() + 4L * found);
      from += rows;
    }
    return found;
  }

  static int runLengthEncode(ExecContext context, Buffer keys, int count, Buffer outStarts) {
    if (count == 0) {
      CudaStream.of(context).fill(outStarts.address(), (byte) 0, Integer.BYTES);
      return 0;
    }
    return runStarts(context, keys, Long.BYTES, count, outStarts);
  }

  /** As runLengthEncode, of at least one key of 8 or of 4 bytes. */
  static int runStarts(
      ExecContext context, Buffer keys, int keyBytes, int count, Buffer outStarts) {
    String kernel = keyBytes == Integer.BYTES ? "ara_run_starts_4" : "ara_run_starts";
    return positions(context, kernel, count, outStarts, count, keys);
  }

  /**
   * By one kernel.
   *
   * @param source the kernel's first arguments
   */
  private static int pick(
      ExecContext context, String kernel, int count, Buffer out, Object... source) {
    if (count == 0) {
      return 0;
    }
    CudaStream stream = CudaStream.of(context);
    int room = stream.gpu().maxSharedBytes() - PICK_ROOMS - PICK_OTHER;
    int most = Math.min(PICK_UNITS, room / PICK_UNIT_BYTES);
    int even = CudaPass.blocks(count, PICK_WARPS * UNIT * PICK_BLOCKS * stream.gpu().sms());
    int units = Math.min(most, even);
    long result = stream.takeResult();
    Object[] more = {count, units, stream.counts()};
    stream.launchCounting(
        stream.gpu().kernel(KernelFamily.SELECT, kernel),
        CudaPass.blocks(count, PICK_WARPS * UNIT * units),
        PICK_THREADS,
        PICK_ROOMS + units * PICK_UNIT_BYTES,
        launch -> CudaFold.join(source, more, new Object[] {launch, out, result}));
    return (int) stream.awaitResult(result);
  }

  /**
   * @param start the number of the first row
   * @param out the address of the first position
   */
  private static int pickIds(
      ExecContext context, Buffer ids, int rows, int start, int flip, long out) {
    CudaStream stream = CudaStream.of(context);
    int room = stream.gpu().maxSharedBytes() / PICK_BLOCKS - IDS_ROOMS - IDS_OTHER;
    int most = Math.min(MOST_PIECES, room / PIECE_BYTES);
    int pieces = CudaPass.blocks(rows, PIECE);
    int resident = Math.min(pieces, PICK_BLOCKS * stream.gpu().sms());
    long result = stream.takeResult();
    stream.launchCounting(
        stream.gpu().kernel(KernelFamily.SELECT_IDS, "ara_select_ids"),
        Math.max(resident, CudaPass.blocks(pieces, most)),
        PICK_THREADS,
        most * PIECE_BYTES + IDS_ROOMS,
        launch ->
            new Object[] {ids, flip, rows, start, most, stream.counts(), launch, out, result});
    return (int) stream.awaitResult(result);
  }

  /**
   * By two kernels.
   *
   * @param end what is written behind the positions; 0: nothing
   * @param source the kernel's first arguments
   */
  private static int positions(
      ExecContext context, String kernel, int count, Buffer out, int end, Object... source) {
    if (count == 0) {
      return 0;
    }
    CudaStream stream = CudaStream.of(context);
    int units =
        Math.clamp(CudaPass.blocks(count, WARPS * UNIT * BLOCKS * stream.gpu().sms()), 1, UNITS);
    int tileRows = WARPS * UNIT * units;
    int tiles = CudaPass.blocks(count, tileRows);
    boolean one = tiles == 1;
    long result = stream.takeResult();
    long mark = context.scratch().mark();
    Buffer bits = context.scratch().allocate((long) tiles * tileRows / 8);
    Buffer counts = one ? Buffer.EMPTY : context.scratch().allocate((long) tiles * Short.BYTES);
    Object[] args = Arrays.copyOf(source, source.length + 7);
    Object[] more = {count, units, bits, counts, out, end, result};
    System.arraycopy(more, 0, args, source.length, more.length);
    stream.launch(stream.gpu().kernel(FAMILY, kernel), tiles, THREADS, one ? ROOMS : 0, args);
    if (!one) {
      int per = CudaPass.blocks(tiles, TILES);
      stream.launch(
          stream.gpu().kernel(FAMILY, "ara_select_write"),
          CudaPass.blocks(tiles, per),
          THREADS,
          ROOMS,
          bits,
          counts,
          tiles,
          per,
          count,
          units,
          out,
          end,
          result);
    }
    context.scratch().release(mark);
    return (int) stream.awaitResult(result);
  }
}
