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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One device's part of the sort phase (Maltenberger 2024, section 3.1): its share of a chunkset is
 * copied in, partitioned by whose ranges its keys are in, exchanged with all other devices at once,
 * sorted, and copied out to its place in the order of the whole. Copies take place beside the work
 * on what came before: rows are partitioned piece by piece as they arrive, and sorted part by part,
 * each of which leaves while the next one is sorted. So of the device's own work little more than
 * that on one piece and one part is between what comes and what goes.
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

  /** By part of this device. */
  private final List<List<Run>> runs;

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
    List<Leaving> last = List.of();
    List<Leaving> leaving = new ArrayList<>();
    boolean done = false;
    try {
      for (int i = 0; i < chunksets.size(); i++) {
        now = next;
        if (i + 1 < chunksets.size()) {
          next = start(chunksets.get(i + 1));
        }
        List<Leaving> before = last;
        List<Leaving> these = new ArrayList<>();
        leaving = these;
        Chunkset chunkset = chunksets.get(i);
        Consumer<Sorted> leave =
            part -> {
              if (these.isEmpty()) {
                before.forEach(Leaving::await);
              }
              these.add(leave(part, chunkset.out()));
              memory.free(part.words());
            };
        starts.add(strategy == SortStrategy.MERGE ? merge(now, leave) : sort(now, leave));
        last = these;
      }
      last.forEach(Leaving::await);
      done = true;
    } finally {
      if (!done) {
        // Whoever goes on another way frees what these copies use.
        now.await();
        next.await();
        last.forEach(one -> one.ticket.await());
        leaving.forEach(one -> one.ticket.await());
      }
    }
    return starts;
  }

  /** A chunkset's share on its way here, in pieces. */
  final class Arriving {
    private final Chunkset chunkset;
    private final List<Integer> widths = new ArrayList<>();
    private final List<Piece> pieces = new ArrayList<>();

    private Arriving(Chunkset chunkset) {
      this.chunkset = chunkset;
      HostSide side = chunkset.side;
      widths.add(side.key().width());
      side.payload().forEach(column -> widths.add(column.width()));
      long share = share(chunkset.rows, member.devices().size());
      long from = Math.min(chunkset.rows, share * member.index());
      long rows = Math.min(chunkset.rows, from + share) - from;
      // Pieces are of use to be partitioned one by one only.
      long each = share(rows, splits.ranges() == 1 ? 1 : Splits.parts(rows));
      long end = from + rows;
      do {
        int some = Math.toIntExact(Math.min(each, end - from));
        pieces.add(new Piece(side, chunkset.from + from, some));
        from += some;
      } while (from < end);
    }

    private void await() {
      pieces.forEach(piece -> piece.ticket.await());
    }
  }

  /** Neighbouring rows on their way here. */
  private final class Piece {
    private final List<Buffer> columns = new ArrayList<>();
    private final @Nullable Buffer validity;
    private final Ticket ticket;
    private int rows;

    Piece(HostSide side, long from, int rows) {
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
    private void arrive(List<Integer> widths) {
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
   * A part of a chunkset, in order.
   *
   * @param segments by run of the part
   */
  record Sorted(int count, Buffer words, List<Buffer> payload, List<Segment> segments) {}

  /**
   * What a device has for the others of a piece: columns by range, in its memory and where others
   * reach it.
   */
  private record Sent(List<Buffer> columns, List<Buffer> staged, int[] begins) {
    int rows(Run run) {
      return begins[run.end()] - begins[run.first()];
    }
  }

  /**
   * Partitions, exchanges and sorts. All devices call it, chunkset by chunkset.
   *
   * @param out gets the device's parts, one after the other; its are their words and payload
   * @return where in the whole the rows of each range begin, and all end
   */
  long[] sort(Arriving arriving, Consumer<Sorted> out) {
    CopyQueue copies = context.copies();
    long start = System.nanoTime();
    copies.mark("partitioning");
    List<Sent> sent = partitioned(arriving);
    copies.mark(null);
    start = member.span("partitioning", start);
    List<List<Sent>> all = member.meet(context, PLACE, sent, list -> list);
    long[] starts = starts(all, splits.ranges(), arriving.chunkset.base);
    start = member.span("waiting", start);
    if (splits.ranges() == 1 && all.size() == 1) {
      List<Segment> segments = segments(runs.getFirst(), starts);
      Sent only = sent.getFirst();
      sortPart(arriving.widths, only.columns, only.begins[1], segments, out);
      member.span("sorting", start);
      return starts;
    }
    Ticket heavy = heavyOut(arriving, all, starts);
    List<Fetch> parts = new ArrayList<>();
    try {
      for (List<Run> part : runs) {
        parts.add(new Fetch(arriving.widths, all, part));
      }
      for (int i = 0; i < parts.size(); i++) {
        Fetch part = parts.get(i);
        part.arrive();
        List<Segment> segments = segments(runs.get(i), starts);
        sortPart(arriving.widths, part.columns, part.count, segments, out);
      }
      start = member.span("sorting", start);
    } finally {
      // What others sent may be freed when this has returned, whatever came of it.
      parts.forEach(Fetch::await);
    }
    start = member.span("copying", start);
    member.meet(context, PLACE, true, done -> true);
    heavy.await();
    sent.forEach(this::free);
    member.span("waiting", start);
    return starts;
  }

  private void sortPart(
      List<Integer> widths,
      List<Buffer> columns,
      int count,
      List<Segment> segments,
      Consumer<Sorted> out) {
    context.checkCancelled();
    context.copies().mark("sorting");
    Sorted sorted = sorted(widths, columns, count, segments);
    context.copies().mark(null);
    out.accept(sorted);
  }

  private void free(Sent sent) {
    sent.columns.forEach(memory::free);
    if (!context.device().transfers().shared()) {
      sent.staged.forEach(context.hostMemory()::free);
    }
  }

  /** The share's pieces by range; where ranges begin is asked for when all are on their way. */
  private List<Sent> partitioned(Arriving arriving) {
    int ranges = splits.ranges();
    List<List<Buffer>> columns = new ArrayList<>();
    List<@Nullable Buffer> offsets = new ArrayList<>();
    for (Piece piece : arriving.pieces) {
      piece.arrive(arriving.widths);
      boolean whole = ranges == 1 || piece.rows == 0;
      offsets.add(whole ? null : memory.allocate((4L << bits()) + 4));
      columns.add(whole ? piece.columns : partitioned(arriving.widths, piece, offsets.getLast()));
    }
    List<Sent> sent = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      int rows = arriving.pieces.get(i).rows;
      int[] begins = new int[ranges + 1];
      Arrays.fill(begins, 1, ranges + 1, rows);
      Buffer some = offsets.get(i);
      if (some != null) {
        begins = HostColumns.ints(context, some, ranges + 1);
        memory.free(some);
      }
      sent.add(new Sent(columns.get(i), staged(columns.get(i), rows), begins));
    }
    context.device().transfers().await(context);
    return sent;
  }

  /** Bits of a range's number. */
  private int bits() {
    return Integer.SIZE - Integer.numberOfLeadingZeros(splits.ranges() - 1);
  }

  private List<Buffer> partitioned(List<Integer> widths, Piece piece, Buffer offsets) {
    int rows = piece.rows;
    Buffer keys = words.of(context, piece.columns.getFirst(), widths.getFirst(), rows);
    Buffer range = memory.allocate(4L * rows);
    primitives.bound(context, bounds, splits.ranges() - 1, keys, rows, true, range);
    memory.free(keys);
    Buffer moved = memory.allocate(4L * rows);
    List<MovedColumn> columns = new ArrayList<>();
    for (int i = 0; i < widths.size(); i++) {
      int width = widths.get(i);
      Buffer out = memory.allocate((long) width * rows);
      columns.add(new MovedColumn(piece.columns.get(i), out, width));
    }
    WordOrder order = new WordOrder(false, 0, (1L << bits()) - 1);
    primitives.partitionRows(
        context, order, bits(), range, Integer.BYTES, rows, moved, columns, offsets);
    memory.free(range);
    memory.free(moved);
    piece.columns.forEach(memory::free);
    return columns.stream().map(MovedColumn::out).toList();
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

  /** Copies in host memory, if somebody does not reach the device's. */
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
    return staged;
  }

  private static long[] starts(List<List<Sent>> all, int ranges, long base) {
    long[] starts = new long[ranges + 1];
    starts[0] = base;
    for (int range = 0; range < ranges; range++) {
      long rows = 0;
      for (List<Sent> pieces : all) {
        rows += rows(pieces, List.of(new Run(range, range + 1)));
      }
      starts[range + 1] = starts[range] + rows;
    }
    return starts;
  }

  private static long rows(List<Sent> pieces, List<Run> runs) {
    long rows = 0;
    for (Sent piece : pieces) {
      for (Run run : runs) {
        rows += piece.rows(run);
      }
    }
    return rows;
  }

  private static List<Segment> segments(List<Run> part, long[] starts) {
    List<Segment> segments = new ArrayList<>();
    long local = 0;
    for (Run run : part) {
      long rows = starts[run.end()] - starts[run.first()];
      segments.add(new Segment(Math.toIntExact(local), Math.toIntExact(rows), starts[run.first()]));
      local += rows;
    }
    return segments;
  }

  /** Rows of keys that are nobody's go straight to their place. */
  private Ticket heavyOut(Arriving arriving, List<List<Sent>> all, long[] starts) {
    HostRows out = arriving.chunkset.out;
    List<Copy> copies = new ArrayList<>();
    for (int range = 0; range < splits.ranges(); range++) {
      if (!splits.heavy()[range]) {
        continue;
      }
      Run run = new Run(range, range + 1);
      long to = starts[range];
      for (List<Sent> before : all.subList(0, member.index())) {
        to += rows(before, List.of(run));
      }
      for (Sent own : all.get(member.index())) {
        int from = own.begins[range];
        int rows = own.rows(run);
        for (int i = 0; rows > 0 && i < arriving.widths.size(); i++) {
          long width = arriving.widths.get(i);
          if (out.wants(i)) {
            Buffer some = own.columns.get(i).slice(width * from, width * rows);
            copies.add(new Copy(out.address(i, to), some));
          }
        }
        to += rows;
      }
    }
    return context.copies().toHost(copies);
  }

  /** The rows of a part, from all devices: what comes over links is on its way. */
  private final class Fetch {
    private final List<Integer> widths;
    private final List<List<Sent>> all;
    private final List<Run> part;
    private final int count;
    private final List<Buffer> columns = new ArrayList<>();
    private Ticket ticket = CopyQueue.DONE;

    Fetch(List<Integer> widths, List<List<Sent>> all, List<Run> part) {
      this.widths = widths;
      this.all = all;
      this.part = part;
      long rows = 0;
      for (List<Sent> pieces : all) {
        rows += rows(pieces, part);
      }
      this.count = Math.toIntExact(rows);
      widths.forEach(width -> columns.add(memory.allocate((long) width * count)));
      copies(true);
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
        int from = (member.index() + k) % places.length;
        Device peer = member.devices().get(from);
        boolean own = from == member.index();
        boolean reached = !own && transfers.reaches(peer);
        if (reached != links) {
          continue;
        }
        long at = places[from];
        for (Sent sent : all.get(from)) {
          for (Run run : part) {
            at += copy(sent, run, peer, reached ? copies : null, at);
          }
        }
      }
      if (links) {
        ticket = context.copies().fromPeers(copies);
      }
    }

    /** Copies the rows of a run, or adds to copies over a link. */
    private long copy(Sent sent, Run run, Device peer, @Nullable List<PeerCopy> copies, long at) {
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

  /** Whether the only payload column is what a sort moves with the keys. */
  private static boolean goesAlong(List<Integer> widths) {
    return widths.size() == 2 && widths.get(1) == Integer.BYTES;
  }

  /**
   * Sorts what is here, cuts the order of all devices' rows into parts of equal length, exchanges
   * and merges them ({@link SortStrategy#MERGE}). All devices call it, chunkset by chunkset.
   */
  private long[] merge(Arriving arriving, Consumer<Sorted> out) {
    long start = System.nanoTime();
    List<Integer> widths = arriving.widths;
    Gathered share = gathered(arriving);
    int rows = share.rows;
    Sorted own = sorted(widths, share.columns, rows, List.of());
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
    context.device().transfers().await(context);
    List<List<Sent>> all = member.meet(context, PLACE, List.of(sent), list -> list);
    int me = member.index();
    long[] starts = starts(all, all.size(), arriving.chunkset.base);
    start = member.span("waiting", start);
    Run mine = new Run(me, me + 1);
    Fetch got = new Fetch(widths, all, List.of(mine));
    try {
      got.arrive();
    } finally {
      got.await();
    }
    context.device().transfers().await(context);
    start = member.span("copying", start);
    member.meet(context, PLACE, true, done -> true);
    free(sent);
    start = member.span("waiting", start);
    int count = got.count;
    int[] lengths = all.stream().mapToInt(pieces -> pieces.getFirst().rows(mine)).toArray();
    Buffer keys = got.columns.getFirst();
    Buffer unmerged = words.of(context, keys, widths.getFirst(), count);
    memory.free(keys);
    Buffer ids = goesAlong(widths) ? got.columns.get(1) : memory.allocate(4L * count);
    if (!goesAlong(widths)) {
      primitives.iota(context, ids, 0, count);
    }
    RunMerge.Pairs merged = new RunMerge(context).merge(new RunMerge.Pairs(unmerged, ids), lengths);
    List<Segment> segments = List.of(new Segment(0, count, starts[me]));
    Sorted sorted = along(widths, got.columns, count, merged.words(), merged.along(), segments);
    member.span("sorting", start);
    out.accept(sorted);
    return starts;
  }

  private record Gathered(List<Buffer> columns, int rows) {}

  /** All pieces of a share together. */
  private Gathered gathered(Arriving arriving) {
    int rows = 0;
    for (Piece piece : arriving.pieces) {
      piece.arrive(arriving.widths);
      rows += piece.rows;
    }
    if (arriving.pieces.size() == 1) {
      return new Gathered(arriving.pieces.getFirst().columns, rows);
    }
    List<Buffer> columns = new ArrayList<>();
    for (int i = 0; i < arriving.widths.size(); i++) {
      long width = arriving.widths.get(i);
      Buffer all = memory.allocate(width * rows);
      long at = 0;
      for (Piece piece : arriving.pieces) {
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

  /** Sorts rows that are here. Frees the columns. */
  Sorted sorted(List<Integer> widths, List<Buffer> columns, int count, List<Segment> segments) {
    Buffer sorted = words.of(context, columns.getFirst(), widths.getFirst(), count);
    memory.free(columns.getFirst());
    boolean along = goesAlong(widths);
    Buffer ids = along ? columns.get(1) : memory.allocate(4L * count);
    if (!along) {
      primitives.iota(context, ids, 0, count);
    }
    primitives.sortPairs(context, sorted, ids, count, 0, words.bits());
    return along(widths, columns, count, sorted, ids, segments);
  }

  /** Rows whose words are in order, with their payload. Frees its columns. */
  private Sorted along(
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
        payload.add(Words.gather(context, columns.get(i), widths.get(i), count, ids, count));
        memory.free(columns.get(i));
      }
      memory.free(ids);
    }
    return new Sorted(count, sorted, payload, segments);
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
