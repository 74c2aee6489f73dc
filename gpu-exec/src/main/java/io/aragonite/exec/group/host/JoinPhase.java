package io.aragonite.exec.group.host;

import io.aragonite.exec.device.ColumnMemory.Copy;
import io.aragonite.exec.device.CopyQueue.Ticket;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.group.host.HostMatches.Ranges;
import io.aragonite.exec.group.host.MergeCuts.Cut;
import io.aragonite.exec.group.host.SortPhase.Segment;
import io.aragonite.exec.group.host.SortPhase.Sorted;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * One device's part of the join phase (Maltenberger 2024, section 3.3): keys of one piece are
 * copied in and ranges of another copied out while a third is joined, each by a stream of its own.
 */
final class JoinPhase {
  /** Pieces that are on their way in each direction. */
  private static final int AHEAD = 2;

  private final ExecContext context;
  private final Primitives primitives;
  private final QueryMemory memory;
  private final Words words;

  /** Room for a first partner and a number of partners of each left row. */
  private final Buffer firsts;

  private final Buffer counts;
  private final List<Ranges> ranges = new ArrayList<>();
  private long pairs;

  JoinPhase(ExecContext context, Words words, Buffer firsts, Buffer counts) {
    this.words = words;
    this.context = context;
    this.primitives = context.device().primitives();
    this.memory = context.memory();
    this.firsts = firsts;
    this.counts = counts;
  }

  List<Ranges> ranges() {
    return ranges;
  }

  long pairs() {
    return pairs;
  }

  /** What has been found of a piece, on its way out. */
  final class Found {
    private final Ticket ticket;
    private final List<Buffer> buffers;

    private Found(Ticket ticket, List<Buffer> buffers) {
      this.ticket = ticket;
      this.buffers = buffers;
    }

    void await() {
      ticket.await();
      buffers.forEach(memory::free);
    }
  }

  /** Joins both sides' parts of this device where they are, and frees their words. */
  void resident(Sorted left, Sorted right) {
    start(left, right).await();
  }

  /** The same; the ranges leave beside what is asked for next. */
  Found start(Sorted left, Sorted right) {
    Buffer first = memory.allocate(4L * left.count());
    Buffer count = memory.allocate(4L * left.count());
    match(left.words(), left.count(), right.words(), right.count(), first, count);
    List<Copy> copies = new ArrayList<>();
    for (int i = 0; i < left.segments().size(); i++) {
      Segment ours = left.segments().get(i);
      Segment theirs = right.segments().get(i);
      if (ours.rows() > 0 && theirs.rows() > 0) {
        long rightFrom = theirs.global() - theirs.local();
        out(copies, first, count, ours.local(), ours.global(), ours.rows(), rightFrom);
      }
    }
    return new Found(context.copies().toHost(copies), List.of(first, count));
  }

  /** Finds partners, and frees the words. */
  private void match(
      Buffer left, int leftRows, Buffer right, int rightRows, Buffer first, Buffer count) {
    if (leftRows > 0 && rightRows > 0) {
      context.copies().mark("joining");
      primitives.matchSorted(context, right, rightRows, left, leftRows, first, count);
      Buffer sums = memory.allocate(8L * leftRows + 8);
      pairs += primitives.exclusiveSum(context, count, leftRows, sums);
      context.copies().mark(null);
      memory.free(sums);
    }
    memory.free(left);
    memory.free(right);
  }

  private void out(
      List<Copy> copies, Buffer first, Buffer count, long local, long row, long rows, long right) {
    long firstAt = firsts.address() + 4 * row;
    long countAt = counts.address() + 4 * row;
    copies.add(new Copy(firstAt, first.slice(4 * local, 4 * rows)));
    copies.add(new Copy(countAt, count.slice(4 * local, 4 * rows)));
    ranges.add(new Ranges(row, rows, right, firstAt, countAt));
  }

  /** Keys of a piece on their way here. */
  private record Arriving(Cut cut, Buffer left, Buffer right, Ticket ticket) {}

  /** Joins pieces of sides whose sorted keys are in host memory. */
  void stream(HostColumn left, HostColumn right, List<Cut> pieces) {
    Deque<Arriving> coming = new ArrayDeque<>();
    Deque<Found> going = new ArrayDeque<>();
    int next = 0;
    while (next < pieces.size() || !coming.isEmpty()) {
      context.checkCancelled();
      while (next < pieces.size() && coming.size() <= AHEAD) {
        coming.add(arriving(left, right, pieces.get(next++)));
      }
      going.add(joined(coming.remove(), left.width(), right.width()));
      if (going.size() > AHEAD) {
        going.remove().await();
      }
    }
    going.forEach(Found::await);
  }

  private Arriving arriving(HostColumn left, HostColumn right, Cut cut) {
    List<Copy> copies = new ArrayList<>();
    long ours = cut.leftTo() - cut.leftFrom();
    long theirs = cut.rightTo() - cut.rightFrom();
    Buffer ourKeys = memory.allocate(left.width() * ours);
    Buffer theirKeys = memory.allocate(right.width() * theirs);
    left.copies(cut.leftFrom(), ours, ourKeys, copies);
    right.copies(cut.rightFrom(), theirs, theirKeys, copies);
    return new Arriving(cut, ourKeys, theirKeys, context.copies().toDevice(copies));
  }

  private Found joined(Arriving piece, int leftWidth, int rightWidth) {
    Cut cut = piece.cut;
    piece.ticket.order();
    int ours = Math.toIntExact(cut.leftTo() - cut.leftFrom());
    int theirs = Math.toIntExact(cut.rightTo() - cut.rightFrom());
    Buffer left = words.of(context, piece.left, leftWidth, ours);
    Buffer right = words.of(context, piece.right, rightWidth, theirs);
    memory.free(piece.left);
    memory.free(piece.right);
    Buffer first = memory.allocate(4L * ours);
    Buffer count = memory.allocate(4L * ours);
    match(left, ours, right, theirs, first, count);
    List<Copy> copies = new ArrayList<>();
    out(copies, first, count, 0, cut.leftFrom(), ours, cut.rightFrom());
    return new Found(context.copies().toHost(copies), List.of(first, count));
  }
}
