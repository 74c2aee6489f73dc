package io.aragonite.adapter.copy;

import java.io.IOException;
import java.util.List;

/** A file that is being written, in blocks of rows. */
interface FileOutput extends AutoCloseable {
  /** Rows of a block. */
  int blockRows();

  /**
   * Encodes a block; safe for several threads.
   *
   * @return what appends it to the file; called in the order of the blocks, by one thread
   */
  EncodedBlock encode(List<RowSlice> rows) throws IOException;

  /** Writes what stands behind all blocks. */
  void finish() throws IOException;

  @Override
  void close() throws IOException;

  /** A block as it is to be in the file. */
  interface EncodedBlock {
    void append() throws IOException;
  }
}
