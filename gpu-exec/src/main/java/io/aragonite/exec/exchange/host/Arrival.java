package io.aragonite.exec.exchange.host;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.ColumnMemory.Copy;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.CopyQueue.CopyTicket;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.exchange.host.SortPhase.Chunkset;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A device's share of a chunkset on its way there, in pieces. */
public final class Arrival {
  private final ExecContext context;
  private final QueryMemory memory;
  private final Chunkset chunkset;
  private final List<Integer> widths = new ArrayList<>();
  private final List<ArrivingPiece> pieces = new ArrayList<>();

  /** See {@link #then}. */
  private Runnable next = () -> {};

  /**
   * Begins to copy.
   *
   * @param inPieces whether rows are worked on before all are there
   */
  public Arrival(ExecContext context, Chunkset chunkset, Rank rank, boolean inPieces) {
    int devices = rank.devices().size();
    this.context = context;
    this.memory = context.memory();
    this.chunkset = chunkset;
    HostSide side = chunkset.side();
    widths.add(side.key().width());
    side.payload().forEach(column -> widths.add(column.width()));
    long share = SortPhase.share(chunkset.rows(), devices);
    long from = Math.min(chunkset.rows(), share * rank.index());
    long rows = Math.min(chunkset.rows(), from + share) - from;
    long each = SortPhase.share(rows, inPieces ? RangeSplitters.parts(rows) : 1);
    long end = from + rows;
    do {
      int some = Math.toIntExact(Math.min(each, end - from));
      pieces.add(new ArrivingPiece(side, chunkset.from() + from, some));
      from += some;
    } while (from < end);
  }

  Chunkset chunkset() {
    return chunkset;
  }

  /** Of the key and the payload columns. */
  List<Integer> widths() {
    return widths;
  }

  List<ArrivingPiece> pieces() {
    return pieces;
  }

  /** Has something asked for right behind the arrival of the last rows. */
  public void then(Runnable action) {
    next = action;
  }

  void await() {
    pieces.forEach(piece -> piece.ticket.await());
  }

  /** Neighbouring rows on their way here. */
  final class ArrivingPiece {
    final List<Buffer> columns = new ArrayList<>();
    private final @Nullable Buffer validity;
    private final CopyTicket ticket;
    int rows;

    ArrivingPiece(HostSide side, long from, int rows) {
      this.rows = rows;
      List<HostColumn> sources = new ArrayList<>(List.of(side.key()));
      sources.addAll(side.payload());
      List<Copy> copies = new ArrayList<>();
      for (HostColumn source : sources) {
        Buffer to = memory.allocate((long) source.width() * rows);
        source.copies(from, rows, to, copies);
        columns.add(to);
      }
      validity = side.nulls() ? bits(side, from, copies) : null;
      ticket = context.copies().toDevice(copies);
    }

    /** The bitmap of the piece's keys. */
    private Buffer bits(HostSide side, long from, List<Copy> copies) {
      Buffer all = memory.allocate((rows + 63L) / 64 * 8);
      memory.fill(all, (byte) 0xff);
      HostColumn key = side.key();
      for (long done = 0; done < rows; ) {
        int piece = key.piece(from + done);
        long some = Math.min(rows - done, key.start(piece + 1) - from - done);
        long bits = side.validity().get(piece);
        if (bits != 0) {
          long host = bits + (from + done - key.start(piece)) / 8;
          copies.add(new Copy(host, all.slice(done / 8, (some + 7) / 8)));
        }
        done += some;
      }
      return all;
    }

    /** Waits for the rows, and leaves out those whose key is null. */
    void arrive() {
      ticket.order();
      if (this.equals(pieces.getLast())) {
        next.run();
      }
      Buffer bits = validity;
      if (bits == null || rows == 0) {
        return;
      }
      ColumnShape shape = KeyEncoder.shape(widths.getFirst(), true);
      DataType type = shape.type();
      CompiledPredicate predicate =
          context
              .device()
              .expressions()
              .predicate(
                  Expr.call(Op.IS_NOT_NULL, DataType.BOOLEAN, Expr.ref(0, type)), List.of(shape));
      Buffer ids = memory.allocate(4L * rows);
      ColumnBatch batch =
          new ColumnBatch(
              List.of(KeyEncoder.column(columns.getFirst(), widths.getFirst(), rows, bits)), rows);
      int left = predicate.select(context, batch, ids);
      for (int i = 0; i < columns.size(); i++) {
        Buffer all = columns.get(i);
        columns.set(i, KeyEncoder.gather(context, all, widths.get(i), rows, ids, left));
        memory.free(all);
      }
      memory.free(ids);
      memory.free(bits);
      rows = left;
    }
  }

  /** Rows that are here. */
  record Gathered(List<Buffer> columns, int rows) {}

  /** All pieces of a share together. */
  Gathered gathered() {
    int rows = 0;
    for (ArrivingPiece piece : pieces) {
      piece.arrive();
      rows += piece.rows;
    }
    if (pieces.size() == 1) {
      return new Gathered(pieces.getFirst().columns, rows);
    }
    List<Buffer> columns = new ArrayList<>();
    for (int i = 0; i < widths.size(); i++) {
      long width = widths.get(i);
      Buffer all = memory.allocate(width * rows);
      long at = 0;
      for (ArrivingPiece piece : pieces) {
        Buffer some = piece.columns.get(i);
        if (piece.rows > 0) {
          long bytes = width * piece.rows;
          context.device().transfers().copy(context, some, all.slice(at, bytes), bytes);
          at += bytes;
        }
        memory.free(some);
      }
      columns.add(all);
    }
    return new Gathered(columns, rows);
  }
}
