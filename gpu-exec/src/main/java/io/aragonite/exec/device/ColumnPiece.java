package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Chunks of a column in host memory laid out as one piece of a device's memory: which bytes go
 * where, and what is to be done when they are there.
 */
public final class ColumnPiece {
  private final List<Column> chunks;
  private final Column column;
  private final List<ColumnMemory.Copy> copies = new ArrayList<>();

  /**
   * @param chunks in host memory, without indirection, each but the last of a multiple of 64 rows
   * @param allocate where the piece's buffers come from
   * @param setBits sets all bits of a buffer of the device, now
   * @throws AragoniteException RESULT_TOO_LARGE if texts have more bytes than 32-bit offsets reach
   */
  public ColumnPiece(
      ColumnShape shape,
      List<Column> chunks,
      LongFunction<Buffer> allocate,
      Consumer<Buffer> setBits) {
    this.chunks = chunks;
    boolean text = shape.storage() == Storage.BYTES;
    int width = shape.storage().width();
    int rows = Math.toIntExact(chunks.stream().mapToLong(Column::dataRows).sum());
    long textBytes = chunks.stream().mapToLong(ColumnPiece::textBytes).sum();
    if (textBytes > Integer.MAX_VALUE) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "%,d rows of a column have %,d bytes of text, and a device takes %,d at a time: read the"
                  .formatted(rows, textBytes, Integer.MAX_VALUE)
              + " table in smaller parts, or shorten the texts");
    }
    Buffer values = allocate.apply(text ? textBytes : (long) rows * width);
    Buffer offsets = text ? allocate.apply(4L * rows + 4) : Buffer.EMPTY;
    boolean nulls = chunks.stream().anyMatch(chunk -> chunk.validity() != null);
    Buffer validity = nulls ? allocate.apply((rows + 63L) / 64 * 8) : null;
    if (validity != null && MemoryDebug.SLACK && rows > 0) {
      // Kernels read words of validity, of which the last rows' may be copied in part.
      setBits.accept(validity.slice(validity.size() - 8, 8));
    }
    this.column = new Column(shape, rows, values, offsets, validity, null);
    long row = 0;
    long textAt = 0;
    for (int i = 0; i < chunks.size(); i++) {
      Column chunk = chunks.get(i);
      int count = chunk.dataRows();
      if (text) {
        long bytes = textBytes(chunk);
        copy(chunk.values().address() + offset(chunk, 0), values.slice(textAt, bytes));
        // The end of a chunk is the beginning of the next, and written by that.
        int ends = i + 1 == chunks.size() ? 1 : 0;
        copy(chunk.offsets().address(), offsets.slice(4 * row, 4L * (count + ends)));
        textAt += bytes;
      } else if (width > 0) {
        copy(chunk.values().address(), values.slice(row * width, (long) count * width));
      }
      if (validity != null) {
        copyValidity(chunk.validity(), validity.slice(row / 8, (count + 7) / 8), setBits);
      }
      row += count;
    }
  }

  /** Bytes that a chunk, or a slice of one, takes on a device. */
  public static long bytes(Column chunk) {
    Buffer validity = chunk.validity();
    long values =
        chunk.shape().storage() == Storage.BYTES
            ? textBytes(chunk) + 4L * chunk.dataRows()
            : (long) chunk.dataRows() * chunk.shape().storage().width();
    return values + (validity == null ? 0 : validity.size());
  }

  /** Bytes of a chunk's texts; 0 if it has none. */
  public static long textBytes(Column chunk) {
    return chunk.shape().storage() == Storage.BYTES
        ? offset(chunk, chunk.dataRows()) - offset(chunk, 0)
        : 0;
  }

  private static long offset(Column chunk, int row) {
    return Mem.getInt(chunk.offsets().address() + 4L * row);
  }

  private void copy(long host, Buffer device) {
    if (device.size() > 0) {
      copies.add(new ColumnMemory.Copy(host, device));
    }
  }

  private void copyValidity(@Nullable Buffer host, Buffer device, Consumer<Buffer> setBits) {
    if (host == null) {
      setBits.accept(device);
    } else {
      copy(host.address(), device);
    }
  }

  /** The column on the device: right when the copies are made, and then {@link #finish} is. */
  public Column column() {
    return column;
  }

  /** What is to be copied. */
  public List<ColumnMemory.Copy> copies() {
    return copies;
  }

  /** Makes offsets into the chunks' bytes offsets into the piece's. */
  public void finish(ExecContext context) {
    if (column.shape().storage() != Storage.BYTES) {
      return;
    }
    long row = 0;
    long at = 0;
    for (int i = 0; i < chunks.size(); i++) {
      Column chunk = chunks.get(i);
      long count = (long) chunk.dataRows() + (i + 1 == chunks.size() ? 1 : 0);
      long summand = at - offset(chunk, 0);
      if (summand != 0) {
        context
            .device()
            .transfers()
            .add(context, column.offsets().slice(4 * row, 4 * count), (int) summand);
      }
      at += textBytes(chunk);
      row += chunk.dataRows();
    }
  }
}
