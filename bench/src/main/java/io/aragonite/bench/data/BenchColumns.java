package io.aragonite.bench.data;

import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Columns of 4 and 8 bytes in a device's memory, made on the host piece by piece. */
public final class BenchColumns {
  public static final int PIECE = 1 << 22;
  public static final int TASK = 1 << 16;

  /** Writes the values of row {@code i}; called by several threads. */
  public interface RowMaker {
    void make(int i, long[] row);
  }

  private BenchColumns() {}

  /** Makes columns of {@code count} rows in the context's memory. */
  public static List<Column> make(ExecContext context, List<Integer> widths, int count, RowMaker maker) {
    int columns = widths.size();
    Transfers transfers = context.device().transfers();
    List<Buffer> buffers = new ArrayList<>();
    for (int width : widths) {
      buffers.add(context.memory().allocate((long) width * count));
    }
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    int piece = Math.min(PIECE, count);
    long[] staging = new long[columns];
    for (int c = 0; c < columns; c++) {
      staging[c] = scratch.allocate((long) widths.get(c) * piece).address();
    }
    for (int from = 0; from < count; from += piece) {
      int start = from;
      int some = Math.min(piece, count - from);
      IntStream.range(0, (some + TASK - 1) / TASK)
          .parallel()
          .forEach(task -> {
            long[] row = new long[columns];
            int end = Math.min(some, (task + 1) * TASK);
            for (int i = task * TASK; i < end; i++) {
              maker.make(start + i, row);
              for (int c = 0; c < columns; c++) {
                put(staging[c], widths.get(c), i, row[c]);
              }
            }
          });
      for (int c = 0; c < columns; c++) {
        long width = widths.get(c);
        Buffer to = buffers.get(c).slice(from * width, some * width);
        transfers.toDevice(context, staging[c], to, some * width);
      }
    }
    scratch.release(mark);
    List<Column> made = new ArrayList<>();
    for (int c = 0; c < columns; c++) {
      ColumnShape shape = ColumnShape.of(widths.get(c) == 4 ? DataType.INT32 : DataType.INT64);
      made.add(new Column(shape, count, buffers.get(c), Buffer.EMPTY, null, null));
    }
    return made;
  }

  private static void put(long address, int width, int i, long value) {
    if (width == 4) {
      Mem.putInt(address + 4L * i, (int) value);
    } else {
      Mem.putLong(address + 8L * i, value);
    }
  }

  /** Bijective mixing of 64 bits (splitmix64's). */
  public static long mix(long x) {
    long y = x + 0x9E3779B97F4A7C15L;
    y = (y ^ y >>> 30) * 0xBF58476D1CE4E5B9L;
    y = (y ^ y >>> 27) * 0x94D049BB133111EBL;
    return y ^ y >>> 31;
  }
}
