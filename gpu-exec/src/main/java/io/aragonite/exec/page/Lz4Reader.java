package io.aragonite.exec.page;

import io.airlift.compress.v3.lz4.Lz4JavaDecompressor;

/** Undoes the compression of a block of LZ4. Not safe for several threads. */
public final class Lz4Reader {
  private final Lz4JavaDecompressor decompressor = new Lz4JavaDecompressor();

  /**
   * Decompresses a page, which must give {@code size} bytes.
   *
   * @throws MalformedPageException if it does not
   */
  public void decompress(long from, int compressed, long to, int size) {
    CompressedBlocks.decompress(decompressor, "LZ4", from, compressed, to, size);
  }
}
