package io.aragonite.exec.exchange.host;

import io.aragonite.exec.device.ColumnMemory.Copy;
import io.aragonite.exec.device.CopyQueue.CopyTicket;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.List;

/** Sorts rows that are in a device's memory, with their payload, and has them leave. */
public final class LocalSort {
  private final ExecContext context;
  private final QueryMemory memory;
  private final KeyEncoder words;

  public LocalSort(ExecContext context, KeyEncoder words) {
    this.context = context;
    this.memory = context.memory();
    this.words = words;
  }

  /**
   * Rows of a device in order that follow each other in the whole.
   *
   * @param local the first one's place on the device
   * @param global and in the host's memory
   */
  record Segment(int local, int rows, long global) {}

  /**
   * A part of a chunkset, in order.
   *
   * @param segments by run of the part
   */
  public record SortedPart(int count, Buffer words, List<Buffer> payload, List<Segment> segments) {}

  /** Whether the only payload column is what a sort moves with the keys. */
  static boolean goesAlong(List<Integer> widths) {
    return widths.size() == 2 && widths.get(1) == Integer.BYTES;
  }

  /** Sorts rows that are here. Frees the columns. */
  SortedPart sorted(List<Integer> widths, List<Buffer> columns, int count, List<Segment> segments) {
    Buffer sorted = words.of(context, columns.getFirst(), widths.getFirst(), count);
    memory.free(columns.getFirst());
    boolean along = goesAlong(widths);
    Buffer ids = along ? columns.get(1) : memory.allocate(4L * count);
    if (!along) {
      context.scan().iota(context, ids, 0, count);
    }
    context.sort().sortPairs(context, sorted, ids, count, 0, words.bits());
    return along(widths, columns, count, sorted, ids, segments);
  }

  /** Rows whose words are in order, with their payload. Frees its columns. */
  SortedPart along(
      List<Integer> widths,
      List<Buffer> columns,
      int count,
      Buffer sorted,
      Buffer ids,
      List<Segment> segments) {
    boolean along = goesAlong(widths);
    List<Buffer> payload = new ArrayList<>();
    if (along) {
      // The only column is what the sort moves with the keys.
      payload.add(ids);
    } else {
      for (int i = 1; i < columns.size(); i++) {
        payload.add(KeyEncoder.gather(context, columns.get(i), widths.get(i), count, ids, count));
        memory.free(columns.get(i));
      }
      memory.free(ids);
    }
    return new SortedPart(count, sorted, payload, segments);
  }

  /** A part on its way to the host, whose buffers are freed when it is there. */
  public final class OutgoingPart {
    private final CopyTicket ticket;
    private final List<Buffer> buffers;

    private OutgoingPart(CopyTicket ticket, List<Buffer> buffers) {
      this.ticket = ticket;
      this.buffers = buffers;
    }

    /** As {@link #await}, without freeing anything. */
    void ended() {
      ticket.await();
    }

    public void await() {
      ticket.await();
      buffers.forEach(memory::free);
    }
  }

  /** Begins to copy a part to its place in the host's memory; its words stay. */
  public OutgoingPart leave(SortedPart sorted, HostRows out) {
    List<Buffer> columns = new ArrayList<>();
    int keyWidth = out.widths().getFirst();
    if (out.wants(0)) {
      Buffer keys = memory.allocate((long) keyWidth * sorted.count);
      context.scan().narrow(context, sorted.words, sorted.count, words.least(), keyWidth, keys);
      columns.add(keys);
    } else {
      columns.add(Buffer.EMPTY);
    }
    columns.addAll(sorted.payload);
    List<Copy> copies = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      long width = out.widths().get(i);
      for (Segment segment : sorted.segments) {
        if (out.wants(i) && segment.rows() > 0) {
          copies.add(
              new Copy(
                  out.address(i, segment.global()),
                  columns.get(i).slice(width * segment.local(), width * segment.rows())));
        }
      }
    }
    return new OutgoingPart(context.copies().toHost(copies), columns);
  }
}
