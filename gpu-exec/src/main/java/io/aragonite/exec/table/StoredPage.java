package io.aragonite.exec.table;

import io.aragonite.exec.page.PageCodec;
import io.aragonite.exec.page.PageEncoding;

/**
 * A page of a column chunk in host memory, as a file has it, or as the host has decompressed it.
 *
 * @param number within its chunk, for errors
 * @param address of its bytes
 * @param bytes how many
 * @param plainBytes how many of them, at the beginning, are not compressed whatever the others are
 * @param codec what the others are compressed by
 * @param size bytes of the page when it is decompressed
 * @param dictionary whether it is the chunk's dictionary, whose rows are values
 * @param levelBytes as of {@link io.aragonite.exec.page.EncodedPage}
 */
public record StoredPage(
    int number,
    long address,
    int bytes,
    int plainBytes,
    PageCodec codec,
    int size,
    boolean dictionary,
    int levelBytes,
    PageEncoding encoding,
    int rows) {
  /** Whether a part of it is compressed. */
  public boolean compressed() {
    return codec != PageCodec.NONE;
  }

  /** The same page decompressed. */
  public StoredPage decompressed(long at) {
    return new StoredPage(
        number, at, size, 0, PageCodec.NONE, size, dictionary, levelBytes, encoding, rows);
  }
}
