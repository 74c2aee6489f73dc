package io.aragonite.exec.exchange.host;

import io.aragonite.exec.device.ColumnMemory.Copy;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.CopyQueue.Ticket;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.RangeMarks;
import io.aragonite.exec.exchange.host.HostMatches.Ranges;
import io.aragonite.exec.exchange.host.LocalSort.Segment;
import io.aragonite.exec.exchange.host.LocalSort.Sorted;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One device's part of the join phase (Maltenberger 2024, section 3.3): match ranges of sorted
 * words that are here leave for the host's memory, as {@link RangeMarks}, while the next ones are
 * found ({@link MergePhase}).
 */
public final class JoinPhase {
  private final ExecContext context;
  private final QueryMemory memory;

  private final Room room;
  private final List<Ranges> ranges = new ArrayList<>();
  private long pairs;

  public JoinPhase(ExecContext context, Room room) {
    this.context = context;
    this.memory = context.memory();
    this.room = room;
  }

  /** Host memory for the marks of all devices' parts. */
  public static final class Room {
    private final Buffer all;
    private final AtomicLong taken = new AtomicLong();

    /**
     * @param parts of both sides, which together have so many rows at most
     */
    public Room(QueryMemory host, long leftRows, long rightRows, long parts) {
      this.all = host.allocate(RangeMarks.bytes(leftRows, rightRows, parts));
    }

    RangeMarks take(int leftRows, int rightRows) {
      long bytes = (RangeMarks.bytes(leftRows, rightRows) + 63) / 64 * 64;
      long at = taken.getAndAdd(bytes);
      return new RangeMarks(all.slice(at, bytes).address(), leftRows, rightRows);
    }
  }

  public List<Ranges> ranges() {
    return ranges;
  }

  public long pairs() {
    return pairs;
  }

  /** What has been found of a piece, on its way out. */
  public final class Found {
    private final Ticket ticket;
    private final @Nullable RangeMarks marks;
    private final List<Buffer> buffers;

    private Found(Ticket ticket, @Nullable RangeMarks marks, List<Buffer> buffers) {
      this.ticket = ticket;
      this.marks = marks;
      this.buffers = buffers;
    }

    public void await() {
      ticket.await();
      buffers.forEach(memory::free);
      if (marks != null) {
        pairs += marks.pairs();
      }
    }
  }

  /** Joins both sides' parts where they are, and frees their words. The ranges are on their way. */
  public Found start(Sorted left, Sorted right) {
    if (left.count() == 0 || right.count() == 0) {
      memory.free(left.words());
      memory.free(right.words());
      return new Found(CopyQueue.DONE, null, List.of());
    }
    RangeMarks marks = room.take(left.count(), right.count());
    for (int i = 0; i < left.segments().size(); i++) {
      Segment ours = left.segments().get(i);
      Segment theirs = right.segments().get(i);
      if (ours.rows() > 0 && theirs.rows() > 0) {
        long rightFrom = theirs.global() - theirs.local();
        ranges.add(new Ranges(ours.global(), ours.rows(), rightFrom, marks, ours.local()));
      }
    }
    Buffer here = marked(left, right, marks.bytes());
    Ticket ticket = context.copies().toHost(List.of(new Copy(marks.address(), here)));
    return new Found(ticket, marks, List.of(here));
  }

  /** Finds partners, and frees the words. */
  private Buffer marked(Sorted left, Sorted right, long bytes) {
    context.copies().mark("joining");
    Buffer first = memory.allocate(4L * left.count());
    Buffer count = memory.allocate(4L * left.count());
    context
        .sort()
        .matchSorted(
            context, right.words(), right.count(), left.words(), left.count(), first, count);
    memory.free(left.words());
    memory.free(right.words());
    Buffer marks = memory.allocate(bytes);
    context.sort().markRanges(context, first, count, left.count(), right.count(), marks);
    memory.free(first);
    memory.free(count);
    context.copies().mark(null);
    return marks;
  }
}
