package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.HostColumn;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows in host memory in the order of a key.
 *
 * @param key its values, ascending as signed integers
 * @param chunks all columns, without indirection, all but the last of a multiple of 64 rows
 * @param starts rows before each chunk
 */
record SortedRun(HostColumn key, List<ColumnBatch> chunks, long[] starts) {
  static SortedRun of(HostColumn key, List<ColumnBatch> chunks) {
    long[] starts = new long[chunks.size()];
    for (int i = 1; i < starts.length; i++) {
      starts[i] = starts[i - 1] + chunks.get(i - 1).rows();
    }
    return new SortedRun(key, chunks, starts);
  }

  /** Whether values of a column can be compared as signed integers of 4 or 8 bytes. */
  static boolean comparable(ColumnShape shape) {
    return switch (shape.storage()) {
      case INT, LONG, CODE -> true;
      default -> false;
    };
  }

  /** The values of a column of chunks. */
  static HostColumn column(List<ColumnBatch> chunks, int column, ColumnShape shape) {
    int width = shape.storage() == Storage.LONG ? Long.BYTES : Integer.BYTES;
    List<Long> addresses = new ArrayList<>();
    List<Long> rows = new ArrayList<>();
    for (ColumnBatch chunk : chunks) {
      Column values = chunk.column(column);
      addresses.add(values.values().address());
      rows.add((long) chunk.rows());
    }
    return chunks.isEmpty() ? HostColumn.of(0, width, 0) : new HostColumn(width, addresses, rows);
  }

  long rows() {
    return key.rows();
  }

  /**
   * Rows of a run.
   *
   * @param skipped rows of the first batch before the first one that is meant: bitmaps can be cut
   *     at multiples of 64 rows only
   */
  record RunSlice(List<ColumnBatch> batches, int skipped, int rows) {}

  /** Whether rows have texts, so that some may be much longer than others. */
  boolean texts() {
    return !chunks.isEmpty()
        && chunks.getFirst().columns().stream().anyMatch(c -> c.shape().storage() == Storage.BYTES);
  }

  /** Bytes of some rows' values. */
  long bytes(long from, long to) {
    long bytes = 0;
    for (int i = 0; i < chunks.size(); i++) {
      ColumnBatch chunk = chunks.get(i);
      long first = Math.max(from, starts[i]) - starts[i];
      long end = Math.min(to, starts[i] + chunk.rows()) - starts[i];
      for (Column column : first < end ? chunk.columns() : List.<Column>of()) {
        long offsets = column.offsets().address();
        bytes +=
            column.shape().storage() == Storage.BYTES
                ? Mem.getInt(offsets + 4 * end) - Mem.getInt(offsets + 4 * first)
                : (end - first) * column.shape().storage().width();
      }
    }
    return bytes;
  }

  /** Some rows, at most 2^31, at least one. */
  RunSlice slice(long from, long to) {
    List<ColumnBatch> batches = new ArrayList<>();
    int skipped = 0;
    for (int i = 0; i < chunks.size(); i++) {
      ColumnBatch chunk = chunks.get(i);
      long first = Math.max(from, starts[i]);
      long end = Math.min(to, starts[i] + chunk.rows());
      if (first < end) {
        int begin = (int) (first - starts[i]);
        int aligned = begin & -64;
        if (batches.isEmpty()) {
          skipped = begin - aligned;
        }
        batches.add(Batches.slice(chunk, aligned, (int) (end - starts[i]) - aligned));
      }
    }
    return new RunSlice(batches, skipped, (int) (to - from));
  }

  /** The same rows in parts of no more than so many, none of which spans two chunks. */
  List<RunSlice> parts(long from, long to, int most) {
    List<RunSlice> parts = new ArrayList<>();
    for (int i = 0; i < chunks.size(); i++) {
      long end = Math.min(to, starts[i] + chunks.get(i).rows());
      for (long first = Math.max(from, starts[i]); first < end; ) {
        long next = Math.min(end, (first - starts[i] & -64) + starts[i] + Math.max(64, most));
        parts.add(slice(first, next));
        first = next;
      }
    }
    return parts;
  }
}
