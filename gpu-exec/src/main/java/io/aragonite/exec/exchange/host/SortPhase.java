package io.aragonite.exec.exchange.host;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.ColumnMemory.Copy;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.CopyQueue.CopyTicket;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.exchange.host.Blocks.Fetch;
import io.aragonite.exec.exchange.host.Blocks.SentPiece;
import io.aragonite.exec.exchange.host.LocalSort.OutgoingPart;
import io.aragonite.exec.exchange.host.LocalSort.Segment;
import io.aragonite.exec.exchange.host.LocalSort.SortedPart;
import io.aragonite.exec.exchange.host.RangeSplitters.RangeRun;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.PhysicalPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One device's part of the sort phase (Maltenberger 2024, section 3.1): its share of a chunkset is
 * copied in, partitioned by whose ranges its keys are in, exchanged with all other devices at once,
 * sorted, and copied out to its place in the order of the whole. Copies take place beside the work
 * on what came before: rows are partitioned piece by piece as they arrive, and sorted part by part,
 * each of which leaves while the next one is sorted. So of the device's own work little more than
 * that on one piece and one part is between what comes and what goes.
 */
public final class SortPhase {
  /** Where devices meet: not a node of a plan. */
  static final PhysicalPlan PLACE = new PhysicalPlan.Values(List.of(), List.of());

  private final ExecContext context;
  private final QueryMemory memory;
  private final Rank rank;
  private final RangeSplitters splits;
  private final KeyEncoder words;

  /** By part of this device. */
  private final List<List<RangeRun>> runs;

  private final RangePartition partition;
  private final Blocks blocks;
  private final LocalSort local;

  public SortPhase(ExecContext context, Rank rank, RangeSplitters splits, KeyEncoder words) {
    this.words = words;
    this.context = context;
    this.memory = context.memory();
    this.rank = rank;
    this.splits = splits;
    this.runs = splits.runs(rank.index());
    this.partition = new RangePartition(context, splits, words);
    this.blocks = new Blocks(context, rank);
    this.local = new LocalSort(context, words);
  }

  /**
   * Rows of a side that all devices sort together.
   *
   * @param base rows of the order before them, in {@code out}
   */
  public record Chunkset(HostSide side, long from, long rows, HostRows out, long base) {}

  /** A device sorts so many rows at once at most; its share may be a little more than others'. */
  public static final long MOST_ROWS = 1 << 29;

  /** Bytes that sorting takes for each row, at the most: copies of it, words, numbers. */
  public static long bytes(HostSide side) {
    return 4L * side.rowBytes() + 44;
  }

  /** The same of chunksets: one is sorted while the next one arrives and the last one leaves. */
  private static long chunkBytes(HostSide side) {
    return bytes(side) + 3L * side.rowBytes() + 8;
  }

  /**
   * Has a pool that others reach hold what the device will take: where it grows while copies are
   * under way, mapping the new memory waits for all copies of all devices (four H200s: 20 to 50 ms,
   * at any of the first allocations).
   */
  public static void reserve(ExecContext context, Rank rank, double bytes) {
    MemoryBudget budget = context.device().memory();
    if (rank.devices().size() < 2
        || context.device().traits().hostMemory()
        || budget.limit() - budget.used() < bytes) {
      // Nobody is to give way for what can be done without.
      return;
    }
    try {
      QueryMemory memory = context.memory();
      memory.free(memory.allocate((long) bytes));
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      // Others have just taken it; less may do.
    }
  }

  /**
   * The chunksets of a side: as few as fit, all alike.
   *
   * @param room of each device
   * @param memory where their rows go
   * @throws AragoniteException MEMORY_EXCEEDED if a device has not even room for 64 rows
   */
  public static List<Chunkset> chunksets(
      HostSide side, long room, int devices, QueryMemory memory) {
    long rowBytes = chunkBytes(side);
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
  public List<long[]> all(List<Chunkset> chunksets) {
    List<long[]> starts = new ArrayList<>();
    if (chunksets.isEmpty()) {
      return starts;
    }
    int devices = rank.devices().size();
    HostSide side = chunksets.getFirst().side;
    // All of them are as good as the first one's device: what they choose must be the same.
    SortStrategy strategy =
        devices == 1
            ? SortStrategy.PARTITION
            : SortStrategy.cheaper(
                rank.devices().getFirst().profile(),
                (double) chunksets.getFirst().rows / devices,
                side.key().width(),
                side.rowBytes(),
                devices);
    long rows = share(chunksets.getFirst().rows, devices);
    reserve(context, rank, 1.1 * rows * chunkBytes(side));
    boolean pieces = splits.ranges() > 1;
    Arrival next = start(chunksets.getFirst(), pieces);
    Arrival now = next;
    List<OutgoingPart> last = List.of();
    List<OutgoingPart> leaving = new ArrayList<>();
    boolean done = false;
    try {
      for (int i = 0; i < chunksets.size(); i++) {
        now = next;
        if (i + 1 < chunksets.size()) {
          next = start(chunksets.get(i + 1), pieces);
        }
        List<OutgoingPart> before = last;
        List<OutgoingPart> these = new ArrayList<>();
        leaving = these;
        Chunkset chunkset = chunksets.get(i);
        Consumer<SortedPart> leave =
            part -> {
              if (these.isEmpty()) {
                before.forEach(OutgoingPart::await);
              }
              these.add(local.leave(part, chunkset.out()));
              memory.free(part.words());
            };
        starts.add(strategy == SortStrategy.MERGE ? merge(now, leave) : sort(now, leave));
        last = these;
      }
      last.forEach(OutgoingPart::await);
      done = true;
    } finally {
      if (!done) {
        // Whoever goes on another way frees what these copies use.
        now.await();
        next.await();
        last.forEach(OutgoingPart::ended);
        leaving.forEach(OutgoingPart::ended);
      }
    }
    return starts;
  }

  /** Rows of a device's share at most, a multiple of 64 for the sake of bitmaps. */
  public static long share(long rows, int devices) {
    return (rows + 64L * devices - 1) / (64L * devices) * 64;
  }

  private Arrival start(Chunkset chunkset, boolean pieces) {
    return new Arrival(context, chunkset, rank, pieces);
  }

  /**
   * Partitions, exchanges and sorts. All devices call it, chunkset by chunkset.
   *
   * @param out gets the device's parts, one after the other; its are their words and payload
   * @return where in the whole the rows of each range begin, and all end
   */
  public long[] sort(Arrival arriving, Consumer<SortedPart> out) {
    CopyQueue copies = context.copies();
    long start = System.nanoTime();
    copies.mark("partitioning");
    List<SentPiece> sent = partition.of(arriving, blocks);
    copies.mark(null);
    start = rank.span("partitioning", start);
    List<List<SentPiece>> all = rank.meet(context, PLACE, sent, list -> list);
    long[] starts = Blocks.starts(all, splits.ranges(), arriving.chunkset().base);
    start = rank.span("waiting", start);
    if (splits.ranges() == 1 && all.size() == 1 && sent.size() == 1 && runs.size() == 1) {
      List<Segment> segments = segments(runs.getFirst(), starts);
      SentPiece only = sent.getFirst();
      sortPart(arriving.widths(), only.columns(), only.begins()[1], segments, out);
      rank.span("sorting", start);
      return starts;
    }
    CopyTicket heavy = heavyOut(arriving, all, starts);
    List<Fetch> parts = new ArrayList<>();
    try {
      for (List<RangeRun> part : runs) {
        parts.add(blocks.new Fetch(arriving.widths(), all, part));
      }
      for (int i = 0; i < parts.size(); i++) {
        Fetch part = parts.get(i);
        part.arrive();
        List<Segment> segments = segments(runs.get(i), starts);
        sortPart(arriving.widths(), part.columns(), part.count(), segments, out);
      }
      start = rank.span("sorting", start);
    } finally {
      // What others sent may be freed when this has returned, whatever came of it.
      parts.forEach(Fetch::await);
    }
    start = rank.span("copying", start);
    rank.meet(context, PLACE, true, done -> true);
    heavy.await();
    sent.forEach(blocks::free);
    rank.span("waiting", start);
    return starts;
  }

  private void sortPart(
      List<Integer> widths,
      List<Buffer> columns,
      int count,
      List<Segment> segments,
      Consumer<SortedPart> out) {
    context.checkCancelled();
    context.copies().mark("sorting");
    SortedPart sorted = local.sorted(widths, columns, count, segments);
    context.copies().mark(null);
    out.accept(sorted);
  }

  private static List<Segment> segments(List<RangeRun> part, long[] starts) {
    List<Segment> segments = new ArrayList<>();
    long local = 0;
    for (RangeRun run : part) {
      long rows = starts[run.end()] - starts[run.first()];
      segments.add(new Segment(Math.toIntExact(local), Math.toIntExact(rows), starts[run.first()]));
      local += rows;
    }
    return segments;
  }

  /** Rows of keys that are nobody's go straight to their place. */
  private CopyTicket heavyOut(Arrival arriving, List<List<SentPiece>> all, long[] starts) {
    HostRows out = arriving.chunkset().out;
    List<Copy> copies = new ArrayList<>();
    for (int range = 0; range < splits.ranges(); range++) {
      if (!splits.heavy()[range]) {
        continue;
      }
      RangeRun run = new RangeRun(range, range + 1);
      long to = starts[range];
      for (List<SentPiece> before : all.subList(0, rank.index())) {
        to += Blocks.rows(before, List.of(run));
      }
      for (SentPiece own : all.get(rank.index())) {
        int from = own.begins()[range];
        int rows = own.rows(run);
        for (int i = 0; rows > 0 && i < arriving.widths().size(); i++) {
          long width = arriving.widths().get(i);
          if (out.wants(i)) {
            Buffer some = own.columns().get(i).slice(width * from, width * rows);
            copies.add(new Copy(out.address(i, to), some));
          }
        }
        to += rows;
      }
    }
    return context.copies().toHost(copies);
  }

  /**
   * Sorts what is here, cuts the order of all devices' rows into parts of equal length, exchanges
   * and merges them ({@link SortStrategy#MERGE}). All devices call it, chunkset by chunkset.
   */
  private long[] merge(Arrival arriving, Consumer<SortedPart> out) {
    long start = System.nanoTime();
    List<Integer> widths = arriving.widths();
    Arrival.Gathered share = arriving.gathered();
    int rows = share.rows();
    SortedPart own = local.sorted(widths, share.columns(), rows, List.of());
    int[] begins = new Pivots(context, rank).of(own.words(), rows, words.bits());
    start = rank.span("sorting", start);
    List<Buffer> columns = new ArrayList<>();
    columns.add(memory.allocate((long) widths.getFirst() * rows));
    if (rows > 0) {
      context
          .scan()
          .narrow(context, own.words(), rows, words.least(), widths.getFirst(), columns.getFirst());
    }
    columns.addAll(own.payload());
    memory.free(own.words());
    SentPiece sent = blocks.offer(columns, rows, begins);
    context.device().transfers().await(context);
    List<List<SentPiece>> all = rank.meet(context, PLACE, List.of(sent), list -> list);
    int me = rank.index();
    long[] starts = Blocks.starts(all, all.size(), arriving.chunkset().base);
    start = rank.span("waiting", start);
    RangeRun mine = new RangeRun(me, me + 1);
    Fetch got = blocks.new Fetch(widths, all, List.of(mine));
    try {
      got.arrive();
    } finally {
      got.await();
    }
    context.device().transfers().await(context);
    start = rank.span("copying", start);
    rank.meet(context, PLACE, true, done -> true);
    blocks.free(sent);
    start = rank.span("waiting", start);
    int count = got.count();
    int[] lengths = all.stream().mapToInt(pieces -> pieces.getFirst().rows(mine)).toArray();
    Buffer keys = got.columns().getFirst();
    Buffer unmerged = words.of(context, keys, widths.getFirst(), count);
    memory.free(keys);
    Buffer ids = LocalSort.goesAlong(widths) ? got.columns().get(1) : memory.allocate(4L * count);
    if (!LocalSort.goesAlong(widths)) {
      context.scan().iota(context, ids, 0, count);
    }
    RunMerge.MergePairs merged =
        new RunMerge(context).merge(new RunMerge.MergePairs(unmerged, ids), lengths);
    List<Segment> segments = List.of(new Segment(0, count, starts[me]));
    SortedPart sorted =
        local.along(widths, got.columns(), count, merged.words(), merged.along(), segments);
    rank.span("sorting", start);
    out.accept(sorted);
    return starts;
  }
}
