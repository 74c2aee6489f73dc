package io.aragonite.adapter.table;

import io.aragonite.adapter.format.arrow.ArrowFile;
import io.aragonite.exec.spill.file.ScratchFile;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rows of a connection's table, as an Arrow file in the folder of spill files; the versions of the
 * table share it. Its first holder is who made it.
 */
final class TableSegment {
  private final ScratchFile scratch;
  private final ArrowFile file;
  private final long rows;
  private final AtomicInteger holders = new AtomicInteger(1);

  TableSegment(ScratchFile scratch, long rows) {
    this.scratch = scratch;
    this.rows = rows;
    this.file = ArrowFile.open(scratch.path());
  }

  ScratchFile scratch() {
    return scratch;
  }

  ArrowFile file() {
    return file;
  }

  long rows() {
    return rows;
  }

  void hold() {
    holders.incrementAndGet();
  }

  void release() {
    if (holders.decrementAndGet() == 0) {
      file.close();
      scratch.close();
    }
  }
}
