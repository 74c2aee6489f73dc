package io.aragonite.adapter.copy;

import io.aragonite.exec.memory.MemoryReservation;
import java.io.IOException;
import java.util.List;

/** A file that is being written, in blocks of rows. */
interface FileOutput extends AutoCloseable {
  /** Rows of a block. */
  int blockRows();

  /** Bytes that encoding a block takes, and its encoded form, about. */
  long memory(long rows, long bytes);

  /**
   * Encodes a block; safe for several threads.
   *
   * @param memory what it and its encoded form count in
   * @return what appends it to the file; called in the order of the blocks, by one thread
   */
  EncodedBlock encode(List<RowSlice> rows, MemoryReservation memory) throws IOException;

  /** Writes what stands behind all blocks. */
  void finish() throws IOException;

  @Override
  void close() throws IOException;

  /** A block as it is to be in the file. */
  interface EncodedBlock {
    void append() throws IOException;
  }
}
