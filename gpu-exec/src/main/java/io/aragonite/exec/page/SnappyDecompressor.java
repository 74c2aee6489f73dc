package io.aragonite.exec.page;

import java.io.IOException;

/**
 * Decompresses Snappy's blocks with a library that the process has anyway, in place of the one in
 * Java; found by {@link java.util.ServiceLoader}.
 */
public interface SnappyDecompressor {
  /** Whether it works in this process: a native library may not. */
  boolean isAvailable();

  /**
   * Decompresses a block to as many bytes as its head says, and no more.
   *
   * @return how many
   * @throws IOException if the block is not valid
   */
  int decompress(long from, int compressed, long to) throws IOException;
}
