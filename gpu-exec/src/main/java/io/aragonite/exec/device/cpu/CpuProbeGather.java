package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.Parallel;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Probe and gather in one: pieces of the words that stay in cache together with the rows they find,
 * the workers beside each other.
 */
final class CpuProbeGather {
  private static final int PIECE = 1 << 13;
  private static final int TASK = 1 << 17;

  private CpuProbeGather() {}

  static int fetch(
      ExecContext context,
      CpuHashTable table,
      Buffer words,
      int wordBytes,
      int count,
      List<MovedColumn> columns) {
    AtomicInteger matches = new AtomicInteger();
    Parallel parallel = context.parallel();
    int tasks = (int) (((long) count + TASK - 1) / TASK);
    parallel.forEach(
        tasks,
        (worker, task) -> {
          long mark = worker.scratch().mark();
          Buffer wide = worker.scratch().allocate(8L * PIECE);
          long found = worker.scratch().allocate(4L * PIECE).address();
          int end = (int) Math.min(count, (task + 1L) * TASK);
          int own = 0;
          for (int from = task * TASK; from < end; from += PIECE) {
            worker.checkCancelled();
            int some = Math.min(PIECE, end - from);
            long in = words.address() + (long) wordBytes * from;
            if (wordBytes == Integer.BYTES) {
              CpuScan.convert(in, Integer.BYTES, some, Long.BYTES, wide.address());
              in = wide.address();
            }
            table.lookup(worker, in, some, found);
            for (int i = 0; i < some; i++) {
              own += ~Mem.getInt(found + 4L * i) >>> 31;
            }
            for (MovedColumn column : columns) {
              gather(column, from, some, found);
            }
          }
          matches.addAndGet(own);
          worker.scratch().release(mark);
        });
    return matches.get();
  }

  /** Rows of -1 read the first row, if there is any. */
  static void gather(MovedColumn column, int from, int rows, long found) {
    int width = column.width();
    if (column.in().size() < width) {
      return;
    }
    long in = column.in().address();
    long out = column.out().address() + (long) width * from;
    switch (width) {
      case 4 -> {
        for (int i = 0; i < rows; i++) {
          long row = Math.max(0, Mem.getInt(found + 4L * i));
          Mem.putInt(out + 4L * i, Mem.getInt(in + 4 * row));
        }
      }
      case 8 -> {
        for (int i = 0; i < rows; i++) {
          long row = Math.max(0, Mem.getInt(found + 4L * i));
          Mem.putLong(out + 8L * i, Mem.getLong(in + 8 * row));
        }
      }
      case 2 -> {
        for (int i = 0; i < rows; i++) {
          long row = Math.max(0, Mem.getInt(found + 4L * i));
          Mem.putShort(out + 2L * i, Mem.getShort(in + 2 * row));
        }
      }
      case 1 -> {
        for (int i = 0; i < rows; i++) {
          long row = Math.max(0, Mem.getInt(found + 4L * i));
          Mem.putByte(out + i, Mem.getByte(in + row));
        }
      }
      default -> throw new IllegalArgumentException("a column of " + width + " bytes a row");
    }
  }
}
