package io.aragonite.exec.exchange.host;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.CopyQueue.CopyTicket;
import io.aragonite.exec.device.CopyQueue.PeerCopy;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.exchange.host.RangeSplitters.RangeRun;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What devices have for each other in the sort phase: each fetches its rows from all others at once
 * (Maltenberger 2024, section 3.1.2, "all-to-all"), over links where there are any, from copies in
 * the host's memory otherwise.
 */
final class Blocks {
  private final ExecContext context;
  private final QueryMemory memory;
  private final Rank rank;

  Blocks(ExecContext context, Rank rank) {
    this.context = context;
    this.memory = context.memory();
    this.rank = rank;
  }

  /**
   * What a device has for the others of a piece: columns by range, in its memory and where others
   * reach it.
   */
  record SentPiece(List<Buffer> columns, List<Buffer> staged, int[] begins) {
    int rows(RangeRun run) {
      return begins[run.end()] - begins[run.first()];
    }
  }

  /** What others may fetch, once all that the device was asked for has been done. */
  SentPiece offer(List<Buffer> columns, int rows, int[] begins) {
    return new SentPiece(columns, staged(columns, rows), begins);
  }

  void free(SentPiece sent) {
    sent.columns.forEach(memory::free);
    if (!context.device().traits().hostMemory()) {
      sent.staged.forEach(context.hostMemory()::free);
    }
  }

  /** Copies in host memory, if somebody does not reach the device's. */
  private List<Buffer> staged(List<Buffer> columns, int rows) {
    Device here = context.device();
    Transfers transfers = here.transfers();
    List<Buffer> staged = new ArrayList<>();
    if (context.device().traits().hostMemory()) {
      staged.addAll(columns);
    } else if (rank.devices().stream()
        .anyMatch(peer -> !peer.equals(here) && !peer.transfers().reaches(here))) {
      for (Buffer column : columns) {
        Buffer copy = context.hostMemory().allocate(column.size());
        if (rows > 0) {
          transfers.toHost(context, column, copy.address(), column.size());
        }
        staged.add(copy);
      }
    }
    return staged;
  }

  /**
   * @param all by device its pieces
   * @param base rows of the whole before these
   * @return where in the whole the rows of each range begin, and all end
   */
  static long[] starts(List<List<SentPiece>> all, int ranges, long base) {
    long[] starts = new long[ranges + 1];
    starts[0] = base;
    for (int range = 0; range < ranges; range++) {
      long rows = 0;
      for (List<SentPiece> pieces : all) {
        rows += rows(pieces, List.of(new RangeRun(range, range + 1)));
      }
      starts[range + 1] = starts[range] + rows;
    }
    return starts;
  }

  static long rows(List<SentPiece> pieces, List<RangeRun> runs) {
    long rows = 0;
    for (SentPiece piece : pieces) {
      for (RangeRun run : runs) {
        rows += piece.rows(run);
      }
    }
    return rows;
  }

  /** The rows of a part, from all devices: what comes over links is on its way. */
  final class Fetch {
    private final List<Integer> widths;
    private final List<List<SentPiece>> all;
    private final List<RangeRun> part;
    private final int count;
    private final List<Buffer> columns = new ArrayList<>();
    private CopyTicket ticket = CopyQueue.DONE;

    /**
     * @param all by device what it has for the others
     * @param part runs of ranges that are this device's
     */
    Fetch(List<Integer> widths, List<List<SentPiece>> all, List<RangeRun> part) {
      this.widths = widths;
      this.all = all;
      this.part = part;
      long rows = 0;
      for (List<SentPiece> pieces : all) {
        rows += rows(pieces, part);
      }
      this.count = Math.toIntExact(rows);
      widths.forEach(width -> columns.add(memory.allocate((long) width * count)));
      copies(true);
    }

    List<Buffer> columns() {
      return columns;
    }

    /** Rows. */
    int count() {
      return count;
    }

    /** Has what is asked for from now on happen behind the part's arrival. */
    void arrive() {
      copies(false);
      ticket.order();
    }

    void await() {
      ticket.await();
    }

    /** Begins copies over links, or makes the others. */
    private void copies(boolean links) {
      Transfers transfers = context.device().transfers();
      long place = 0;
      long[] places = new long[all.size()];
      for (int m = 0; m < places.length; m++) {
        places[m] = place;
        place += rows(all.get(m), part);
      }
      List<PeerCopy> copies = new ArrayList<>();
      for (int k = 1; k <= places.length; k++) {
        int from = (rank.index() + k) % places.length;
        Device peer = rank.devices().get(from);
        boolean own = from == rank.index();
        boolean reached = !own && transfers.reaches(peer);
        if (reached != links) {
          continue;
        }
        long at = places[from];
        for (SentPiece sent : all.get(from)) {
          for (RangeRun run : part) {
            at += copy(sent, run, peer, reached ? copies : null, at);
          }
        }
      }
      if (links) {
        ticket = context.copies().fromPeers(copies);
      }
    }

    /** Copies the rows of a run, or adds to copies over a link. */
    private long copy(
        SentPiece sent, RangeRun run, Device peer, @Nullable List<PeerCopy> copies, long at) {
      Transfers transfers = context.device().transfers();
      long first = sent.begins[run.first()];
      long rows = sent.rows(run);
      for (int i = 0; rows > 0 && i < columns.size(); i++) {
        long width = widths.get(i);
        Buffer to = columns.get(i).slice(width * at, width * rows);
        Buffer source = sent.columns.get(i);
        if (copies != null) {
          copies.add(new PeerCopy(peer, source.slice(width * first, to.size()), to));
        } else if (peer.equals(context.device())) {
          transfers.copy(context, source.slice(width * first, to.size()), to, to.size());
        } else {
          long staged = sent.staged.get(i).address() + width * first;
          transfers.toDevice(context, staged, to, to.size());
        }
      }
      return rows;
    }
  }
}
