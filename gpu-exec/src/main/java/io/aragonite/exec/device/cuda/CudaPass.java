package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import java.util.Arrays;

/**
 * A single pass over rows in tiles that look back at each other; see lookback.cuh.
 *
 * @param states a word a tile; scratch memory
 * @param tiles how many
 * @param result where the kernel writes what the pass finds: pinned memory
 */
record CudaPass(CudaStream stream, Buffer states, int tiles, long result) {
  static final int THREADS = 256;

  /** Rows of a tile, as in scan.cu: of those that are copied, and of those that are computed. */
  static final int SCAN_TILE = 16_384;

  static final int NARROW_SCAN_TILE = 8192;

  /** Bytes of shared memory of a row in scan.cu. */
  static final int SCAN_ROW_BYTES = 4;

  /** What rows of a block in select.cu are a multiple of, and how many they are at most. */
  private static final int STRETCH = 8192;

  private static final int LONGEST_STRETCH = 16 * STRETCH;

  /** Bytes of shared memory of a block of select.cu, beside a bit a row. */
  private static final int RINGS = 8 * (1024 + 32) * Integer.BYTES;

  /** Blocks of select.cu that a multiprocessor holds. */
  private static final int SELECT_BLOCKS = 4;

  /**
   * @param count rows, at least one
   * @param tile rows of a tile
   */
  static CudaPass of(ExecContext context, int count, int tile) {
    CudaStream stream = CudaStream.of(context);
    int tiles = blocks(count, tile);
    Buffer states = context.scratch().allocate(8L * tiles);
    if (tiles > 1) {
      stream.fill(states.address(), (byte) 0, states.size());
    }
    return new CudaPass(stream, states, tiles, stream.takeResult());
  }

  /** A pass of select.cu, whose blocks are all on the GPU at once as long as there is room. */
  static CudaPass ofSelect(ExecContext context, int count) {
    return of(context, count, stretch(CudaStream.of(context).gpu(), count));
  }

  /** Rows of a block of select.cu. */
  private static int stretch(CudaGpu gpu, int count) {
    int each = blocks(count, SELECT_BLOCKS * gpu.sms());
    return Math.clamp(STRETCH * (long) blocks(each, STRETCH), STRETCH, LONGEST_STRETCH);
  }

  /** Launches a kernel of select.cu: its parameters, the rows of a block, states and result. */
  void launchSelect(String kernel, int count, Object... args) {
    int rows = stretch(stream.gpu(), count);
    Object[] all = Arrays.copyOf(args, args.length + 1);
    all[args.length] = rows;
    launchShared("select", kernel, rows / Byte.SIZE + RINGS, all);
  }

  static int blocks(long items, int tile) {
    return Math.toIntExact((items + tile - 1) / tile);
  }

  /**
   * Launches a kernel of one block a tile.
   *
   * @param args its parameters; the states and the address of the result come behind them
   */
  void launch(String file, String kernel, Object... args) {
    launchShared(file, kernel, 0, args);
  }

  /**
   * As {@link #launch}.
   *
   * @param sharedBytes dynamic shared memory of a block
   */
  void launchShared(String file, String kernel, int sharedBytes, Object... args) {
    Object[] all = Arrays.copyOf(args, args.length + 2);
    all[args.length] = states;
    all[args.length + 1] = result;
    stream.launch(stream.gpu().kernel(file, kernel), tiles, THREADS, sharedBytes, all);
  }

  /** What the pass has found; waits for it. */
  long await() {
    return stream.awaitResult(result);
  }
}
