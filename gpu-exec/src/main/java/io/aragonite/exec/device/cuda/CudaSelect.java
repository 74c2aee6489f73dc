package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.PositionsPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.RunLengthEncodePolicy;
import io.aragonite.exec.device.cuda.CudaConstants.SelectIdsPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.SelectPolicy;
import io.aragonite.exec.memory.Buffer;
import java.util.Arrays;

/**
 * The positions of rows that a test passes: select, see agent/select.cuh, selectIds, see
 * agent/select_ids.cuh, and runLengthEncode, see agent/run_length_encode.cuh.
 */
final class CudaSelect {
  private static final KernelFamily FAMILY = KernelFamily.RUN_LENGTH_ENCODE;
  private static final int THREADS = BlockPolicy.THREADS;
  private static final int WARPS = BlockPolicy.WARPS;

  /** Rows that a warp tests together. */
  private static final int UNIT = PositionsPolicy.UNIT;

  /** Shared memory in which positions of runs wait. */
  private static final int ROOMS = WARPS * RunLengthEncodePolicy.ROOM_BYTES;

  /** Blocks that a multiprocessor should have before tiles grow. */
  private static final int BLOCKS = 2;

  /** Tiles that each block for itself adds the counts of all tiles before to. */
  private static final int TILES = 8192;

  /** Shared memory of a block that selects: its rows' bits for each unit of a warp. */
  private static final int UNIT_BYTES = SelectPolicy.WARPS * UNIT / 8;

  /** Shared memory where positions wait there, and what else a block may have of it. */
  private static final int SELECT_ROOMS = SelectPolicy.WARPS * SelectPolicy.ROOM_BYTES;

  private static final int SELECT_OTHER = 1024;

  /** The same of a block that selects by ids, of which two have what there is. */
  private static final int IDS_ROOMS = SelectIdsPolicy.WARPS * SelectIdsPolicy.ROOM_BYTES;

  private static final int IDS_OTHER = 2048;

  /**
   * Rows of a launch by ids, so that pieces' counts have words and most of its blocks run at once.
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

  static int selectUpTo(ExecContext context, Buffer words, int count, long bound, Buffer out) {
    return pick(context, "ara_select_up_to", count, out, words, bound);
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
    return (int) positions(context, kernel, count, outStarts, count, 0, keys);
  }

  /** As {@link io.aragonite.exec.device.SortOps#ascendingRuns}. */
  static int ascendingRuns(
      ExecContext context, Buffer keys, int keyBytes, int count, Buffer outStarts) {
    if (count == 0) {
      return runLengthEncode(context, keys, 0, outStarts);
    }
    String kernel = keyBytes == Integer.BYTES ? "ara_ascending_runs_4" : "ara_ascending_runs";
    long mark = context.scratch().mark();
    Buffer falls = context.scratch().allocate(Integer.BYTES);
    CudaStream.of(context).fill(falls.address(), (byte) 0, Integer.BYTES);
    long found = positions(context, kernel, count, outStarts, count, falls.address(), keys, falls);
    context.scratch().release(mark);
    return found >>> Integer.SIZE == 0 ? (int) found : -1;
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
    int room = stream.gpu().maxSharedBytes() - SELECT_ROOMS - SELECT_OTHER;
    int most = Math.min(SelectPolicy.UNITS, room / UNIT_BYTES);
    int even =
        CudaLookBack.blocks(
            count, SelectPolicy.WARPS * UNIT * SelectPolicy.BLOCKS * stream.gpu().sms());
    int units = Math.min(most, even);
    long result = stream.takeResult();
    Object[] more = {count, units, stream.counts()};
    stream.launchCounting(
        stream.gpu().kernel(KernelFamily.SELECT, kernel),
        CudaLookBack.blocks(count, SelectPolicy.WARPS * UNIT * units),
        SelectPolicy.THREADS,
        SELECT_ROOMS + units * UNIT_BYTES,
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
    int room = stream.gpu().maxSharedBytes() / SelectIdsPolicy.BLOCKS - IDS_ROOMS - IDS_OTHER;
    int most = Math.min(SelectIdsPolicy.PIECES, room / SelectIdsPolicy.PIECE_BYTES);
    int pieces = CudaLookBack.blocks(rows, SelectIdsPolicy.PIECE);
    int resident = Math.min(pieces, SelectIdsPolicy.BLOCKS * stream.gpu().sms());
    long result = stream.takeResult();
    stream.launchCounting(
        stream.gpu().kernel(KernelFamily.SELECT_IDS, "ara_select_ids"),
        Math.max(resident, CudaLookBack.blocks(pieces, most)),
        SelectIdsPolicy.THREADS,
        most * SelectIdsPolicy.PIECE_BYTES + IDS_ROOMS,
        launch ->
            new Object[] {ids, flip, rows, start, most, stream.counts(), launch, out, result});
    return (int) stream.awaitResult(result);
  }

  /**
   * By two kernels.
   *
   * @param end what is written behind the positions; 0: nothing
   * @param falls where the first kernel says that a key was less than the one before; 0: nowhere
   * @param source the kernel's first arguments
   * @return how many there are, and a bit in the high half if a key was less
   */
  private static long positions(
      ExecContext context,
      String kernel,
      int count,
      Buffer out,
      int end,
      long falls,
      Object... source) {
    if (count == 0) {
      return 0;
    }
    CudaStream stream = CudaStream.of(context);
    int units =
        Math.clamp(
            CudaLookBack.blocks(count, WARPS * UNIT * BLOCKS * stream.gpu().sms()),
            1,
            RunLengthEncodePolicy.UNITS);
    int tileRows = WARPS * UNIT * units;
    int tiles = CudaLookBack.blocks(count, tileRows);
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
      int per = CudaLookBack.blocks(tiles, TILES);
      stream.launch(
          stream.gpu().kernel(FAMILY, "ara_select_write"),
          CudaLookBack.blocks(tiles, per),
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
          result,
          falls);
    }
    context.scratch().release(mark);
    return stream.awaitResult(result);
  }
}
