package io.aragonite.exec.operator;

import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.ColumnPiece;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of the host's memory on their way to a device with memory of its own, beside the query's
 * other work, as one batch.
 */
public final class HostRowUpload {
  private final List<ColumnPiece> columns;
  private final List<Buffer> buffers;
  private final int rows;
  private final CopyQueue.CopyTicket ticket;

  private HostRowUpload(
      List<ColumnPiece> columns, List<Buffer> buffers, int rows, CopyQueue.CopyTicket ticket) {
    this.columns = columns;
    this.buffers = buffers;
    this.rows = rows;
    this.ticket = ticket;
  }

  /**
   * Begins to copy.
   *
   * @param chunks in host memory, without indirection, each but the last of a multiple of 64 rows
   */
  public static HostRowUpload begin(
      ExecContext context, List<ColumnShape> shapes, List<ColumnBatch> chunks) {
    QueryMemory owner = context.memory();
    List<Buffer> buffers = new ArrayList<>();
    List<ColumnPiece> columns = new ArrayList<>();
    List<ColumnMemory.Copy> copies = new ArrayList<>();
    boolean copying = false;
    try {
      for (int c = 0; c < shapes.size(); c++) {
        int column = c;
        ColumnPiece piece =
            new ColumnPiece(
                shapes.get(c),
                chunks.stream().map(chunk -> chunk.column(column)).toList(),
                size -> {
                  Buffer buffer = owner.allocate(size);
                  buffers.add(buffer);
                  return buffer;
                },
                buffer -> owner.fill(buffer, (byte) -1));
        columns.add(piece);
        copies.addAll(piece.copies());
      }
      copying = true;
      CopyQueue.CopyTicket ticket = context.copies().toDevice(copies);
      int rows = chunks.stream().mapToInt(ColumnBatch::rows).sum();
      return new HostRowUpload(columns, buffers, rows, ticket);
    } finally {
      if (!copying) {
        buffers.forEach(owner::free);
      }
    }
  }

  /** Whether they are there already. */
  boolean ended() {
    return ticket.ended();
  }

  /** The rows; what the query asks for from now on happens when they are there. */
  public ColumnBatch arrive(ExecContext context) {
    ticket.order();
    List<Column> arrived = new ArrayList<>();
    for (ColumnPiece piece : columns) {
      piece.finish(context);
      arrived.add(piece.column());
    }
    return new ColumnBatch(arrived, rows);
  }

  /** Frees the device's memory of rows that have arrived. */
  public void free(QueryMemory memory) {
    buffers.forEach(memory::free);
    buffers.clear();
  }

  /** Frees the device's memory of rows that nobody wants; nothing if they were freed before. */
  public void drop(QueryMemory memory) {
    if (!buffers.isEmpty()) {
      ticket.await();
      free(memory);
    }
  }
}
