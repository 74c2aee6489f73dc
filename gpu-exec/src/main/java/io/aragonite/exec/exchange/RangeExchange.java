package io.aragonite.exec.exchange;

import io.aragonite.exec.collective.KeyRanges;
import io.aragonite.exec.collective.KeyRanges.Sample;
import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.CopyQueue.CopyTicket;
import io.aragonite.exec.device.CopyQueue.PeerCopy;
import io.aragonite.exec.device.CopyQueue.Point;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.device.PartitionOps.SeparatePartitions;
import io.aragonite.exec.exchange.ExchangeSide.IncomingRows;
import io.aragonite.exec.exchange.PartitionLayout.DeviceChunk;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryScope;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.ExchangeSettings;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
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
final class RangeExchange {
  /**
   * Rows of the build side from which a device partitions them in two chunks, so that links do not
   * rest until all are done. Those of two devices carry less than kernels take for, and rest
   * anyway.
   */
  private static final int MANY_ROWS = 1 << 24;

  /**
   * The first chunk's part of them: it travels for as long as the second one is partitioned, at
   * three to eight H200s.
   */
  private static final double FIRST_LOT = 0.375;

  /** Rows that a chunk is a multiple of, so that the next one begins at a line of memory. */
  private static final int LINE_ROWS = 1 << 6;

  /** A frequent partition's part of what a device should have. */
  private static final double FREQUENT = 0.125;

  private final QueryResources resources;
  private final Rank rank;
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

  private RangeExchange(QueryResources resources, Rank rank, KeyRanges ranges, boolean mayStay) {
    this.resources = resources;
    this.rank = rank;
    this.ranges = ranges;
    this.mayStay = mayStay;
    this.me = rank.index();
    this.bits = ranges.order().shift(KeyRanges.BITS) > 0 ? PartitionOps.PLACE_BITS : KeyRanges.BITS;
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
  static boolean takes(Rank rank, ExchangeSide build, ExchangeSide probe) {
    Device here = rank.devices().get(rank.index());
    return build.rows().columns().stream().allMatch(MovedColumn::isPlain)
        && probe.rows().columns().stream().allMatch(MovedColumn::isPlain)
        && rank.devices().stream()
            .allMatch(peer -> peer.equals(here) || here.transfers().reaches(peer));
  }

  /**
   * Begins to bring both sides.
   *
   * @param mayStay whether a joined row may come out on any device
   * @return null if a device would get more rows than a batch has; nothing has been done then
   */
  static @Nullable ExchangedInputs bring(
      QueryResources resources,
      Rank rank,
      KeyRanges ranges,
      boolean mayStay,
      ExchangeSide build,
      ExchangeSide probe) {
    return new RangeExchange(resources, rank, ranges, mayStay).bring(build, probe);
  }

  private @Nullable ExchangedInputs bring(ExchangeSide build, ExchangeSide probe) {
    ExecContext context = resources.context();
    CopyQueue copies = context.copies();
    copies.mark("counting");
    PartitionCounts counted = resources.work(build.node(), worker -> counted(worker, build, probe));
    List<PartitionCounts> all = rank.meet(context, build.node(), counted, list -> list);
    List<int[][]> builds = all.stream().map(PartitionCounts::build).toList();
    List<int[][]> probes = all.stream().map(PartitionCounts::probe).toList();
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
    SideTransfer ours = new SideTransfer(build, builds, false);
    SentRows one = resources.work(build.node(), worker -> ours.send(worker));
    copies.mark("partitioning");
    SideTransfer theirs = new SideTransfer(probe, probes, true);
    SentRows other = resources.work(probe.node(), worker -> theirs.send(worker));
    copies.mark("rest");
    List<List<SentRows>> sent =
        rank.meet(context, probe.node(), List.of(one, other), shipments -> shipments);
    List<CoPartitionedInputs.PartitionSlice> buildSlices =
        resources.work(build.node(), worker -> ours.fetch(worker, sent, List::getFirst));
    List<CoPartitionedInputs.PartitionSlice> probeSlices =
        resources.work(probe.node(), worker -> theirs.fetch(worker, sent, List::getLast));
    return new ExchangedInputs(
        ours.coming(),
        theirs.coming(),
        worker -> List.of(one, other).forEach(some -> some.memory().close()),
        arranged(ours, buildSlices, theirs, probeSlices, counted.partners()));
  }

  /** How both sides lie, if a table over the build side is of a size that joins reckon with. */
  private @Nullable CoPartitionedInputs arranged(
      SideTransfer build,
      List<CoPartitionedInputs.PartitionSlice> built,
      SideTransfer probe,
      List<CoPartitionedInputs.PartitionSlice> probed,
      boolean partners) {
    PartitionFunction order = joined();
    int own = joinedBits(order);
    return own == 0 || !KeyRanges.servesTable(order, build.layout.total)
        ? null
        : new CoPartitionedInputs(order, own, built, probed, probe.own(), partners);
  }

  /** The first partition of {@link #joined()}. */
  private int least() {
    int often = frequent.nextSetBit(0);
    return often < 0 ? first : Math.min(first, often);
  }

  /** The order of all keys that the device joins: its own, and frequent ones. */
  private PartitionFunction joined() {
    int shift = ranges.order().shift(bits);
    int end = Math.max(first + partitions, frequent.length());
    long from = (long) least() << shift;
    long range = Math.min(((long) end << shift) - 1, ranges.order().range()) - from;
    return new PartitionFunction(false, ranges.order().base() + from, range);
  }

  /** Bits that number the partitions of an order as they are here; 0 if none do. */
  private int joinedBits(PartitionFunction order) {
    int shift = ranges.order().shift(bits);
    int own = Long.SIZE - Long.numberOfLeadingZeros(order.range()) - shift;
    return shift > 0 && order.range() >= 0 && own > 0 && order.shift(own) == shift ? own : 0;
  }

  /**
   * What a device has.
   *
   * @param build rows of each partition, of each chunk
   * @param probe the same
   * @param partners whether all of the probe side's keys that were looked at lie among the build
   *     side's
   */
  private record PartitionCounts(int[][] build, int[][] probe, boolean partners) {}

  private PartitionCounts counted(ExecContext context, ExchangeSide build, ExchangeSide probe) {
    int[] buildChunks = chunks(build, true);
    int[] probeChunks = chunks(probe, false);
    int chunks = buildChunks.length + probeChunks.length - 2;
    long bytes = 4L << bits;
    Buffer sizes = context.memory().allocate(chunks * bytes);
    long probed = (buildChunks.length - 1) * bytes;
    count(context, build, buildChunks, sizes.slice(0, probed));
    count(context, probe, probeChunks, sizes.slice(probed, chunks * bytes - probed));
    List<long[]> looked =
        Sample.read(
            context,
            List.of(
                new Sample(Buffer.EMPTY, sizes, Integer.BYTES, chunks << bits),
                Sample.begin(context, probe.keyColumn())));
    int[][] counts = new int[chunks][1 << bits];
    for (int chunk = 0; chunk < chunks; chunk++) {
      for (int p = 0; p < 1 << bits; p++) {
        counts[chunk][p] = (int) looked.getFirst()[(chunk << bits) + p];
      }
    }
    int[][] ours = Arrays.copyOf(counts, buildChunks.length - 1);
    int[][] theirs = Arrays.copyOfRange(counts, buildChunks.length - 1, chunks);
    PartitionFunction order = ranges.order();
    boolean partners =
        Arrays.stream(looked.getLast())
            .allMatch(key -> Long.compareUnsigned(key - order.base(), order.range()) <= 0);
    return new PartitionCounts(ours, theirs, partners);
  }

  /** Rows of each partition on all devices. */
  private long[] together(List<int[][]> sizes) {
    long[] rows = new long[1 << bits];
    sizes.stream()
        .flatMap(Arrays::stream)
        .forEach(some -> Arrays.setAll(rows, p -> rows[p] + some[p]));
    return rows;
  }

  /**
   * All devices find the same. What stays must be more than what goes to all devices for it, which
   * else the build side would grow by as much as there are devices.
   */
  private void findFrequent(long[] built, long[] probed) {
    int devices = rank.devices().size();
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
  private boolean fits(List<int[][]> sizes, long[] all, boolean stays) {
    for (int device = 0; device < sizes.size(); device++) {
      long rows = 0;
      for (int p = first(device); p < first(device + 1); p++) {
        rows += frequent.get(p) ? 0 : all[p];
      }
      for (int p = frequent.nextSetBit(0); p >= 0; p = frequent.nextSetBit(p + 1)) {
        for (int[] chunk : sizes.get(device)) {
          rows += stays ? chunk[p] : 0;
        }
        rows += stays ? 0 : all[p];
      }
      if (rows > Integer.MAX_VALUE - 64) {
        return false;
      }
    }
    return true;
  }

  /** Where a device's chunks begin among its rows, and the last one ends. */
  private int[] chunks(ExchangeSide side, boolean build) {
    int rows = side.rows().rows();
    long set = EngineSettings.current().exchange().twoChunkRows();
    int many = rank.devices().size() > 2 ? MANY_ROWS : Integer.MAX_VALUE;
    long least = set == ExchangeSettings.AUTO ? many : set;
    int one = (int) (rows * FIRST_LOT) / LINE_ROWS * LINE_ROWS;
    return build && rows >= least ? new int[] {0, one, rows} : new int[] {0, rows};
  }

  private void count(ExecContext context, ExchangeSide side, int[] chunks, Buffer sizes) {
    int width = side.key().shape().storage().width();
    for (int chunk = 0; chunk + 1 < chunks.length; chunk++) {
      Buffer some = sizes.slice((4L << bits) * chunk, 4L << bits);
      int rows = chunks[chunk + 1] - chunks[chunk];
      if (rows == 0) {
        context.memory().fill(some, (byte) 0);
      } else {
        Buffer words = side.key().values().slice((long) width * chunks[chunk], (long) width * rows);
        context.partition().partitionSizes(context, ranges.order(), bits, words, width, rows, some);
      }
    }
  }

  /**
   * What a device has for the others.
   *
   * @param columns their rows, chunk by chunk, and in each partition by partition
   * @param there behind it a chunk's are there
   * @param memory the columns', freed when all have fetched their rows
   */
  private record SentRows(List<Buffer> columns, List<Point> there, MemoryScope memory) {}

  /** One side. */
  private final class SideTransfer {
    final ExchangeSide side;

    final PartitionLayout layout;
    private ColumnBatch room = new ColumnBatch(List.of(), 0);
    private Point roomed = Point.PAST;
    private final List<CopyTicket> tickets = new ArrayList<>();

    SideTransfer(ExchangeSide side, List<int[][]> sizes, boolean stays) {
      this.side = side;
      int[] firsts = new int[sizes.size() + 1];
      Arrays.setAll(firsts, RangeExchange.this::first);
      this.layout = new PartitionLayout(me, firsts, bits, frequent, stays, sizes);
    }

    /** Partitions the rows, at some time; what is not sent goes to where all rows come. */
    SentRows send(ExecContext context) {
      QueryMemory memory = context.memory();
      List<Column> columns = new ArrayList<>();
      for (ColumnShape shape : side.shapes()) {
        Buffer values = memory.allocate((long) shape.storage().width() * layout.total);
        columns.add(new Column(shape, layout.total, values, Buffer.EMPTY, null, null));
      }
      room = new ColumnBatch(columns, ColumnStore.checkRows(layout.total));
      MemoryScope scope = memory.scope();
      List<Buffer> out = new ArrayList<>();
      for (ColumnShape shape : side.shapes()) {
        out.add(memory.allocate((long) shape.storage().width() * layout.sent()));
      }
      scope.end();
      roomed = context.copies().point();
      List<Point> there = new ArrayList<>();
      int from = 0;
      for (int chunk = 0; chunk < layout.chunks(); chunk++) {
        int rows = layout.rows(chunk);
        if (rows > 0) {
          place(context, from, rows, layout.places(chunk), out);
        }
        there.add(context.copies().point());
        from += rows;
      }
      if (side.owned()) {
        side.rows().columns().forEach(column -> Batches.free(memory, column));
      }
      return new SentRows(out, there, scope);
    }

    private void place(ExecContext context, int from, int rows, int[] places, List<Buffer> out) {
      int key = side.keys().getFirst();
      List<MovedColumn> moved = new ArrayList<>();
      List<Buffer> own = new ArrayList<>();
      for (int i = 0; i < out.size(); i++) {
        Column column = side.rows().column(i);
        int width = column.shape().storage().width();
        Buffer in = column.values().slice((long) width * from, (long) width * rows);
        moved.add(new MovedColumn(in, out.get(i), width));
        own.add(room.column(i).values());
      }
      MovedColumn words = moved.remove(key);
      SeparatePartitions aside = new SeparatePartitions(layout.kept(me), own.remove(key), own);
      Buffer there = uploaded(context, places);
      context
          .partition()
          .placePartitions(context, ranges.order(), bits, words, rows, moved, there, aside);
      context.memory().free(there);
    }

    /** Has the others' rows come. */
    List<CoPartitionedInputs.PartitionSlice> fetch(
        ExecContext context, List<List<SentRows>> all, Function<List<SentRows>, SentRows> which) {
      RunCopies copied = new RunCopies(context, all.stream().map(which).toList());
      List<CopyTicket> together = new ArrayList<>();
      for (int chunk = 0; chunk < layout.chunksBefore(); chunk++) {
        for (int r = 0; r < layout.runs.size(); r++) {
          int[] places = layout.whole[r];
          if (places != null && layout.runs.get(r).chunk() == chunk) {
            copied.add(r, places, layout.start(0));
          }
        }
        together.add(copied.start());
      }
      List<CoPartitionedInputs.PartitionSlice> slices = new ArrayList<>();
      for (int slice = 0; slice < PartitionLayout.SLICES; slice++) {
        context.checkCancelled();
        int[][] starts = layout.starts[slice];
        for (int r = 0; r < layout.runs.size(); r++) {
          if (layout.whole[r] == null) {
            copied.add(r, starts[r], layout.start(slice));
          }
        }
        List<CopyTicket> some = new ArrayList<>(together);
        some.add(copied.start());
        slices.add(
            new CoPartitionedInputs.PartitionSlice(joined(starts, first), CopyTicket.all(some)));
      }
      int[][] others = layout.others;
      for (int r = 0; !layout.stays && r < others.length; r++) {
        // Frequent partitions lie behind the others in what a device sends, one behind the other.
        copied.add(r, others[r], frequent.nextSetBit(0));
      }
      CopyTicket last = copied.start();
      if (others.length > 0) {
        slices.add(new CoPartitionedInputs.PartitionSlice(joined(others, 0), last));
      }
      QueryMetrics.NodeMetrics metrics = resources.metrics(side.node());
      metrics.figures.merge("rows received", (long) layout.total, Long::sum);
      if (layout.stays && !frequent.isEmpty()) {
        metrics.figures.merge("partitions that stay", (long) frequent.cardinality(), Long::sum);
      }
      long bytes = layout.total == 0 ? 0 : HostColumns.bytes(room) / layout.total * copied.received;
      metrics.figures.merge("bytes received", bytes, Long::sum);
      return slices;
    }

    /** Copies of what has been sent. */
    private final class RunCopies {
      final ExecContext context;
      final List<SentRows> sent;
      final List<int[]> outgoing = layout.runs.stream().map(layout::outgoing).toList();
      List<PeerCopy> links = new ArrayList<>();

      /** Rows of other devices. */
      long received;

      /**
       * @param sent by each device
       */
      RunCopies(ExecContext context, List<SentRows> sent) {
        this.context = context;
        this.sent = sent;
      }

      /**
       * Adds partitions of a run.
       *
       * @param starts where they go
       * @param partition the first of them
       */
      void add(int run, int[] starts, int partition) {
        DeviceChunk of = layout.runs.get(run);
        int to = starts[0];
        int rows = PartitionLayout.rows(starts);
        // The device's own rows are there, but for those that go everywhere.
        if (rows == 0 || of.device() == me && !frequent.get(partition)) {
          return;
        }
        Device peer = rank.devices().get(of.device());
        SentRows some = sent.get(of.device());
        int from = outgoing.get(run)[partition];
        for (int i = 0; i < some.columns().size(); i++) {
          Column column = room.column(i);
          long width = column.shape().storage().width();
          Buffer source = some.columns().get(i).slice(width * from, width * rows);
          Buffer target = column.values().slice(width * to, width * rows);
          links.add(new PeerCopy(peer, source, target, some.there().get(of.chunk())));
        }
        received += of.device() == me ? 0 : rows;
      }

      /** Begins what has been added. */
      CopyTicket start() {
        CopyTicket ticket = context.copies().fromPeers(links, roomed);
        tickets.add(ticket);
        links = new ArrayList<>();
        return ticket;
      }
    }

    /**
     * Runs as {@link RangeExchange#joined()} numbers partitions. What lies behind all of its keys
     * is in the last one.
     *
     * @param begin the first partition that the runs have
     */
    private int[][] joined(int[][] runs, int begin) {
      int ends = 1 << Math.max(1, joinedBits(RangeExchange.this.joined()));
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

    /** Keys of the device's own rows, of the slice that has the most of them in a chunk. */
    Column own() {
      int[] most = layout.mostOwn();
      int rows = PartitionLayout.rows(most);
      Column keys = room.column(side.keys().getFirst());
      long width = keys.shape().storage().width();
      Buffer some = keys.values().slice(width * most[0], width * rows);
      return new Column(keys.shape(), rows, some, Buffer.EMPTY, null, null);
    }

    IncomingRows coming() {
      return new IncomingRows(side, List.of(room), tickets);
    }
  }

  private static Buffer uploaded(ExecContext context, int[] places) {
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    long bytes = 4L << PartitionOps.PLACE_BITS;
    long host = scratch.allocate(bytes).address();
    for (int i = 0; i < 1 << PartitionOps.PLACE_BITS; i++) {
      Mem.putInt(host + 4L * i, i < places.length ? places[i] : 0);
    }
    Buffer there = context.memory().allocate(bytes);
    context.device().transfers().toDevice(context, host, there, bytes);
    scratch.release(mark);
    return there;
  }
}
