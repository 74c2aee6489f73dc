package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;

/**
 * A single pass over rows in tiles that look back at each other; see lookback.cuh.
 *
 * @param words the tiles' states, and the result; scratch memory
 * @param tiles how many
 */
record CudaPass(CudaStream stream, Buffer words, int tiles) {
  static final int THREADS = 256;

  /** Rows of a tile, as in scan.cu. */
  static final int SCAN_TILE = 4096;

  private static final int HEADER = 2;

  /**
   * @param count rows, at least one
   * @param tile rows of a tile
   */
  static CudaPass of(ExecContext context, int count, int tile) {
    CudaStream stream = CudaStream.of(context);
    int tiles = blocks(count, tile);
    Buffer words = context.scratch().allocate(8L * (HEADER + tiles));
    if (tiles > 1) {
      stream.fill(words.address(), (byte) 0, words.size());
    }
    return new CudaPass(stream, words, tiles);
  }

  static int blocks(long items, int tile) {
    return Math.toIntExact((items + tile - 1) / tile);
  }

  void launch(String file, String kernel, Object... args) {
    stream.launch(stream.gpu().kernel(file, kernel), tiles, THREADS, 0, args);
  }

  /** What the pass has found; waits for it. */
  long result() {
    return stream.readLong(words.address() + 8);
  }
}
