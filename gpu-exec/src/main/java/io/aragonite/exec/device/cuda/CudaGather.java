package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.GatherPolicy;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import org.jspecify.annotations.Nullable;

/** Copies through row ids: materialize, gatherIds, scatter, mark, rehash. */
final class CudaGather {
  private static final int THREADS = BlockPolicy.THREADS;

  /** Rows of a block. */
  private static final int TILE = GatherPolicy.TILE;

  private CudaGather() {}

  private static void launch(CudaStream stream, String kernel, long rows, Object... args) {
    stream.launch(
        stream.gpu().kernel(KernelFamily.GATHER, kernel),
        CudaLookBack.blocks(rows, TILE),
        THREADS,
        0,
        args);
  }

  static void gatherIds(ExecContext context, Buffer ids, Buffer positions, int count, Buffer out) {
    // Without ids all positions are -1, and none is read.
    launch(CudaStream.of(context), "ara_gather_ids", count, ids, positions, count, out);
  }

  static void scatter(
      ExecContext context, Buffer in, Buffer ids, int count, int width, Buffer out) {
    launch(CudaStream.of(context), "ara_scatter_" + width, count, in, ids, count, out);
  }

  static void mark(ExecContext context, Buffer ids, int count, Buffer flags) {
    launch(CudaStream.of(context), "ara_mark", count, ids, count, flags);
  }

  static void rehash(
      ExecContext context, Buffer words, Buffer groups, Buffer positions, int count, Buffer out) {
    CudaStream stream = CudaStream.of(context);
    stream.launch(
        stream.gpu().kernel(KernelFamily.GATHER, "ara_rehash"),
        stream.gridStride(count, THREADS),
        THREADS,
        0,
        words,
        groups,
        positions,
        count,
        out);
  }

  static Column materialize(ExecContext context, Column column, Allocator allocator) {
    CudaStream stream = CudaStream.of(context);
    int rows = column.rows();
    Storage storage = column.shape().storage();
    Buffer validity =
        mayBeNull(column) ? allocator.allocate((rows + 63) / 64 * (long) Long.BYTES) : null;
    ColumnShape shape = validity == null ? column.shape() : column.shape().withMayBeNull(true);
    if (storage == Storage.NONE || storage == Storage.BYTES) {
      if (validity != null && rows > 0) {
        bits(stream, column, validity, 0);
      }
      return storage == Storage.NONE
          ? new Column(shape, rows, Buffer.EMPTY, Buffer.EMPTY, validity, null)
          : texts(context, shape, column, validity, allocator);
    }
    Buffer values = allocator.allocate((long) rows * storage.width());
    if (rows > 0) {
      fixed(stream, column, values, validity, 0);
    }
    return new Column(shape, rows, values, Buffer.EMPTY, validity, null);
  }

  static boolean mayBeNull(Column column) {
    RowIds rowIds = column.rowIds();
    return column.shape().storage() == Storage.NONE
        || column.validity() != null
        || (rowIds != null && rowIds.mayBeNull());
  }

  static Buffer ids(Column column) {
    RowIds rowIds = column.rowIds();
    return rowIds == null ? Buffer.EMPTY : rowIds.ids();
  }

  static Buffer orEmpty(@Nullable Buffer buffer) {
    return buffer == null ? Buffer.EMPTY : buffer;
  }

  /**
   * Copies all rows to the rows of {@code out} from {@code at} on.
   *
   * @param outBits their validity; null if nobody wants to know
   */
  static void fixed(
      CudaStream stream, Column column, Buffer out, @Nullable Buffer outBits, int at) {
    int width = column.shape().storage().width();
    if (column.rowIds() != null) {
      gather(stream, "ara_gather_" + width, column, out, outBits, at);
      return;
    }
    long bytes = (long) column.rows() * width;
    stream.copy(column.values().address(), out.address() + (long) at * width, bytes);
    if (outBits != null) {
      bits(stream, column, outBits, at);
    }
  }

  /**
   * Launches one of the kernels that gather values and validity.
   *
   * @param more arguments behind the usual ones
   */
  static void gather(
      CudaStream stream,
      String kernel,
      Column column,
      Buffer out,
      @Nullable Buffer outBits,
      int at,
      Object... more) {
    Object[] args = new Object[7 + more.length];
    // No data means that all ids are -1; an address of 0 would leave the values undefined.
    args[0] = column.values().address() == 0 ? out : column.values();
    args[1] = ids(column);
    args[2] = orEmpty(column.validity());
    args[3] = out;
    args[4] = orEmpty(outBits);
    args[5] = at;
    args[6] = column.rows();
    System.arraycopy(more, 0, args, 7, more.length);
    launch(stream, kernel, (at & 31) + (long) column.rows(), args);
  }

  /** Writes the validity of all rows, of which there is one at least, from bit {@code at} on. */
  static void bits(CudaStream stream, Column column, Buffer outBits, int at) {
    int rows = column.rows();
    boolean zeros = column.shape().storage() == Storage.NONE;
    Buffer bits = zeros ? Buffer.EMPTY : orEmpty(column.validity());
    if (column.rowIds() != null && !zeros) {
      launch(
          stream,
          "ara_gather_4",
          (at & 31) + (long) rows,
          Buffer.EMPTY,
          ids(column),
          bits,
          Buffer.EMPTY,
          outBits,
          at,
          rows);
      return;
    }
    long words = ((at & 31) + (long) rows + 31) / 32;
    stream.launch(
        stream.gpu().kernel(KernelFamily.GATHER, "ara_copy_bits"),
        CudaLookBack.blocks(words, THREADS),
        THREADS,
        0,
        bits,
        zeros ? 1 : 0,
        outBits,
        at,
        rows);
  }

  private static Column texts(
      ExecContext context,
      ColumnShape shape,
      Column column,
      @Nullable Buffer validity,
      Allocator allocator) {
    int rows = column.rows();
    Buffer offsets = allocator.allocate(4L * rows + 4);
    CudaTexts texts = CudaTexts.of(column);
    long total = texts.writeOffsets(context, 0, offsets);
    if (total > Integer.MAX_VALUE) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "%,d rows of text take %,d bytes, more than the 2 GiB that one column can hold; split the result"
              .formatted(rows, total));
    }
    Buffer values = allocator.allocate(total);
    texts.copyBytes(context, offsets, total, values);
    return new Column(shape, rows, values, offsets, validity, null);
  }

  static void shiftOffsets(CudaStream stream, Buffer in, int delta, int rows, Buffer out) {
    launch(stream, "ara_shift_offsets", rows + 1L, in, delta, rows, out);
  }
}
