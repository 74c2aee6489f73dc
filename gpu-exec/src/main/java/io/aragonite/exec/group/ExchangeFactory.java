package io.aragonite.exec.group;

import io.aragonite.exec.QueryMetrics;
import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.ColumnStore;
import io.aragonite.exec.device.CopyQueue.PeerCopy;
import io.aragonite.exec.device.CopyQueue.Ticket;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.group.KeyRanges.Facts;
import io.aragonite.exec.join.Arranged;
import io.aragonite.exec.join.Arrangement;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.RowCollector;
import io.aragonite.exec.operator.ScanSource;
import io.aragonite.exec.operator.UnionAll;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Exchange;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Moves rows between the devices that run a plan together. Each collects its rows and partitions
 * them by the hash of their keys: the first radix pass of a join or a grouping, whose partitions
 * are the devices. When all have, each fetches its partitions from the others, over peer copies
 * where it reaches them; and when all have fetched theirs, what was sent is freed.
 */
public final class ExchangeFactory {
  private ExchangeFactory() {}

  /** The pipeline of the rows that this member gets. */
  public static PipelineHead compile(PlanCompiler compiler, Exchange node) {
    Member member = compiler.member();
    PipelineHead input = compiler.compile(node.input());
    if (member == null || member.devices().size() == 1) {
      return input;
    }
    if (node.kind() == Exchange.Kind.FIRST) {
      return member.index() == 0
          ? input
          : PipelineHead.of(compiler.scanOf(input.shapes(), List.of(), false));
    }
    Side side = Side.collected(compiler, member, node, input);
    if (node.placement() != null) {
      member.place(node.placement(), null);
    }
    return side.exchanged(ranges(member, node)).head();
  }

  private static @Nullable KeyRanges ranges(Member member, Exchange node) {
    return node.placement() == null ? null : member.ranges(node.placement());
  }

  /**
   * Both sides of a join.
   *
   * @param arranged how both lie, if in the partitions of one order
   */
  public record Both(PipelineHead build, PipelineHead probe, @Nullable Arranged arranged) {}

  /**
   * Brings both sides of a join to the devices of their keys, at the same time: one side is on its
   * way while the other one is partitioned, and which device has which keys is decided by both.
   *
   * @return null if they are not two such exchanges, none of whose rows have been asked for
   */
  public static @Nullable Both both(PlanCompiler compiler, PhysicalPlan build, PhysicalPlan probe) {
    Member member = compiler.member();
    if (member == null
        || member.devices().size() == 1
        || !(build instanceof Exchange first && probe instanceof Exchange second)
        || first.placement() == null
        || !first.placement().equals(second.placement())) {
      return null;
    }
    Side ours = Side.collected(compiler, member, first, compiler.compile(first.input()));
    Side theirs = Side.collected(compiler, member, second, compiler.compile(second.input()));
    boolean roomy = decide(compiler, member, first, ours, theirs);
    KeyRanges ranges = ranges(member, first);
    if (!roomy) {
      PipelineHead built = ours.exchanged(ranges).head();
      return new Both(built, theirs.exchanged(ranges).head(), null);
    }
    Side.Sent one = ours.send(ranges);
    Side.Coming built = one.fetch();
    Side.Sent other = theirs.send(ranges);
    Side.Coming probed = other.fetch();
    built.arrive();
    probed.arrive();
    one.end();
    other.end();
    Arranged arranged = null;
    int bits = ranges == null ? 0 : ranges.bits(member.index());
    if (ranges != null
        && bits > 0
        && ranges.servesTable(member.index(), built.starts())
        && built.starts().length > 0
        && probed.starts().length > 0) {
      arranged =
          new Arranged(
              ranges.order(member.index()),
              bits,
              padded(built.starts(), bits),
              padded(probed.starts(), bits));
    }
    return new Both(built.head(), probed.head(), arranged);
  }

  /** What lies behind all keys of the range is in the last partition. */
  private static int[] padded(int[] starts, int bits) {
    int[] all = Arrays.copyOf(starts, (1 << bits) + 1);
    int end = starts[starts.length - 1];
    Arrays.fill(all, Math.min(starts.length, all.length) - 1, all.length, end);
    return all;
  }

  /**
   * Decides for a placement which device has which keys, if nobody has.
   *
   * @return whether all devices have room for both sides as they are, as they are sent, and as they
   *     are received
   */
  private static boolean decide(
      PlanCompiler compiler, Member member, Exchange node, Side build, Side probe) {
    ExecContext context = compiler.context();
    boolean open = !member.placed(Objects.requireNonNull(node.placement()));
    Need mine =
        new Need((long) build.rows.rows() + probe.rows.rows(), roomy(compiler, build, probe));
    List<Need> needs = member.meet(context, node, mine, list -> list);
    long rows = needs.stream().mapToLong(Need::rows).sum();
    if (open) {
      KeyRanges ranges = null;
      if (KeyRanges.worth(rows)) {
        List<Facts> facts =
            compiler.work(node, worker -> List.of(build.facts(worker), probe.facts(worker)));
        ranges =
            member
                .meet(
                    context,
                    node,
                    facts,
                    all ->
                        Optional.ofNullable(
                            KeyRanges.of(
                                all.stream().map(List::getFirst).toList(),
                                all.stream().map(List::getLast).toList())))
                .orElse(null);
      }
      member.place(node.placement(), ranges);
      if (ranges != null) {
        compiler.metrics(node).figures.merge("ranges of keys", (long) ranges.parts(), Long::sum);
      }
    }
    return needs.stream().allMatch(Need::roomy);
  }

  private record Need(long rows, boolean roomy) {}

  private static boolean roomy(PlanCompiler compiler, Side build, Side probe) {
    long bytes = HostColumns.bytes(build.rows) + HostColumns.bytes(probe.rows);
    long rows = (long) build.rows.rows() + probe.rows.rows();
    return 3 * bytes + 24 * rows <= compiler.spill().room();
  }

  /** What a device has of an exchange's rows, before it. */
  private record Side(
      PlanCompiler compiler,
      Member member,
      Exchange node,
      List<ColumnShape> shapes,
      ColumnBatch rows,
      boolean owned) {
    static Side collected(PlanCompiler compiler, Member member, Exchange node, PipelineHead input) {
      List<ColumnShape> shapes =
          member.meet(compiler.context(), node, input.shapes(), all -> unified(all, node.types()));
      long start = System.nanoTime();
      ColumnBatch there = input.bare() instanceof ScanSource scan ? scan.borrowed(shapes) : null;
      if (there != null) {
        input.count(there.rows());
        return new Side(compiler, member, node, shapes, there, false);
      }
      RowCollector collector = new RowCollector(shapes, compiler.spill(), compiler.metrics(node));
      compiler.run(UnionAll.conform(input, shapes), collector, node);
      ColumnBatch rows = compiler.work(node, collector::rows);
      member.span("collecting", start);
      return new Side(compiler, member, node, shapes, rows, true);
    }

    Facts facts(ExecContext context) {
      return Facts.of(context, rows, node.keys().getFirst());
    }

    /** Partitions the rows; others may fetch theirs when all have. */
    Sent send(@Nullable KeyRanges ranges) {
      long start = System.nanoTime();
      Shipment sent = compiler.work(node, worker -> ship(worker, this, ranges));
      start = member.span("partitioning", start);
      List<Shipment> all = member.meet(compiler.context(), node, sent, shipments -> shipments);
      member.span("waiting", start);
      return new Sent(this, sent, all, ranges);
    }

    /** Sends the rows and fetches the device's. */
    Coming exchanged(@Nullable KeyRanges ranges) {
      Sent sent = send(ranges);
      Coming coming = sent.fetch();
      coming.arrive();
      sent.end();
      return coming;
    }

    /** What all devices have sent each other. */
    private record Sent(Side side, Shipment own, List<Shipment> all, @Nullable KeyRanges ranges) {
      Coming fetch() {
        return side.compiler.work(side.node, worker -> ExchangeFactory.fetch(worker, this));
      }

      /** The device has its rows. Waits until others have theirs too, and frees what was sent. */
      void end() {
        long start = System.nanoTime();
        side.member.meet(side.compiler.context(), side.node, true, done -> true);
        side.member.span("waiting", start);
        side.compiler.work(
            side.node,
            worker -> {
              own.free(worker);
              return true;
            });
      }
    }

    /**
     * The device's rows on their way.
     *
     * @param starts where partitions of ranges begin, and all end; empty if rows do not lie so
     */
    private record Coming(Side side, List<ColumnBatch> rows, int[] starts, Ticket ticket) {
      /** Waits: what others sent may be freed then. */
      void arrive() {
        long start = System.nanoTime();
        side.compiler.work(
            side.node,
            worker -> {
              ticket.order();
              ticket.await();
              return true;
            });
        side.member.span("copying", start);
      }

      PipelineHead head() {
        return PipelineHead.of(side.compiler.scanOwned(side.shapes, rows, false));
      }
    }
  }

  /** Shapes that the rows of all members can be brought into. */
  private static List<ColumnShape> unified(List<List<ColumnShape>> all, List<DataType> types) {
    List<ColumnShape> shapes = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      int column = i;
      shapes.add(UnionAll.unify(all.stream().map(some -> some.get(column)).toList(), types.get(i)));
    }
    return List.copyOf(shapes);
  }

  private static Shipment ship(ExecContext context, Side side, @Nullable KeyRanges ranges) {
    Exchange node = side.node;
    ColumnBatch rows = side.rows;
    if (node.kind() != Exchange.Kind.HASH || rows.rows() == 0) {
      int only = node.kind() == Exchange.Kind.GATHER ? 0 : -1;
      return Shipment.whole(context, rows, side.owned, only, side.member);
    }
    if (ranges != null) {
      int key = node.keys().getFirst();
      return Shipment.ranged(context, ranges, key, rows, side.owned, side.member);
    }
    List<Expr> keys = new ArrayList<>();
    for (int key : node.keys()) {
      keys.add(Expr.ref(key, side.shapes.get(key).type()));
    }
    CompiledProjection hashes =
        context
            .device()
            .expressions()
            .projection(List.of(new Expr.KeyWord(keys, KeyLayout.HASHED)), side.shapes);
    return Shipment.partitioned(
        context, Arrangement.words(context, hashes, rows), rows, side.owned, side.member);
  }

  /** Begins to bring the rows for this member here; they are its own then. */
  private static Side.Coming fetch(ExecContext context, Side.Sent sent) {
    Side side = sent.side;
    Member member = side.member;
    int me = member.index();
    List<ColumnBatch> parts = new ArrayList<>();
    long total = 0;
    boolean plain = !side.shapes.isEmpty();
    for (Shipment from : sent.all) {
      ColumnBatch part = from.part(me);
      parts.add(part);
      total += part.rows();
      plain &= part.columns().stream().allMatch(Shipment::moves);
    }
    List<PeerCopy> links = new ArrayList<>();
    List<ColumnBatch> got = new ArrayList<>();
    int[] starts = new int[0];
    if (plain && total <= Integer.MAX_VALUE - 64) {
      ColumnBatch one = room(context, side.shapes, (int) total);
      got.add(one);
      KeyRanges ranges = sent.ranges;
      if (ranges == null) {
        int at = 0;
        for (int from = 0; from < parts.size(); from++) {
          ColumnBatch part = parts.get(from);
          copy(context, sent, from, 0, slice(one, at, part.rows()), links);
          at += part.rows();
        }
      } else {
        starts = byPartition(context, sent, ranges, one, links);
      }
    } else {
      for (int from = 0; from < parts.size(); from++) {
        if (parts.get(from).rows() > 0) {
          ColumnBatch to = like(context, parts.get(from));
          copy(context, sent, from, 0, to, links);
          got.add(to);
        }
      }
    }
    QueryMetrics.Node metrics = side.compiler.metrics(side.node);
    metrics.figures.merge("rows received", total, Long::sum);
    long own = parts.get(me).rows();
    long bytes = got.stream().mapToLong(HostColumns::bytes).sum();
    metrics.figures.merge(
        "bytes received",
        total == 0 ? 0 : (long) ((double) bytes * (total - own) / total),
        Long::sum);
    return new Side.Coming(side, got, starts, context.copies().fromPeers(links));
  }

  /** The rows of each partition together, from all devices. */
  private static int[] byPartition(
      ExecContext context, Side.Sent sent, KeyRanges ranges, ColumnBatch to, List<PeerCopy> links) {
    int me = sent.side.member.index();
    int first = ranges.first(me);
    int[] starts = new int[ranges.first(me + 1) - first + 1];
    int at = 0;
    for (int i = 0; i + 1 < starts.length; i++) {
      starts[i] = at;
      for (int from = 0; from < sent.all.size(); from++) {
        Shipment shipment = sent.all.get(from);
        int begin = shipment.begin(first + i);
        int rows = shipment.begin(first + i + 1) - begin;
        int before = begin - shipment.begin(first);
        copy(context, sent, from, before, slice(to, at, rows), links);
        at += rows;
      }
    }
    starts[starts.length - 1] = at;
    return starts;
  }

  /**
   * Copies rows of a device's part from {@code before} on, or adds to the copies over links.
   *
   * @param to as many
   */
  private static void copy(
      ExecContext context,
      Side.Sent sent,
      int from,
      int before,
      ColumnBatch to,
      List<PeerCopy> links) {
    if (to.rows() == 0) {
      return;
    }
    context.checkCancelled();
    Member member = sent.side.member;
    Transfers transfers = context.device().transfers();
    Shipment shipment = sent.all.get(from);
    ColumnBatch staged = shipment.staged(member.index());
    ColumnBatch part = staged == null ? shipment.part(member.index()) : staged;
    for (int i = 0; i < part.columns().size(); i++) {
      List<Buffer> source = buffers(part.column(i));
      List<Buffer> target = buffers(to.column(i));
      for (int k = 0; k < source.size(); k++) {
        long bytes = target.get(k).size();
        if (bytes == 0) {
          continue;
        }
        // Only plain values have a part of their rows taken.
        long skipped = (long) part.column(i).shape().storage().width() * before;
        Buffer some = source.get(k).slice(before == 0 ? 0 : skipped, bytes);
        if (from == member.index() && sent.ranges == null) {
          transfers.copy(context, some, target.get(k), bytes);
        } else if (staged != null) {
          transfers.toDevice(context, some.address(), target.get(k), bytes);
        } else {
          links.add(new PeerCopy(member.devices().get(from), some, target.get(k)));
        }
      }
    }
  }

  private static List<Buffer> buffers(Column column) {
    Buffer validity = column.validity();
    return validity == null
        ? List.of(column.values(), column.offsets())
        : List.of(column.values(), column.offsets(), validity);
  }

  /** Room for plain values. */
  private static ColumnBatch room(ExecContext context, List<ColumnShape> shapes, int rows) {
    List<Column> columns = new ArrayList<>();
    for (ColumnShape shape : shapes) {
      Buffer values = context.memory().allocate((long) shape.storage().width() * rows);
      columns.add(new Column(shape, rows, values, Buffer.EMPTY, null, null));
    }
    return new ColumnBatch(columns, ColumnStore.checkRows(rows));
  }

  /** Plain values anywhere. */
  private static ColumnBatch slice(ColumnBatch rows, int from, int count) {
    List<Column> columns = new ArrayList<>();
    for (Column column : rows.columns()) {
      long width = column.shape().storage().width();
      Buffer values = column.values().slice(width * from, width * count);
      columns.add(new Column(column.shape(), count, values, Buffer.EMPTY, null, null));
    }
    return new ColumnBatch(columns, count);
  }

  /** Room for just such rows. */
  private static ColumnBatch like(ExecContext context, ColumnBatch rows) {
    QueryMemory memory = context.memory();
    List<Column> columns = new ArrayList<>();
    for (Column column : rows.columns()) {
      Buffer validity = column.validity();
      columns.add(
          new Column(
              column.shape(),
              rows.rows(),
              room(memory, column.values()),
              room(memory, column.offsets()),
              validity == null ? null : memory.allocate(validity.size()),
              null));
    }
    return new ColumnBatch(columns, rows.rows());
  }

  private static Buffer room(QueryMemory memory, @Nullable Buffer like) {
    return like == null || like.address() == 0 ? Buffer.EMPTY : memory.allocate(like.size());
  }
}
