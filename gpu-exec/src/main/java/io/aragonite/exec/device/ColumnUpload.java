package io.aragonite.exec.device;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings a table's column to a device in few large pieces, whatever the size of its chunks on the
 * host: a device wants millions of rows at a time.
 */
final class ColumnUpload {
  private final ExecContext context;
  private final ColumnMemory memory;
  private final String what;
  private final int pieceRows;
  private final long pieceBytes;
  private final List<Buffer> buffers = new ArrayList<>();
  private final List<ColumnMemory.Copy> copies = new ArrayList<>();

  /**
   * @param what the column's name, for messages
   * @param pieceRows rows of a piece at most, a multiple of 64; a chunk is never split
   * @param pieceBytes bytes of text of a piece at most
   */
  ColumnUpload(
      ExecContext context, ColumnMemory memory, String what, int pieceRows, long pieceBytes) {
    this.context = context;
    this.memory = memory;
    this.what = what;
    this.pieceRows = pieceRows;
    this.pieceBytes = pieceBytes;
  }

  /** What the column holds on the device, to be freed one day. */
  List<Buffer> buffers() {
    return buffers;
  }

  /**
   * @param chunks in host memory, each but the last of a multiple of 64 rows
   * @return the same rows on the device; they are there
   */
  List<Column> upload(ColumnShape shape, List<Column> chunks) {
    List<Column> pieces = new ArrayList<>();
    int from = 0;
    while (from < chunks.size()) {
      int to = from;
      long rows = 0;
      long bytes = 0;
      do {
        rows += chunks.get(to).dataRows();
        bytes += textBytes(chunks.get(to));
        to++;
      } while (to < chunks.size()
          && rows + chunks.get(to).dataRows() <= pieceRows
          && bytes + textBytes(chunks.get(to)) <= pieceBytes);
      pieces.add(piece(shape, chunks.subList(from, to), (int) rows, bytes));
      from = to;
    }
    memory.await(context);
    return pieces;
  }

  private static long textBytes(Column chunk) {
    return chunk.shape().storage() == Storage.BYTES
        ? offset(chunk, chunk.dataRows()) - offset(chunk, 0)
        : 0;
  }

  private static long offset(Column chunk, int row) {
    return Mem.getInt(chunk.offsets().address() + 4L * row);
  }

  private Column piece(ColumnShape shape, List<Column> chunks, int rows, long textBytes) {
    context.checkCancelled();
    boolean text = shape.storage() == Storage.BYTES;
    int width = shape.storage().width();
    Buffer values = allocate(text ? textBytes : (long) rows * width);
    Buffer offsets = text ? allocate(4L * rows + 4) : Buffer.EMPTY;
    boolean nulls = chunks.stream().anyMatch(chunk -> chunk.validity() != null);
    Buffer validity = nulls ? allocate((rows + 63L) / 64 * 8) : null;
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
        copyValidity(chunk.validity(), validity.slice(row / 8, (count + 7) / 8));
      }
      row += count;
    }
    memory.toDevice(context, copies);
    copies.clear();
    if (text) {
      rebase(chunks, offsets);
    }
    return new Column(shape, rows, values, offsets, validity, null);
  }

  private Buffer allocate(long bytes) {
    Buffer buffer = memory.allocate(context, bytes, what);
    buffers.add(buffer);
    return buffer;
  }

  private void copy(long host, Buffer device) {
    if (device.size() > 0) {
      copies.add(new ColumnMemory.Copy(host, device));
    }
  }

  private void copyValidity(@Nullable Buffer host, Buffer device) {
    if (host == null) {
      memory.fill(context, device, (byte) -1);
    } else {
      copy(host.address(), device);
    }
  }

  /** Makes offsets into the chunks' bytes offsets into the piece's. */
  private void rebase(List<Column> chunks, Buffer offsets) {
    long row = 0;
    long at = 0;
    for (int i = 0; i < chunks.size(); i++) {
      Column chunk = chunks.get(i);
      long count = (long) chunk.dataRows() + (i + 1 == chunks.size() ? 1 : 0);
      long summand = at - offset(chunk, 0);
      if (summand != 0) {
        memory.add(context, offsets.slice(4 * row, 4 * count), (int) summand);
      }
      at += textBytes(chunk);
      row += chunk.dataRows();
    }
  }
}
