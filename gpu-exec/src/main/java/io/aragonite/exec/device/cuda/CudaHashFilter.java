package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.HashFilterPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.HashPolicy;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;

/**
 * A filter of a small packed table's words that each block of a probe keeps in shared memory, so
 * that words without a partner are hardly ever looked for in the table; see hash_filter.cuh.
 */
final class CudaHashFilter implements AutoCloseable {
  /** Probe rows from which on it is worth having the filter in each block. */
  static final int LEAST_ROWS = 1 << 21;

  private static final int TILE = HashPolicy.TILE;

  /** Shared memory of a multiprocessor, less what each block needs beside the filter. */
  private static final int SM_SHARED = 200 << 10;

  private static final int MOST_BLOCKS = 8;

  private final QueryMemory memory;
  private Buffer bits;

  /** An empty filter for so many words. */
  CudaHashFilter(CudaStream stream, int words, QueryMemory memory) {
    this.memory = memory;
    this.bits =
        memory.allocate(HashFilterPolicy.WORD_BITS * CudaWords.powerOfTwo(words) / Byte.SIZE);
    stream.fill(bits.address(), (byte) 0, bits.size());
  }

  /** Whether the words of a table are neither too few nor too many. */
  static boolean suits(int words) {
    return words >= HashFilterPolicy.LEAST_WORDS && words <= HashFilterPolicy.MOST_WORDS;
  }

  Buffer bits() {
    return bits;
  }

  /** Bits less one. */
  int mask() {
    return (int) (Byte.SIZE * bits.size() - 1);
  }

  /** What kernels are told of it. */
  Object[] arguments() {
    return new Object[] {bits, mask()};
  }

  /**
   * Launches a kernel whose blocks, or warps, go through items in steps of the grid.
   *
   * @param args the table's, the filter's and others
   */
  void launch(CudaStream stream, CudaKernel kernel, long items, Object[] args) {
    long resident = stream.gpu().sms() * Math.min(MOST_BLOCKS, SM_SHARED / bits.size());
    long blocks = Math.min(CudaWords.blocks(items, TILE), resident);
    stream.launch(kernel, blocks, BlockPolicy.THREADS, (int) bits.size(), args);
  }

  @Override
  public void close() {
    memory.free(bits);
    bits = Buffer.EMPTY;
  }
}
