package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.memory.Buffer;
import java.util.Arrays;

/**
 * A single pass over rows in tiles that look back at each other; see look_back.cuh.
 *
 * @param states a word a tile; scratch memory
 * @param tiles how many
 * @param result where the kernel writes what the pass finds: pinned memory
 */
record CudaLookBack(CudaStream stream, Buffer states, int tiles, long result) {
  static final int THREADS = BlockPolicy.THREADS;

  /**
   * @param count rows, at least one
   * @param tile rows of a tile
   */
  static CudaLookBack of(ExecContext context, int count, int tile) {
    CudaStream stream = CudaStream.of(context);
    int tiles = blocks(count, tile);
    Buffer states = context.scratch().allocate(8L * tiles);
    if (tiles > 1) {
      stream.fill(states.address(), (byte) 0, states.size());
    }
    return new CudaLookBack(stream, states, tiles, stream.takeResult());
  }

  static int blocks(long items, int tile) {
    return Math.toIntExact((items + tile - 1) / tile);
  }

  /**
   * Launches a kernel of one block a tile.
   *
   * @param args its parameters; the states and the address of the result come behind them
   */
  void launch(KernelFamily family, String kernel, Object... args) {
    launchShared(family, kernel, THREADS, 0, args);
  }

  /**
   * As {@link #launch}.
   *
   * @param threads of a block
   * @param sharedBytes dynamic shared memory of a block
   */
  void launchShared(
      KernelFamily family, String kernel, int threads, int sharedBytes, Object... args) {
    Object[] all = Arrays.copyOf(args, args.length + 2);
    all[args.length] = states;
    all[args.length + 1] = result;
    stream.launch(stream.gpu().kernel(family, kernel), tiles, threads, sharedBytes, all);
  }

  /** What the pass has found; waits for it. */
  long await() {
    return stream.awaitResult(result);
  }
}
