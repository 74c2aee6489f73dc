package io.aragonite.exec.spill;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parts of runs on their way to where they lie one behind the other in the device's memory, beside
 * the query's work: a copy a part and column, and none within the device.
 */
final class CoalescedPrefetch {
  private final QueryMemory memory;
  private final List<PartitionedRun.PartitionBlock> parts;
  private final ColumnBatch rows;

  /** The pieces of the parts that have packed keys, which come first; EMPTY: there are none. */
  private final Buffer pieces;

  private final CopyQueue.CopyTicket ticket;

  private CoalescedPrefetch(
      QueryMemory memory,
      List<PartitionedRun.PartitionBlock> parts,
      ColumnBatch rows,
      Buffer pieces,
      CopyQueue.CopyTicket ticket) {
    this.memory = memory;
    this.parts = parts;
    this.rows = rows;
    this.pieces = pieces;
    this.ticket = ticket;
  }

  /** Whether blocks may come together. */
  static boolean takes(List<RowBlock> blocks) {
    return !blocks.isEmpty()
        && blocks.stream().allMatch(PartitionedRun.PartitionBlock.class::isInstance);
  }

  /**
   * Begins; called by a thread of the query.
   *
   * @param blocks parts of runs
   * @param rows their rows
   * @return null if some of them are on disk, or gone
   * @throws io.aragonite.exec.error.AragoniteException MEMORY_EXCEEDED
   */
  static @Nullable CoalescedPrefetch start(
      ExecContext context, List<RowBlock> blocks, int rows, QueryMemory memory) {
    List<PartitionedRun.PartitionBlock> parts = new ArrayList<>();
    List<Buffer> own = new ArrayList<>();
    boolean started = false;
    try {
      for (RowBlock block : blocks) {
        PartitionedRun.PartitionBlock part = (PartitionedRun.PartitionBlock) block;
        part.use();
        parts.add(part);
        if (!part.inMemory()) {
          return null;
        }
      }
      parts.sort(Comparator.comparing(part -> part.packedColumn() < 0));
      List<ColumnMemory.Copy> copies = new ArrayList<>();
      List<Column> columns = new ArrayList<>();
      List<ColumnShape> shapes = parts.getFirst().collection().shapes();
      for (int i = 0; i < shapes.size(); i++) {
        int width = shapes.get(i).storage().width();
        Buffer values = memory.allocate((long) width * rows);
        own.add(values);
        columns.add(new Column(shapes.get(i), rows, values, Buffer.EMPTY, null, null));
      }
      long packed = parts.stream().mapToLong(CoalescedPrefetch::packedBytes).sum();
      Buffer pieces = packed == 0 ? Buffer.EMPTY : memory.allocate(packed);
      own.add(pieces);
      // Part by part, as they lie in the host's memory; behind the work that used this memory.
      for (int i = 0; i < shapes.size(); i++) {
        long width = shapes.get(i).storage().width();
        long at = 0;
        long piece = 0;
        for (PartitionedRun.PartitionBlock part : parts) {
          if (i == part.packedColumn()) {
            part.copy(context, i, pieces.slice(piece, part.packedBytes()), copies);
            piece += part.packedBytes();
          } else {
            part.copy(context, i, own.get(i).slice(at * width, part.rows() * width), copies);
          }
          at += part.rows();
        }
      }
      CopyQueue.CopyTicket ticket = context.copies().toDevice(copies);
      started = true;
      return new CoalescedPrefetch(memory, parts, new ColumnBatch(columns, rows), pieces, ticket);
    } finally {
      if (!started) {
        own.forEach(memory::free);
        parts.forEach(PartitionedRun.PartitionBlock::release);
      }
    }
  }

  private static long packedBytes(PartitionedRun.PartitionBlock part) {
    return part.packedColumn() < 0 ? 0 : part.packedBytes();
  }

  /** Bytes of the device's memory. */
  long bytes() {
    return pieces.size() + parts.stream().mapToLong(PartitionedRun.PartitionBlock::bytes).sum();
  }

  /** Bytes of the device's memory that parts of runs would take. */
  static long bytes(List<RowBlock> parts) {
    return parts.stream()
        .mapToLong(part -> part.bytes() + packedBytes((PartitionedRun.PartitionBlock) part))
        .sum();
  }

  /** How many blocks come. */
  int size() {
    return parts.size();
  }

  /**
   * The rows, whose buffers are the caller's from now on; they are there for what the query asks
   * its device for next. {@link #release} is to be called when that may be waited for.
   */
  ColumnBatch take(ExecContext context) {
    ticket.order();
    if (pieces.address() != 0) {
      List<PartitionedRun.PartitionBlock> packed =
          parts.stream().filter(part -> part.packedColumn() >= 0).toList();
      int keys = packed.stream().mapToInt(PartitionedRun.PartitionBlock::rows).sum();
      PartitionedRun.PartitionBlock first = packed.getFirst();
      Buffer to = rows.column(first.packedColumn()).values();
      first.unpack(context, pieces, packed.size(), keys, to);
      memory.free(pieces);
    }
    return rows;
  }

  /** Whether the rows are there, and nothing is waited for by {@link #release}. */
  boolean ended() {
    return ticket.ended();
  }

  /** Returns when the rows are there, and no more uses where they were. */
  void release() {
    ticket.await();
    parts.forEach(PartitionedRun.PartitionBlock::release);
  }

  /** They are not wanted after all. */
  void drop() {
    release();
    ticket.order();
    memory.free(pieces);
    for (Column column : rows.columns()) {
      Batches.free(memory, column);
    }
  }
}
