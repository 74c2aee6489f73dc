package io.aragonite.exec.group;

import io.aragonite.exec.QueryMetrics;
import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.ColumnStore;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.CopyQueue.PeerCopy;
import io.aragonite.exec.device.CopyQueue.Point;
import io.aragonite.exec.device.CopyQueue.Ticket;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.OrderPrimitives.Aside;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.device.WordOrder;
import io.aragonite.exec.group.ExchangeSide.Coming;
import io.aragonite.exec.group.KeyRanges.Sample;
import io.aragonite.exec.join.Arranged;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryScope;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.Batches;
import io.aragonite.exec.pipeline.PlanCompiler;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Both sides of a join on their way to the devices of their keys' ranges. Devices tell each other
 * first how many rows of each partition they have. So each knows where everything will lie, and
 * what follows is asked for without a wait: rows are partitioned, the device's own to where they
 * are joined and the others' to be sent, copies come behind that by events, and the join behind the
 * copies.
 *
 * <p>Partitions with so many rows of the probe side that the devices would be uneven stay where
 * they are, where nobody wants the join's rows on the devices of their keys: the build side's rows
 * of them go to all devices instead (as in Xu, Kostamaa, Zhou and Chen, "Handling data skew in
 * parallel joins in shared-nothing systems", 2008, keys do).
 */
final class RangedSides {
  /** Slices that a device's partitions come in: while one travels, one before it is looked at. */
  private static final int SLICES = 4;

  /** A frequent partition's part of what a device should have. */
  private static final double FREQUENT = 0.125;

  private final PlanCompiler compiler;
  private final Member member;
  private final KeyRanges ranges;
  private final boolean mayStay;
  private final int me;

  /**
   * Bits that number partitions. More than those by which keys belong to devices: a device has a
   * part of all partitions, whose places in tables shall be as few as where one device has all.
   */
  private final int bits;

  private final int first;
  private final int partitions;

  /** Partitions whose rows of the probe side stay where they are. */
  private final BitSet frequent = new BitSet();

  private RangedSides(PlanCompiler compiler, Member member, KeyRanges ranges, boolean mayStay) {
    this.compiler = compiler;
    this.member = member;
    this.ranges = ranges;
    this.mayStay = mayStay;
    this.me = member.index();
    this.bits = ranges.order().shift(KeyRanges.BITS) > 0 ? Primitives.PLACE_BITS : KeyRanges.BITS;
    this.first = first(me);
    this.partitions = first(me + 1) - first;
  }

  /** The first partition of a device, and how many there are for the one behind the last. */
  private int first(int device) {
    return ranges.first(device) << bits - KeyRanges.BITS;
  }

  /**
   * Whether a device's rows can come so: they are plain values, and it writes to all others'
   * memory.
   */
  static boolean takes(Member member, ExchangeSide build, ExchangeSide probe) {
    Device here = member.devices().get(member.index());
    return build.rows().columns().stream().allMatch(Shipment::moves)
        && probe.rows().columns().stream().allMatch(Shipment::moves)
        && member.devices().stream()
            .allMatch(peer -> peer.equals(here) || here.transfers().reaches(peer));
  }

  /**
   * Begins to bring both sides.
   *
   * @param mayStay whether a joined row may come out on any device
   * @return null if a device would get more rows than a batch has; nothing has been done then
   */
  static @Nullable BothSides bring(
      PlanCompiler compiler,
      Member member,
      KeyRanges ranges,
      boolean mayStay,
      ExchangeSide build,
      ExchangeSide probe) {
    return new RangedSides(compiler, member, ranges, mayStay).bring(build, probe);
  }

  private @Nullable BothSides bring(ExchangeSide build, ExchangeSide probe) {
    ExecContext context = compiler.context();
    CopyQueue copies = context.copies();
    copies.mark("counting");
    Counted counted = compiler.work(build.node(), worker -> counted(worker, build, probe));
    List<Counted> all = member.meet(context, build.node(), counted, list -> list);
    List<int[]> builds = all.stream().map(Counted::build).toList();
    List<int[]> probes = all.stream().map(Counted::probe).toList();
    long[] built = together(builds);
    long[] probed = together(probes);
    if (mayStay) {
      findFrequent(built, probed);
    }
    if (!fits(builds, built, false) || !fits(probes, probed, true)) {
      return null;
    }
    // The device partitions one side while the other one's places are found.
    copies.mark("partitioning");
    Way ours = new Way(build, builds, false);
    Sent one = compiler.work(build.node(), worker -> ours.send(worker));
    copies.mark("partitioning");
    Way theirs = new Way(probe, probes, true);
    Sent other = compiler.work(probe.node(), worker -> theirs.send(worker));
    copies.mark("rest");
    List<List<Sent>> sent =
        member.meet(context, probe.node(), List.of(one, other), shipments -> shipments);
    List<Arranged.Slice> buildSlices =
        compiler.work(build.node(), worker -> ours.fetch(worker, sent, List::getFirst));
    List<Arranged.Slice> probeSlices =
        compiler.work(probe.node(), worker -> theirs.fetch(worker, sent, List::getLast));
    return new BothSides(
        ours.coming(),
        theirs.coming(),
        worker -> List.of(one, other).forEach(some -> some.memory().close()),
        arranged(ours, buildSlices, theirs, probeSlices, counted.partners()));
  }

  /** How both sides lie, if a table over the build side is of a size that joins reckon with. */
  private @Nullable Arranged arranged(
      Way build,
      List<Arranged.Slice> built,
      Way probe,
      List<Arranged.Slice> probed,
      boolean partners) {
    WordOrder order = joined();
    int own = joinedBits(order);
    return own == 0 || !KeyRanges.servesTable(order, build.total)
        ? null
        : new Arranged(order, own, built, probed, probe.own(), partners);
  }

  /** The first partition of {@link #joined()}. */
  private int least() {
    int often = frequent.nextSetBit(0);
    return often < 0 ? first : Math.min(first, often);
  }

  /** The order of all keys that the device joins: its own, and frequent ones. */
  private WordOrder joined() {
    int shift = ranges.order().shift(bits);
    int end = Math.max(first + partitions, frequent.length());
    long from = (long) least() << shift;
    long range = Math.min(((long) end << shift) - 1, ranges.order().range()) - from;
    return new WordOrder(false, ranges.order().base() + from, range);
  }

  /** Bits that number the partitions of an order as they are here; 0 if none do. */
  private int joinedBits(WordOrder order) {
    int shift = ranges.order().shift(bits);
    int own = Long.SIZE - Long.numberOfLeadingZeros(order.range()) - shift;
    return shift > 0 && order.range() >= 0 && own > 0 && order.shift(own) == shift ? own : 0;
  }

  /**
   * What a device has.
   *
   * @param build rows of each partition
   * @param probe the same
   * @param partners whether all of the probe side's keys that were looked at lie among the build
   *     side's
   */
  private record Counted(int[] build, int[] probe, boolean partners) {}

  private Counted counted(ExecContext context, ExchangeSide build, ExchangeSide probe) {
    long bytes = 4L << bits;
    Buffer sizes = context.memory().allocate(2 * bytes);
    count(context, build, sizes.slice(0, bytes));
    count(context, probe, sizes.slice(bytes, bytes));
    List<long[]> looked =
        Sample.read(
            context,
            List.of(
                new Sample(Buffer.EMPTY, sizes, Integer.BYTES, 2 << bits),
                Sample.begin(context, probe)));
    int[] ours = new int[1 << bits];
    int[] theirs = new int[1 << bits];
    for (int p = 0; p < 1 << bits; p++) {
      ours[p] = (int) looked.getFirst()[p];
      theirs[p] = (int) looked.getFirst()[(1 << bits) + p];
    }
    WordOrder order = ranges.order();
    boolean partners =
        Arrays.stream(looked.getLast())
            .allMatch(key -> Long.compareUnsigned(key - order.base(), order.range()) <= 0);
    return new Counted(ours, theirs, partners);
  }

  /** Rows of each partition on all devices. */
  private long[] together(List<int[]> sizes) {
    long[] rows = new long[1 << bits];
    sizes.forEach(some -> Arrays.setAll(rows, p -> rows[p] + some[p]));
    return rows;
  }

  /**
   * All devices find the same. What stays must be more than what goes to all devices for it, which
   * else the build side would grow by as much as there are devices.
   */
  private void findFrequent(long[] built, long[] probed) {
    int devices = member.devices().size();
    double share = (double) Arrays.stream(probed).sum() / devices;
    boolean uneven = false;
    for (int device = 0; device < devices; device++) {
      long own = 0;
      for (int p = first(device); p < first(device + 1); p++) {
        own += probed[p];
      }
      uneven |= own > KeyRanges.UNEVEN * share;
    }
    for (int p = 0; uneven && p < probed.length; p++) {
      frequent.set(p, probed[p] > Math.max(FREQUENT * share, (devices - 1.0) * built[p]));
    }
  }

  /**
   * Whether all devices' rows of a side are as many as a batch has. All devices find the same.
   *
   * @param all rows of each partition on all devices
   * @param stays whether frequent partitions do; else they go everywhere
   */
  private boolean fits(List<int[]> sizes, long[] all, boolean stays) {
    for (int device = 0; device < sizes.size(); device++) {
      long rows = 0;
      for (int p = first(device); p < first(device + 1); p++) {
        rows += frequent.get(p) ? 0 : all[p];
      }
      for (int p = frequent.nextSetBit(0); p >= 0; p = frequent.nextSetBit(p + 1)) {
        rows += stays ? sizes.get(device)[p] : all[p];
      }
      if (rows > Integer.MAX_VALUE - 64) {
        return false;
      }
    }
    return true;
  }

  private void count(ExecContext context, ExchangeSide side, Buffer sizes) {
    int rows = side.rows().rows();
    if (rows == 0) {
      context.memory().fill(sizes, (byte) 0);
    } else {
      Primitives primitives = context.device().primitives();
      Column key = side.key();
      int width = key.shape().storage().width();
      primitives.partitionSizes(context, ranges.order(), bits, key.values(), width, rows, sizes);
    }
  }

  /**
   * What a device has for the others.
   *
   * @param columns their rows, partition by partition
   * @param there behind it they are there
   * @param memory the columns', freed when all have fetched their rows
   */
  private record Sent(List<Buffer> columns, Point there, MemoryScope memory) {}

  /** One side. */
  private final class Way {
    final ExchangeSide side;

    /** Of each device the rows of each partition. */
    final List<int[]> sizes;

    /** Whether frequent partitions stay; else they go everywhere. */
    final boolean stays;

    /**
     * Where the device's partitions begin, and the last one ends, among its rows: of each slice and
     * device. Partitions of other slices, and frequent ones, are empty.
     */
    final int[][][] starts = new int[SLICES][][];

    /**
     * Where partitions begin, and the last one ends, behind all slices: frequent ones; others are
     * empty. Of the device itself if they stay, of each device if they go everywhere; none if there
     * are no such partitions.
     */
    final int[][] others;

    final long total;
    private ColumnBatch room = new ColumnBatch(List.of(), 0);
    private Point roomed = Point.PAST;
    private final List<Ticket> tickets = new ArrayList<>();

    Way(ExchangeSide side, List<int[]> sizes, boolean stays) {
      this.side = side;
      this.sizes = sizes;
      this.stays = stays;
      long at = 0;
      for (int slice = 0; slice < SLICES; slice++) {
        starts[slice] = new int[sizes.size()][partitions + 1];
        for (int k = 0; k < sizes.size(); k++) {
          int[] some = sizes.get(from(k));
          for (int p = 0; p <= partitions; p++) {
            starts[slice][k][p] = (int) at;
            if (p >= begin(slice) && p < begin(slice + 1) && !frequent.get(first + p)) {
              at += some[first + p];
            }
          }
        }
      }
      others = frequent.isEmpty() ? new int[0][] : new int[stays ? 1 : sizes.size()][];
      for (int k = 0; k < others.length; k++) {
        others[k] = new int[(1 << bits) + 1];
        for (int p = 0; p <= 1 << bits; p++) {
          others[k][p] = (int) at;
          at += frequent.get(p) ? sizes.get(from(k))[p] : 0;
        }
      }
      this.total = at;
    }

    /** The k-th device whose rows lie behind each other: first the own ones. */
    private int from(int k) {
      return (me + k) % sizes.size();
    }

    private int begin(int slice) {
      return partitions * slice / SLICES;
    }

    /** The first partition of a slice that is not frequent. */
    private int start(int slice) {
      return frequent.nextClearBit(first + begin(slice));
    }

    /** The partitions whose rows a device does not send, but has where it joins them. */
    private BitSet kept(int device) {
      BitSet kept = new BitSet();
      kept.set(first(device), first(device + 1));
      if (stays) {
        kept.or(frequent);
      } else {
        kept.andNot(frequent);
      }
      return kept;
    }

    /**
     * Where a device's partitions lie among what it sends, frequent ones behind the others; and how
     * many rows these are.
     */
    private int[] outgoing(int device) {
      BitSet kept = kept(device);
      int[] places = new int[(1 << bits) + 1];
      int at = 0;
      for (boolean often : new boolean[] {false, true}) {
        for (int p = 0; p < 1 << bits; p++) {
          if (frequent.get(p) == often) {
            places[p] = at;
            at += kept.get(p) ? 0 : sizes.get(device)[p];
          }
        }
      }
      places[1 << bits] = at;
      return places;
    }

    /** Partitions the rows, at some time; what is not sent goes to where all rows come. */
    Sent send(ExecContext context) {
      QueryMemory memory = context.memory();
      List<Column> columns = new ArrayList<>();
      for (ColumnShape shape : side.shapes()) {
        Buffer values = memory.allocate(shape.storage().width() * total);
        columns.add(new Column(shape, (int) total, values, Buffer.EMPTY, null, null));
      }
      room = new ColumnBatch(columns, ColumnStore.checkRows((int) total));
      MemoryScope scope = memory.scope();
      int[] places = outgoing(me);
      long sent = places[1 << bits];
      List<Buffer> out = new ArrayList<>();
      for (ColumnShape shape : side.shapes()) {
        out.add(memory.allocate(shape.storage().width() * sent));
      }
      scope.end();
      for (int slice = 0; slice < SLICES; slice++) {
        for (int p = begin(slice); p < begin(slice + 1); p++) {
          places[first + p] = frequent.get(first + p) ? places[first + p] : starts[slice][0][p];
        }
      }
      for (int p = frequent.nextSetBit(0); stays && p >= 0; p = frequent.nextSetBit(p + 1)) {
        places[p] = others[0][p];
      }
      roomed = context.copies().point();
      if (side.rows().rows() > 0) {
        place(context, places, out);
      }
      if (side.owned()) {
        side.rows().columns().forEach(column -> Batches.free(memory, column));
      }
      return new Sent(out, context.copies().point(), scope);
    }

    private void place(ExecContext context, int[] places, List<Buffer> out) {
      int key = side.keys().getFirst();
      List<MovedColumn> moved = new ArrayList<>();
      List<Buffer> own = new ArrayList<>();
      for (int i = 0; i < out.size(); i++) {
        Column column = side.rows().column(i);
        moved.add(new MovedColumn(column.values(), out.get(i), column.shape().storage().width()));
        own.add(room.column(i).values());
      }
      MovedColumn words = moved.remove(key);
      Aside aside = new Aside(kept(me), own.remove(key), own);
      Buffer there = uploaded(context, places);
      context
          .device()
          .primitives()
          .placePartitions(
              context, ranges.order(), bits, words, side.rows().rows(), moved, there, aside);
      context.memory().free(there);
    }

    /** Has the others' rows come. */
    List<Arranged.Slice> fetch(
        ExecContext context, List<List<Sent>> all, Function<List<Sent>, Sent> which) {
      List<Arranged.Slice> slices = new ArrayList<>();
      List<int[]> outgoing = new ArrayList<>();
      for (int device = 0; device < sizes.size(); device++) {
        outgoing.add(outgoing(device));
      }
      long received = 0;
      for (int slice = 0; slice < SLICES; slice++) {
        context.checkCancelled();
        List<PeerCopy> links = new ArrayList<>();
        for (int k = 1; k < sizes.size(); k++) {
          int to = starts[slice][k][0];
          int rows = starts[slice][k][partitions] - to;
          if (rows > 0) {
            Sent sent = which.apply(all.get(from(k)));
            link(links, from(k), sent, outgoing.get(from(k))[start(slice)], to, rows);
            received += rows;
          }
        }
        Ticket ticket = context.copies().fromPeers(links, roomed);
        tickets.add(ticket);
        slices.add(new Arranged.Slice(joined(starts[slice], first), ticket));
      }
      List<PeerCopy> links = new ArrayList<>();
      for (int k = 0; !stays && k < others.length; k++) {
        int rows = others[k][1 << bits] - others[k][0];
        if (rows > 0) {
          // Frequent partitions lie behind the others in what a device sends, one behind the other.
          int from = outgoing.get(from(k))[frequent.nextSetBit(0)];
          link(links, from(k), which.apply(all.get(from(k))), from, others[k][0], rows);
          received += k == 0 ? 0 : rows;
        }
      }
      Ticket last = context.copies().fromPeers(links, roomed);
      tickets.add(last);
      if (others.length > 0) {
        slices.add(new Arranged.Slice(joined(others, 0), last));
      }
      QueryMetrics.Node metrics = compiler.metrics(side.node());
      metrics.figures.merge("rows received", total, Long::sum);
      if (stays && !frequent.isEmpty()) {
        metrics.figures.merge("partitions that stay", (long) frequent.cardinality(), Long::sum);
      }
      long bytes = total == 0 ? 0 : HostColumns.bytes(room) / total * received;
      metrics.figures.merge("bytes received", bytes, Long::sum);
      return slices;
    }

    private void link(List<PeerCopy> links, int device, Sent sent, int from, int to, int rows) {
      Device peer = member.devices().get(device);
      for (int i = 0; i < sent.columns().size(); i++) {
        Column column = room.column(i);
        long width = column.shape().storage().width();
        Buffer source = sent.columns().get(i).slice(width * from, width * rows);
        Buffer target = column.values().slice(width * to, width * rows);
        links.add(new PeerCopy(peer, source, target, sent.there()));
      }
    }

    /**
     * Runs as {@link RangedSides#joined()} numbers partitions. What lies behind all of its keys is
     * in the last one.
     *
     * @param begin the first partition that the runs have
     */
    private int[][] joined(int[][] runs, int begin) {
      int ends = 1 << Math.max(1, joinedBits(RangedSides.this.joined()));
      int from = least() - begin;
      int[][] all = new int[runs.length][ends + 1];
      for (int run = 0; run < runs.length; run++) {
        int last = runs[run].length - 1;
        for (int p = 0; p < ends; p++) {
          all[run][p] = runs[run][Math.clamp(from + p, 0, last)];
        }
        all[run][ends] = runs[run][last];
      }
      return all;
    }

    /** Keys of the device's own rows, of the slice that has the most of them. */
    Column own() {
      int most = 0;
      for (int slice = 1; slice < SLICES; slice++) {
        most = own(slice) > own(most) ? slice : most;
      }
      Column keys = room.column(side.keys().getFirst());
      long width = keys.shape().storage().width();
      Buffer some = keys.values().slice(width * starts[most][0][0], width * own(most));
      return new Column(keys.shape(), own(most), some, Buffer.EMPTY, null, null);
    }

    private int own(int slice) {
      return starts[slice][0][partitions] - starts[slice][0][0];
    }

    Coming coming() {
      return new Coming(side, List.of(room), tickets);
    }
  }

  private static Buffer uploaded(ExecContext context, int[] places) {
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    long bytes = 4L << Primitives.PLACE_BITS;
    long host = scratch.allocate(bytes).address();
    for (int i = 0; i < 1 << Primitives.PLACE_BITS; i++) {
      Mem.putInt(host + 4L * i, i < places.length ? places[i] : 0);
    }
    Buffer there = context.memory().allocate(bytes);
    context.device().transfers().toDevice(context, host, there, bytes);
    scratch.release(mark);
    return there;
  }
}
