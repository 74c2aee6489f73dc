package io.aragonite.bench.join;

import io.aragonite.bench.data.BenchColumns;

import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What has come out of a join so far: the number of rows, and the sum of a hash over each whole
 * row, so that columns that do not belong together are found out.
 */
final class BenchCheck {
  private final long rows;
  private final long hash;
  private long found;
  private final LongAdder sum = new LongAdder();

  /** A check against the rows that must come out, and their hashes' sum. */
  BenchCheck(long rows, long hash) {
    this.rows = rows;
    this.hash = hash;
  }

  /** Takes in a piece of the output. */
  void add(ExecContext context, ColumnBatch batch) {
    Transfers transfers = context.device().transfers();
    int columns = batch.columns().size();
    QueryMemory.Arena scratch = context.hostScratch();
    for (int from = 0; from < batch.rows(); from += BenchColumns.PIECE) {
      long mark = scratch.mark();
      int some = Math.min(BenchColumns.PIECE, batch.rows() - from);
      long[] copies = new long[columns];
      int[] widths = new int[columns];
      for (int c = 0; c < columns; c++) {
        Column column = batch.column(c);
        widths[c] = column.shape().storage().width();
        long bytes = (long) widths[c] * some;
        copies[c] = scratch.allocate(bytes).address();
        Buffer piece = column.values().slice((long) widths[c] * from, bytes);
        transfers.toHost(context, piece, copies[c], bytes);
      }
      IntStream.range(0, (some + BenchColumns.TASK - 1) / BenchColumns.TASK)
          .parallel()
          .forEach(task -> {
            int end = Math.min(some, (task + 1) * BenchColumns.TASK);
            long own = 0;
            for (int i = task * BenchColumns.TASK; i < end; i++) {
              long h = 0;
              for (int c = 0; c < columns; c++) {
                long at = copies[c] + (long) widths[c] * i;
                h = JoinData.fold(h, widths[c] == 4 ? Mem.getInt(at) : Mem.getLong(at));
              }
              own += h;
            }
            sum.add(own);
          });
      scratch.release(mark);
    }
    found += batch.rows();
  }

  /** What is wrong, or null. */
  @Nullable String error() {
    if (found != rows) {
      return "%,d rows came out, not %,d".formatted(found, rows);
    }
    return sum.sum() == hash ? null : "the rows that came out are not the right ones";
  }
}
