package io.aragonite.exec.group.host;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.device.ColumnMemory.Copy;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.CopyQueue.PeerCopy;
import io.aragonite.exec.device.CopyQueue.Ticket;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.device.WordOrder;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.CompiledPredicate;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.group.Member;
import io.aragonite.exec.group.host.Splits.Run;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One device's part of the sort phase (Maltenberger 2024, section 3.1): its share of a chunkset is
 * copied in, partitioned by whose ranges its keys are in, exchanged with all other devices at once,
 * sorted, and copied out to its place in the order of the whole. Copies take place beside the work
 * on what came before.
 */
final class SortPhase {
  /** Where devices meet: not a node of a plan. */
  static final PhysicalPlan PLACE = new PhysicalPlan.Values(List.of(), List.of());

  private final ExecContext context;
  private final Primitives primitives;
  private final QueryMemory memory;
  private final Member member;
  private final Splits splits;
  private final Words words;
  private final List<Run> runs;

  /** The bounds of ranges as words in the device's memory: there before large copies begin. */
  private final Buffer bounds;

  SortPhase(ExecContext context, Member member, Splits splits, Words words) {
    this.words = words;
    this.context = context;
    this.primitives = context.device().primitives();
    this.memory = context.memory();
    this.member = member;
    this.splits = splits;
    this.runs = splits.runs(member.index());
    this.bounds = bounds();
  }

  /**
   * Rows of a side that all devices sort together.
   *
   * @param base rows of the order before them, in {@code out}
   */
  record Chunkset(HostSide side, long from, long rows, HostRows out, long base) {}

  /** A device sorts so many rows at once at most; its share may be a little more than others'. */
  static final long MOST_ROWS = 1 << 29;

  /** Bytes that sorting takes for each row, at the most: copies of it, words, numbers. */
  static long bytes(HostSide side) {
    return 4L * side.rowBytes() + 44;
  }

  /**
   * The chunksets of a side: as few as fit, all alike.
   *
   * @param room of each device
   * @param memory where their rows go
   * @throws AragoniteException MEMORY_EXCEEDED if a device has not even room for 64 rows
   */
  static List<Chunkset> chunksets(HostSide side, long room, int devices, QueryMemory memory) {
    // One chunkset is sorted while the next one arrives and the last one leaves.
    long rowBytes = bytes(side) + 3L * side.rowBytes() + 8;
    long most = Math.min(MOST_ROWS, (long) (room / (1.1 * rowBytes)));
    if (most < 64) {
      throw new AragoniteException(
          ErrorCode.MEMORY_EXCEEDED,
          "Sorting takes %,d bytes of a device's memory at least, and %,d are free."
              .formatted(64 * rowBytes, room));
    }
    long chunk = most / 64 * 64 * devices;
    int count = Math.toIntExact(Math.max(1, (side.rows() + chunk - 1) / chunk));
    long each = share(side.rows(), count);
    List<Chunkset> chunksets = new ArrayList<>();
    for (long from = 0; from < side.rows() || chunksets.isEmpty(); from += Math.max(64, each)) {
      long rows = Math.min(each, side.rows() - from);
      HostRows out = HostRows.of(memory, side, rows, true);
      chunksets.add(new Chunkset(side, from, rows, out, 0));
    }
    return chunksets;
  }

  /**
   * Sorts chunksets, one after the other, with copies of three at a time. All devices call it; when
   * it returns this one's parts are in the host's memory.
   *
   * @return by chunkset where the rows of each range begin, and all end
   */
  List<long[]> all(List<Chunkset> chunksets) {
    List<long[]> starts = new ArrayList<>();
    if (chunksets.isEmpty()) {
      return starts;
    }
    int devices = member.devices().size();
    HostSide side = chunksets.getFirst().side;
    // All of them are as good as the first one's device: what they choose must be the same.
    SortStrategy strategy =
        devices == 1
            ? SortStrategy.PARTITION
            : SortStrategy.cheaper(
                member.devices().getFirst().profile(),
                (double) chunksets.getFirst().rows / devices,
                side.key().width(),
                side.rowBytes(),
                devices);
    Arriving next = start(chunksets.getFirst());
    Arriving now = next;
    Leaving last = null;
    boolean done = false;
    try {
      for (int i = 0; i < chunksets.size(); i++) {
        now = next;
        if (i + 1 < chunksets.size()) {
          next = start(chunksets.get(i + 1));
        }
        Sorted sorted = strategy == SortStrategy.MERGE ? merge(now) : sort(now);
        if (last != null) {
          last.await();
        }
        last = leave(sorted, chunksets.get(i).out());
        memory.free(sorted.words());
        starts.add(sorted.starts());
      }
      if (last != null) {
        last.await();
      }
      done = true;
    } finally {
      if (!done) {
        // Whoever goes on another way frees what these copies use.
        now.ticket.await();
        next.ticket.await();
        if (last != null) {
          last.ticket.await();
        }
      }
    }
    return starts;
  }

  /** A chunkset's share on its way here. */
  final class Arriving {
    private final Chunkset chunkset;
    private final List<Integer> widths = new ArrayList<>();
    private final List<Buffer> columns = new ArrayList<>();
    private @Nullable Buffer validity;
    private final Ticket ticket;
    private int rows;

    private Arriving(Chunkset chunkset) {
      this.chunkset = chunkset;
      HostSide side = chunkset.side;
      long share = share(chunkset.rows, member.devices().size());
      long from = Math.min(chunkset.rows, share * member.index());
      this.rows = Math.toIntExact(Math.min(chunkset.rows, from + share) - from);
      List<HostColumn> sources = new ArrayList<>(List.of(side.key()));
      sources.addAll(side.payload());
      List<Copy> copies = new ArrayList<>();
      for (HostColumn source : sources) {
        Buffer to = memory.allocate((long) source.width() * rows);
        source.copies(chunkset.from + from, rows, to, copies);
        widths.add(source.width());
        columns.add(to);
      }
      if (side.nulls()) {
        validity = bits(side, chunkset.from + from, copies);
      }
      ticket = context.copies().toDevice(copies);
    }

    /** The bitmap of the share's keys. */
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
    private void arrive() {
      ticket.order();
      Buffer bits = validity;
      if (bits == null || rows == 0) {
        return;
      }
      ColumnShape shape = Words.shape(widths.getFirst(), true);
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
              List.of(Words.column(columns.getFirst(), widths.getFirst(), rows, bits)), rows);
      int left = predicate.select(context, batch, ids);
      for (int i = 0; i < columns.size(); i++) {
        Buffer all = columns.get(i);
        columns.set(i, Words.gather(context, all, widths.get(i), rows, ids, left));
        memory.free(all);
      }
      memory.free(ids);
      memory.free(bits);
      rows = left;
    }
  }

  /** Rows of a device's share at most, a multiple of 64 for the sake of bitmaps. */
  static long share(long rows, int devices) {
    return (rows + 64L * devices - 1) / (64L * devices) * 64;
  }

  /** Begins to copy the device's share in. */
  Arriving start(Chunkset chunkset) {
    return new Arriving(chunkset);
  }

  /**
   * Rows of a device in order that follow each other in the whole.
   *
   * @param local the first one's place on the device
   * @param global and in the host's memory
   */
  record Segment(int local, int rows, long global) {}

  /**
   * A device's part of a chunkset, in order.
   *
   * @param segments by run of the splits
   * @param starts where in the whole the rows of each range begin, and all end
   */
  record Sorted(
      int count, Buffer words, List<Buffer> payload, List<Segment> segments, long[] starts) {}

  /**
   * What a device has for the others: columns by range, in its memory and where others reach it.
   */
  private record Sent(List<Buffer> columns, List<Buffer> staged, int[] begins) {}

  /** Partitions, exchanges and sorts. All devices call it, chunkset by chunkset. */
  Sorted sort(Arriving arriving) {
    long start = System.nanoTime();
    arriving.arrive();
    CopyQueue copies = context.copies();
    boolean alone = member.devices().size() == 1;
    copies.mark("partitioning");
    Sent sent = partitioned(arriving, alone);
    copies.mark(null);
    start = member.span("partitioning", start);
    List<Sent> all = member.meet(context, PLACE, sent, list -> list);
    long[] starts = starts(all, splits.ranges(), arriving.chunkset.base);
    List<Segment> segments = segments(starts);
    int count = segments.isEmpty() ? 0 : segments.getLast().local() + segments.getLast().rows();
    start = member.span("waiting", start);
    List<Buffer> columns;
    if (alone) {
      columns = sent.columns;
    } else {
      Ticket heavy = heavyOut(arriving, all, starts);
      columns = fetched(arriving.widths, all, runs, count);
      start = member.span("copying", start);
      member.meet(context, PLACE, true, done -> true);
      heavy.await();
      free(sent);
      start = member.span("waiting", start);
    }
    copies.mark("sorting");
    Sorted sorted = sorted(arriving.widths, columns, count, segments, starts);
    copies.mark(null);
    member.span("sorting", start);
    return sorted;
  }

  private void free(Sent sent) {
    sent.columns.forEach(memory::free);
    if (!context.device().transfers().shared()) {
      sent.staged.forEach(context.hostMemory()::free);
    }
  }

  private Sent partitioned(Arriving arriving, boolean alone) {
    int rows = arriving.rows;
    int ranges = splits.ranges();
    if (ranges == 1 || rows == 0) {
      int[] begins = new int[ranges + 1];
      Arrays.fill(begins, 1, ranges + 1, rows);
      return new Sent(arriving.columns, alone ? List.of() : staged(arriving.columns, rows), begins);
    }
    Buffer keys = words.of(context, arriving.columns.getFirst(), arriving.widths.getFirst(), rows);
    Buffer range = memory.allocate(4L * rows);
    primitives.bound(context, bounds, ranges - 1, keys, rows, true, range);
    memory.free(keys);
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(ranges - 1);
    Buffer moved = memory.allocate(4L * rows);
    Buffer offsets = memory.allocate((4L << bits) + 4);
    List<MovedColumn> columns = new ArrayList<>();
    for (int i = 0; i < arriving.columns.size(); i++) {
      int width = arriving.widths.get(i);
      Buffer out = memory.allocate((long) width * rows);
      columns.add(new MovedColumn(arriving.columns.get(i), out, width));
    }
    WordOrder order = new WordOrder(false, 0, (1L << bits) - 1);
    primitives.partitionRows(
        context, order, bits, range, Integer.BYTES, rows, moved, columns, offsets);
    int[] begins = HostColumns.ints(context, offsets, ranges + 1);
    memory.free(range);
    memory.free(moved);
    memory.free(offsets);
    arriving.columns.forEach(memory::free);
    List<Buffer> outs = columns.stream().map(MovedColumn::out).toList();
    return new Sent(outs, staged(outs, rows), begins);
  }

  private Buffer bounds() {
    long[] keys = splits.bounds();
    if (keys.length == 0) {
      return Buffer.EMPTY;
    }
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    long host = scratch.allocate(8L * keys.length).address();
    for (int i = 0; i < keys.length; i++) {
      Mem.putLong(host + 8L * i, words.word(keys[i]));
    }
    Buffer bounds = memory.allocate(8L * keys.length);
    context.device().transfers().toDevice(context, host, bounds, 8L * keys.length);
    scratch.release(mark);
    return bounds;
  }

  /** Copies in host memory, if somebody does not reach the device's; then all of it is there. */
  private List<Buffer> staged(List<Buffer> columns, int rows) {
    Device here = context.device();
    Transfers transfers = here.transfers();
    List<Buffer> staged = new ArrayList<>();
    if (transfers.shared()) {
      staged.addAll(columns);
    } else if (member.devices().stream()
        .anyMatch(peer -> !peer.equals(here) && !peer.transfers().reaches(here))) {
      for (Buffer column : columns) {
        Buffer copy = context.hostMemory().allocate(column.size());
        if (rows > 0) {
          transfers.toHost(context, column, copy.address(), column.size());
        }
        staged.add(copy);
      }
    }
    transfers.await(context);
    return staged;
  }

  private static long[] starts(List<Sent> all, int ranges, long base) {
    long[] starts = new long[ranges + 1];
    starts[0] = base;
    for (int range = 0; range < ranges; range++) {
      long rows = 0;
      for (Sent sent : all) {
        rows += sent.begins[range + 1] - sent.begins[range];
      }
      starts[range + 1] = starts[range] + rows;
    }
    return starts;
  }

  private List<Segment> segments(long[] starts) {
    List<Segment> segments = new ArrayList<>();
    long local = 0;
    for (Run run : runs) {
      long rows = starts[run.end()] - starts[run.first()];
      segments.add(new Segment(Math.toIntExact(local), Math.toIntExact(rows), starts[run.first()]));
      local += rows;
    }
    return segments;
  }

  /** Rows of keys that are nobody's go straight to their place. */
  private Ticket heavyOut(Arriving arriving, List<Sent> all, long[] starts) {
    HostRows out = arriving.chunkset.out;
    Sent own = all.get(member.index());
    List<Copy> copies = new ArrayList<>();
    for (int range = 0; range < splits.ranges(); range++) {
      int from = own.begins[range];
      int rows = own.begins[range + 1] - from;
      if (!splits.heavy()[range] || rows == 0) {
        continue;
      }
      long to = starts[range];
      for (Sent before : all.subList(0, member.index())) {
        to += before.begins[range + 1] - before.begins[range];
      }
      for (int i = 0; i < arriving.widths.size(); i++) {
        long width = arriving.widths.get(i);
        if (out.wants(i)) {
          copies.add(
              new Copy(out.address(i, to), own.columns.get(i).slice(width * from, width * rows)));
        }
      }
    }
    return context.copies().toHost(copies);
  }

  /** The rows of the device's own ranges, from all devices. */
  private List<Buffer> fetched(List<Integer> widths, List<Sent> all, List<Run> own, int count) {
    List<Buffer> columns = new ArrayList<>();
    widths.forEach(width -> columns.add(memory.allocate((long) width * count)));
    int members = all.size();
    int[] places = new int[members];
    int place = 0;
    for (int m = 0; m < members; m++) {
      places[m] = place;
      for (Run run : own) {
        place += all.get(m).begins[run.end()] - all.get(m).begins[run.first()];
      }
    }
    List<Ticket> tickets = new ArrayList<>();
    try {
      // Everybody begins with another one, so that no link is asked by all at once; a device's own
      // rows are copied beside what comes from others.
      for (int k = 1; k <= members; k++) {
        int from = (member.index() + k) % members;
        tickets.add(fetch(widths, all.get(from), own, from, places[from], columns));
      }
      context.device().transfers().await(context);
      tickets.forEach(Ticket::order);
    } finally {
      // What others sent may be freed when this has returned, whatever came of it.
      tickets.forEach(Ticket::await);
    }
    return columns;
  }

  /** Copies the rows of one device, or begins to. */
  private Ticket fetch(
      List<Integer> widths, Sent sent, List<Run> own, int from, int place, List<Buffer> columns) {
    context.checkCancelled();
    Device peer = member.devices().get(from);
    Transfers transfers = context.device().transfers();
    boolean reached = transfers.reaches(peer);
    List<PeerCopy> copies = new ArrayList<>();
    long at = place;
    for (Run run : own) {
      long first = sent.begins[run.first()];
      long rows = sent.begins[run.end()] - first;
      for (int i = 0; rows > 0 && i < columns.size(); i++) {
        long width = widths.get(i);
        Buffer to = columns.get(i).slice(width * at, width * rows);
        Buffer source = sent.columns.get(i);
        if (from == member.index()) {
          transfers.copy(context, source.slice(width * first, to.size()), to, to.size());
        } else if (reached) {
          copies.add(new PeerCopy(source.slice(width * first, to.size()), to));
        } else {
          long staged = sent.staged.get(i).address() + width * first;
          transfers.toDevice(context, staged, to, to.size());
        }
      }
      at += rows;
    }
    return copies.isEmpty() ? CopyQueue.DONE : context.copies().fromPeer(peer, copies);
  }

  /** Whether the only payload column is what a sort moves with the keys. */
  private static boolean goesAlong(List<Integer> widths) {
    return widths.size() == 2 && widths.get(1) == Integer.BYTES;
  }

  /**
   * Sorts what is here, cuts the order of all devices' rows into parts of equal length, exchanges
   * and merges them ({@link SortStrategy#MERGE}). All devices call it, chunkset by chunkset.
   */
  private Sorted merge(Arriving arriving) {
    long start = System.nanoTime();
    arriving.arrive();
    int rows = arriving.rows;
    List<Integer> widths = arriving.widths;
    Sorted own = sorted(widths, arriving.columns, rows, List.of(), new long[0]);
    int[] begins = new Pivots(context, member).of(own.words, rows, words.bits());
    start = member.span("sorting", start);
    List<Buffer> columns = new ArrayList<>();
    columns.add(memory.allocate((long) widths.getFirst() * rows));
    if (rows > 0) {
      primitives.narrow(
          context, own.words, rows, words.least(), widths.getFirst(), columns.getFirst());
    }
    columns.addAll(own.payload);
    memory.free(own.words);
    Sent sent = new Sent(columns, staged(columns, rows), begins);
    List<Sent> all = member.meet(context, PLACE, sent, list -> list);
    int me = member.index();
    long[] starts = starts(all, all.size(), arriving.chunkset.base);
    int count = Math.toIntExact(starts[me + 1] - starts[me]);
    List<Segment> segments = List.of(new Segment(0, count, starts[me]));
    start = member.span("waiting", start);
    List<Buffer> got = fetched(widths, all, List.of(new Run(me, me + 1)), count);
    start = member.span("copying", start);
    member.meet(context, PLACE, true, done -> true);
    free(sent);
    start = member.span("waiting", start);
    int[] lengths = new int[all.size()];
    for (int i = 0; i < lengths.length; i++) {
      lengths[i] = all.get(i).begins[me + 1] - all.get(i).begins[me];
    }
    Buffer unmerged = words.of(context, got.getFirst(), widths.getFirst(), count);
    memory.free(got.getFirst());
    Buffer ids = goesAlong(widths) ? got.get(1) : memory.allocate(4L * count);
    if (!goesAlong(widths)) {
      primitives.iota(context, ids, 0, count);
    }
    RunMerge.Pairs merged = new RunMerge(context).merge(new RunMerge.Pairs(unmerged, ids), lengths);
    Sorted sorted = along(widths, got, count, merged.words(), merged.along(), segments, starts);
    member.span("sorting", start);
    return sorted;
  }

  /** Sorts rows that are here. Frees the columns. */
  Sorted sorted(
      List<Integer> widths,
      List<Buffer> columns,
      int count,
      List<Segment> segments,
      long[] starts) {
    Buffer sorted = words.of(context, columns.getFirst(), widths.getFirst(), count);
    memory.free(columns.getFirst());
    boolean along = goesAlong(widths);
    Buffer ids = along ? columns.get(1) : memory.allocate(4L * count);
    if (!along) {
      primitives.iota(context, ids, 0, count);
    }
    primitives.sortPairs(context, sorted, ids, count, 0, words.bits());
    return along(widths, columns, count, sorted, ids, segments, starts);
  }

  /** Rows whose words are in order, with their payload. Frees its columns. */
  private Sorted along(
      List<Integer> widths,
      List<Buffer> columns,
      int count,
      Buffer sorted,
      Buffer ids,
      List<Segment> segments,
      long[] starts) {
    boolean along = goesAlong(widths);
    List<Buffer> payload = new ArrayList<>();
    if (along) {
      // The only column is what the sort moves with the keys.
      payload.add(ids);
    } else {
      for (int i = 1; i < columns.size(); i++) {
        payload.add(Words.gather(context, columns.get(i), widths.get(i), count, ids, count));
        memory.free(columns.get(i));
      }
      memory.free(ids);
    }
    return new Sorted(count, sorted, payload, segments, starts);
  }

  /** A part on its way to the host, whose buffers are freed when it is there. */
  final class Leaving {
    private final Ticket ticket;
    private final List<Buffer> buffers;

    private Leaving(Ticket ticket, List<Buffer> buffers) {
      this.ticket = ticket;
      this.buffers = buffers;
    }

    void await() {
      ticket.await();
      buffers.forEach(memory::free);
    }
  }

  /** Begins to copy a part to its place in the host's memory; its words stay. */
  Leaving leave(Sorted sorted, HostRows out) {
    List<Buffer> columns = new ArrayList<>();
    int keyWidth = out.widths().getFirst();
    if (out.wants(0)) {
      Buffer keys = memory.allocate((long) keyWidth * sorted.count);
      primitives.narrow(context, sorted.words, sorted.count, words.least(), keyWidth, keys);
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
    return new Leaving(context.copies().toHost(copies), columns);
  }
}
