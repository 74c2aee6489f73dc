package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.cuda.CudaConstants.HashFilterPolicy;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;

/**
 * A filter of a packed table's words that each block of a probe keeps in shared memory, so that
 * words without a partner are hardly ever looked for in the table: a bit for each word of a range
 * where that fits, else a Bloom filter; see hash_filter.cuh.
 */
final class CudaHashFilter implements AutoCloseable {
  /** Probe rows from which on it is worth having a small filter in each block. */
  static final int LEAST_ROWS = 1 << 21;

  /** ... and how many for each byte of a larger one. */
  private static final int ROWS_A_BYTE = 16;

  /** Blocks bring 16 bytes at a time. */
  private static final int BITS_TOGETHER = 128;

  private final QueryMemory memory;
  private final int bitCount;
  private final boolean exact;
  private Buffer words;

  private CudaHashFilter(QueryMemory memory, int bitCount, boolean exact) {
    this.memory = memory;
    this.bitCount = bitCount;
    this.exact = exact;
    this.words = memory.allocate(bitCount / Byte.SIZE);
  }

  /**
   * An empty filter.
   *
   * @param words of the table
   * @param range the greatest distance between them, unsigned
   */
  static CudaHashFilter empty(CudaStream stream, int words, long range, QueryMemory memory) {
    int bits = (int) Math.min(mostBits(stream), wantedBits(stream, words, range));
    CudaHashFilter filter = new CudaHashFilter(memory, bits, isExact(stream, range));
    stream.fill(filter.words.address(), (byte) 0, filter.words.size());
    return filter;
  }

  /** Whether a filter of such a table is worth its work for so many probe rows. */
  static boolean suits(CudaStream stream, int words, long range, int probeRows) {
    int most = mostBits(stream);
    boolean fits =
        isExact(stream, range) || (long) HashFilterPolicy.LEAST_WORD_BITS * words <= most;
    long bytes = Math.min(most, wantedBits(stream, words, range)) / Byte.SIZE;
    return fits
        && words >= HashFilterPolicy.LEAST_WORDS
        && probeRows >= Math.max(LEAST_ROWS, ROWS_A_BYTE * bytes);
  }

  private static boolean isExact(CudaStream stream, long range) {
    return Long.compareUnsigned(range, mostBits(stream)) < 0;
  }

  private static long wantedBits(CudaStream stream, int words, long range) {
    long wanted = isExact(stream, range) ? range + 1 : (long) HashFilterPolicy.WORD_BITS * words;
    return BITS_TOGETHER * CudaWords.blocks(wanted, BITS_TOGETHER);
  }

  /** Bits that a block of this GPU has room for. */
  private static int mostBits(CudaStream stream) {
    int bytes = stream.gpu().maxSharedBytes() - HashFilterPolicy.WAITING_BYTES;
    return Math.min(HashFilterPolicy.MOST_BITS, Byte.SIZE * bytes) / BITS_TOGETHER * BITS_TOGETHER;
  }

  /** What kernels are told of it. */
  Object[] arguments() {
    return new Object[] {words, bitCount, exact ? 1 : 0};
  }

  /**
   * Launches a kernel whose warps go through segments of rows in steps of the grid.
   *
   * @param args the table's, the filter's and others
   */
  void launch(CudaStream stream, CudaKernel kernel, long rows, Object[] args) {
    long blocks = CudaWords.blocks(rows, (long) HashFilterPolicy.SEGMENT * HashFilterPolicy.WARPS);
    stream.launch(
        kernel,
        Math.min(blocks, stream.gpu().sms()),
        HashFilterPolicy.THREADS,
        (int) words.size() + HashFilterPolicy.WAITING_BYTES,
        args);
  }

  @Override
  public void close() {
    memory.free(words);
    words = Buffer.EMPTY;
  }
}
