package io.aragonite.exec.table;

import io.aragonite.exec.memory.Buffer;
import java.util.List;

/**
 * A run of a column's rows as a file has it.
 *
 * @param pages in the order of the file; a dictionary comes before the pages that refer to it
 * @param dictionary values of its dictionary as they come out, if the host has made them; EMPTY: a
 *     page has them, or there are none
 * @param release gives back what memory it has beside the file's
 */
public record EncodedChunk(int rows, List<StoredPage> pages, Buffer dictionary, Runnable release)
    implements AutoCloseable {
  @Override
  public void close() {
    release.run();
  }
}
