package io.aragonite.exec.exchange.host;

import io.aragonite.exec.device.ColumnMemory.Copy;
import io.aragonite.exec.device.CopyQueue.Ticket;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.exchange.host.LocalSort.Leaving;
import io.aragonite.exec.exchange.host.LocalSort.Segment;
import io.aragonite.exec.exchange.host.LocalSort.Sorted;
import io.aragonite.exec.exchange.host.MergeSplitter.Cut;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One device's part of merging sorted chunksets and joining them in one pass, where the paper has
 * the CPU merge them first and brings them a second time: what all runs of both sides have of a
 * piece's keys comes, is sorted, and leaves for its place in the order of the whole while it is
 * joined. The bus carries no more than it would to join merged sides but for what is put in order;
 * a device sorts many times as quickly as a host merges.
 */
public final class MergePhase {
  /** Pieces that are on their way in each direction. */
  private static final int AHEAD = 2;

  /** Bytes of a column that a thread of the host moves at once. */
  private static final long MOVE_BYTES = 4 << 20;

  /**
   * A side's sorted runs.
   *
   * @param runs by run its key and payload columns
   * @param out room for all rows in order; null: there is one run, which is that order
   */
  public record Side(List<List<HostColumn>> runs, @Nullable HostRows out) {
    public List<HostColumn> keys() {
      return runs.stream().map(List::getFirst).toList();
    }

    public long rows() {
      return keys().stream().mapToLong(HostColumn::rows).sum();
    }

    /** The columns in order. */
    public List<HostColumn> columns() {
      HostRows rows = out;
      if (rows == null) {
        return runs.getFirst();
      }
      List<HostColumn> columns = new ArrayList<>();
      for (int i = 0; i < rows.widths().size(); i++) {
        columns.add(rows.column(i, 0, rows()));
      }
      return columns;
    }

    /** How many columns have to come to the device. */
    private int coming() {
      return out == null ? 1 : runs.getFirst().size();
    }
  }

  private final ExecContext context;
  private final QueryMemory memory;
  private final LocalSort sort;
  private final JoinPhase join;
  private final KeyEncoder words;
  private final Side left;
  private final Side right;

  public MergePhase(
      ExecContext context,
      LocalSort sort,
      JoinPhase join,
      KeyEncoder words,
      Side left,
      Side right) {
    this.context = context;
    this.memory = context.memory();
    this.sort = sort;
    this.join = join;
    this.words = words;
    this.left = left;
    this.right = right;
  }

  private record Arriving(Cut cut, List<Buffer> left, List<Buffer> right, Ticket ticket) {}

  private record Going(List<Leaving> rows, JoinPhase.Found ranges) {
    void await() {
      rows.forEach(Leaving::await);
      ranges.await();
    }
  }

  /** Merges and joins pieces, none of which is of one key with many rows. */
  public void run(List<Cut> cuts) {
    Deque<Arriving> coming = new ArrayDeque<>();
    Deque<Going> going = new ArrayDeque<>();
    int next = 0;
    while (next < cuts.size() || !coming.isEmpty()) {
      context.checkCancelled();
      while (next < cuts.size() && coming.size() <= AHEAD) {
        coming.add(arriving(cuts.get(next++)));
      }
      going.add(merged(coming.remove()));
      if (going.size() > AHEAD) {
        going.remove().await();
      }
    }
    going.forEach(Going::await);
  }

  private Arriving arriving(Cut cut) {
    List<Copy> copies = new ArrayList<>();
    List<Buffer> ours = columns(left, cut.leftFrom(), cut.leftTo(), cut.leftRows(), copies);
    List<Buffer> theirs = columns(right, cut.rightFrom(), cut.rightTo(), cut.rightRows(), copies);
    return new Arriving(cut, ours, theirs, context.copies().toDevice(copies));
  }

  private List<Buffer> columns(Side side, long[] from, long[] to, long rows, List<Copy> copies) {
    List<Buffer> columns = new ArrayList<>();
    for (int c = 0; c < side.coming(); c++) {
      long width = side.runs.getFirst().get(c).width();
      Buffer all = memory.allocate(width * rows);
      long at = 0;
      for (int run = 0; run < from.length; run++) {
        long some = to[run] - from[run];
        Buffer part = all.slice(width * at, width * some);
        side.runs.get(run).get(c).copies(from[run], some, part, copies);
        at += some;
      }
      columns.add(all);
    }
    return columns;
  }

  private Going merged(Arriving piece) {
    Cut cut = piece.cut;
    piece.ticket.order();
    Sorted ours = sorted(left, piece.left, cut.leftRows(), sum(cut.leftFrom()));
    Sorted theirs = sorted(right, piece.right, cut.rightRows(), sum(cut.rightFrom()));
    List<Leaving> rows = new ArrayList<>();
    if (left.out != null) {
      rows.add(sort.leave(ours, left.out));
    }
    if (right.out != null) {
      rows.add(sort.leave(theirs, right.out));
    }
    return new Going(rows, join.start(ours, theirs));
  }

  private Sorted sorted(Side side, List<Buffer> columns, long rows, long at) {
    int count = Math.toIntExact(rows);
    List<Integer> widths = new ArrayList<>();
    side.runs.getFirst().forEach(column -> widths.add(column.width()));
    List<Segment> whole = List.of(new Segment(0, count, at));
    if (side.out != null) {
      return sort.sorted(widths, columns, count, whole);
    }
    Buffer keys = words.of(context, columns.getFirst(), widths.getFirst(), count);
    memory.free(columns.getFirst());
    return new Sorted(count, keys, List.of(), whole);
  }

  public static long sum(long[] rows) {
    long sum = 0;
    for (long some : rows) {
      sum += some;
    }
    return sum;
  }

  /** Moves rows of one key, which need no sorting, to their places, by threads of the host. */
  public static void move(
      Side side, List<long[]> froms, List<long[]> tos, Executor executor, int threads) {
    HostRows out = side.out;
    if (out == null) {
      return;
    }
    List<Runnable> moves = new ArrayList<>();
    for (int cut = 0; cut < froms.size(); cut++) {
      long[] from = froms.get(cut);
      long at = sum(from);
      for (int run = 0; run < from.length; run++) {
        long rows = tos.get(cut)[run] - from[run];
        for (int c = 0; c < out.widths().size(); c++) {
          // A run that was sorted lies in one piece.
          long width = out.widths().get(c);
          long source = rows == 0 ? 0 : side.runs.get(run).get(c).address(from[run]);
          long target = out.address(c, at);
          for (long done = 0; done < width * rows; done += MOVE_BYTES) {
            long begin = done;
            long bytes = Math.min(MOVE_BYTES, width * rows - done);
            moves.add(() -> Mem.copy(source + begin, target + begin, bytes));
          }
        }
        at += rows;
      }
    }
    ChunkMerge.forEach(moves.size(), i -> moves.get(i).run(), executor, threads);
  }
}
