package io.aragonite.exec.group.host;

import io.aragonite.exec.device.ColumnMemory.Copy;
import io.aragonite.exec.device.CopyQueue.Ticket;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.group.host.HostMatches.Ranges;
import io.aragonite.exec.group.host.SortPhase.Segment;
import io.aragonite.exec.group.host.SortPhase.Sorted;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * One device's part of the join phase (Maltenberger 2024, section 3.3): match ranges of sorted
 * words that are here leave for the host's memory while the next ones are found ({@link
 * MergePhase}).
 */
final class JoinPhase {
  private final ExecContext context;
  private final Primitives primitives;
  private final QueryMemory memory;

  /** Room for a first partner and a number of partners of each left row. */
  private final Buffer firsts;

  private final Buffer counts;
  private final List<Ranges> ranges = new ArrayList<>();
  private long pairs;

  JoinPhase(ExecContext context, Buffer firsts, Buffer counts) {
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

  /** Joins both sides' parts where they are, and frees their words. The ranges are on their way. */
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
}
