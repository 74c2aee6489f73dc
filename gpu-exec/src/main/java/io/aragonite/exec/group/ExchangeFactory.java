package io.aragonite.exec.group;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.column.ColumnStore;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.CopyQueue.PeerCopy;
import io.aragonite.exec.device.CopyQueue.Ticket;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.join.Arrangement;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.RowCollector;
import io.aragonite.exec.operator.ScanSource;
import io.aragonite.exec.operator.UnionAll;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan.Exchange;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
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
    ExecContext context = compiler.context();
    List<ColumnShape> shapes =
        member.meet(context, node, input.shapes(), all -> unified(all, node.types()));
    long start = System.nanoTime();
    ColumnBatch there = input.bare() instanceof ScanSource scan ? scan.borrowed(shapes) : null;
    Shipment sent;
    if (there != null) {
      input.count(there.rows());
      sent = compiler.work(node, worker -> ship(worker, node, there, false, shapes, member));
    } else {
      RowCollector collector = new RowCollector(shapes, compiler.spill(), compiler.metrics(node));
      compiler.run(UnionAll.conform(input, shapes), collector, node);
      member.span("collecting", start);
      start = System.nanoTime();
      sent =
          compiler.work(
              node, worker -> ship(worker, node, collector.rows(worker), true, shapes, member));
    }
    member.span("partitioning", start);
    start = System.nanoTime();
    List<Shipment> all = member.meet(context, node, sent, shipments -> shipments);
    member.span("waiting", start);
    start = System.nanoTime();
    List<ColumnBatch> got =
        compiler.work(node, worker -> fetch(worker, compiler, node, all, shapes, member));
    member.span("copying", start);
    start = System.nanoTime();
    member.meet(context, node, true, done -> true);
    member.span("waiting", start);
    compiler.work(
        node,
        worker -> {
          sent.free(worker);
          return got;
        });
    return PipelineHead.of(compiler.scanOwned(shapes, got, false));
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

  private static Shipment ship(
      ExecContext context,
      Exchange node,
      ColumnBatch rows,
      boolean owned,
      List<ColumnShape> shapes,
      Member member) {
    if (node.kind() != Exchange.Kind.HASH || rows.rows() == 0) {
      int only = node.kind() == Exchange.Kind.GATHER ? 0 : -1;
      return Shipment.whole(context, rows, owned, only, member);
    }
    List<Expr> keys = new ArrayList<>();
    for (int key : node.keys()) {
      keys.add(Expr.ref(key, shapes.get(key).type()));
    }
    CompiledProjection hashes =
        context
            .device()
            .expressions()
            .projection(List.of(new Expr.KeyWord(keys, KeyLayout.HASHED)), shapes);
    return Shipment.partitioned(
        context, Arrangement.words(context, hashes, rows), rows, owned, member);
  }

  /** Brings the rows for this member here; they are its own then. */
  private static List<ColumnBatch> fetch(
      ExecContext context,
      PlanCompiler compiler,
      Exchange node,
      List<Shipment> all,
      List<ColumnShape> shapes,
      Member member) {
    int me = member.index();
    int members = all.size();
    List<ColumnBatch> parts = new ArrayList<>();
    long total = 0;
    boolean plain = !shapes.isEmpty();
    for (Shipment from : all) {
      ColumnBatch part = from.part(me);
      parts.add(part);
      total += part.rows();
      plain &= part.columns().stream().allMatch(Shipment::moves);
    }
    boolean together = plain && total <= Integer.MAX_VALUE - 64;
    ColumnBatch one = together ? room(context, shapes, (int) total) : null;
    List<ColumnBatch> got = new ArrayList<>();
    if (one != null) {
      got.add(one);
    }
    List<PeerCopy> links = new ArrayList<>();
    Ticket ticket = CopyQueue.DONE;
    long bytes = 0;
    try {
      for (int i = 1; i <= members; i++) {
        int from = (me + i) % members;
        ColumnBatch part = parts.get(from);
        if (part.rows() == 0) {
          continue;
        }
        context.checkCancelled();
        int at = (int) parts.subList(0, from).stream().mapToLong(ColumnBatch::rows).sum();
        ColumnBatch to = one == null ? like(context, part) : slice(one, at, part.rows());
        copy(context, member, all.get(from), from, part, to, links);
        bytes += from == me ? 0 : HostColumns.bytes(to);
        if (one == null) {
          got.add(to);
        }
      }
      // A device's own rows are copied beside what comes from others.
      ticket = context.copies().fromPeers(links);
      context.device().transfers().await(context);
      ticket.order();
    } finally {
      // What others sent may be freed when this has returned, whatever came of it.
      ticket.await();
    }
    compiler.metrics(node).figures.merge("rows received", total, Long::sum);
    compiler.metrics(node).figures.merge("bytes received", bytes, Long::sum);
    return got;
  }

  /** Copies a part, or adds to the copies over links. */
  private static void copy(
      ExecContext context,
      Member member,
      Shipment sent,
      int from,
      ColumnBatch part,
      ColumnBatch to,
      List<PeerCopy> links) {
    Transfers transfers = context.device().transfers();
    Device peer = member.devices().get(from);
    ColumnBatch staged = sent.staged(member.index());
    for (int i = 0; i < part.columns().size(); i++) {
      List<Buffer> source = buffers((staged == null ? part : staged).column(i));
      List<Buffer> target = buffers(to.column(i));
      for (int k = 0; k < source.size(); k++) {
        Buffer buffer = source.get(k);
        long bytes = target.get(k).size();
        if (bytes == 0) {
          continue;
        }
        if (from == member.index()) {
          transfers.copy(context, buffer, target.get(k), bytes);
        } else if (staged != null) {
          transfers.toDevice(context, buffer.address(), target.get(k), bytes);
        } else {
          links.add(new PeerCopy(peer, buffer.slice(0, bytes), target.get(k)));
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
