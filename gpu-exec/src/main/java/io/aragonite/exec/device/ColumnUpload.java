package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

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
   * @param chunks in host memory, each but the last of a multiple of 64 rows, unless the column has
   *     no bitmap: pieces begin at multiples of 64 rows then too
   * @return the same rows on the device; they are there
   */
  List<Column> upload(ColumnShape shape, List<Column> chunks) {
    List<Column> pieces = new ArrayList<>();
    int from = 0;
    while (from < chunks.size()) {
      int next = from;
      int to = from;
      long rows = 0;
      long bytes = 0;
      do {
        rows += chunks.get(next).dataRows();
        bytes += textBytes(chunks.get(next));
        next++;
        boolean even = (rows & 63) == 0 || next == chunks.size();
        to = even ? next : to;
      } while (next < chunks.size()
          && (to == from
              || rows + chunks.get(next).dataRows() <= pieceRows
                  && bytes + textBytes(chunks.get(next)) <= pieceBytes));
      pieces.add(piece(shape, chunks.subList(from, to)));
      from = to;
    }
    memory.await(context);
    return pieces;
  }

  private static long textBytes(Column chunk) {
    return ColumnPiece.textBytes(chunk);
  }

  private Column piece(ColumnShape shape, List<Column> chunks) {
    context.checkCancelled();
    ColumnPiece piece =
        new ColumnPiece(
            shape, chunks, this::allocate, buffer -> memory.fill(context, buffer, (byte) -1));
    memory.toDevice(context, piece.copies());
    piece.finish(context);
    return piece.column();
  }

  private Buffer allocate(long bytes) {
    Buffer buffer = memory.allocate(context, bytes, what);
    buffers.add(buffer);
    return buffer;
  }
}
