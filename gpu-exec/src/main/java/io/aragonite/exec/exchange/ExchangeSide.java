package io.aragonite.exec.exchange;

import io.aragonite.exec.collective.KeyRanges;
import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.CopyQueue.CopyTicket;
import io.aragonite.exec.device.CopyQueue.PeerCopy;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.MovedColumn;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.RowCollector;
import io.aragonite.exec.operator.ScanSource;
import io.aragonite.exec.operator.UnionAll;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Exchange;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a device has of an exchange's rows, before it; and how these come to where they belong. */
record ExchangeSide(
    PlanCompiler compiler,
    Rank rank,
    PhysicalPlan node,
    Exchange.ExchangeKind kind,
    List<Integer> keys,
    List<ColumnShape> shapes,
    ColumnBatch rows,
    boolean owned) {
  /** Bytes that are sooner there than streams and events of several devices are made for them. */
  private static final long FEW_BYTES = 1 << 18;

  static ExchangeSide collected(
      PlanCompiler compiler, Rank rank, Exchange node, PipelineHead input) {
    // A device that has no rows for sure has no shapes that others would have to fit.
    List<ColumnShape> own = rank.rests(node.input()) ? List.of() : input.shapes();
    List<ColumnShape> shapes =
        rank.meet(compiler.resources().context(), node, own, all -> unified(all, node));
    long start = System.nanoTime();
    if (input.bare() instanceof ScanSource scan) {
      ColumnBatch borrowed = scan.borrowed(shapes);
      ColumnBatch there = borrowed == null ? released(compiler, node, scan, shapes) : borrowed;
      if (there != null) {
        input.count(there.rows());
        return side(compiler, rank, node, shapes, there, borrowed == null);
      }
    }
    RowCollector collector =
        new RowCollector(shapes, compiler.resources().spill(), compiler.resources().metrics(node));
    compiler.run(UnionAll.conform(input, shapes), collector, node);
    ColumnBatch rows = compiler.resources().work(node, collector::rows);
    rank.span("collecting", start);
    return side(compiler, rank, node, shapes, rows, true);
  }

  private static @Nullable ColumnBatch released(
      PlanCompiler compiler, Exchange node, ScanSource scan, List<ColumnShape> shapes) {
    ColumnBatch rows = scan.released(shapes);
    return rows == null
        ? null
        : compiler.resources().work(node, context -> Batches.separate(context, rows));
  }

  private static ExchangeSide side(
      PlanCompiler compiler,
      Rank rank,
      Exchange node,
      List<ColumnShape> shapes,
      ColumnBatch rows,
      boolean owned) {
    return new ExchangeSide(compiler, rank, node, node.kind(), node.keys(), shapes, rows, owned);
  }

  /** The first key. */
  Column key() {
    return rows.column(keys.getFirst());
  }

  KeyRanges.KeyColumn keyColumn() {
    return new KeyRanges.KeyColumn(key(), rows().rows(), devices());
  }

  int devices() {
    return rank.devices().size();
  }

  /** Partitions the rows; others may fetch theirs when all have. */
  SentSide send(@Nullable KeyRanges ranges) {
    long start = System.nanoTime();
    ExchangeBuffer sent = compiler.resources().work(node, worker -> ship(worker, ranges));
    start = rank.span("partitioning", start);
    List<ExchangeBuffer> all =
        rank.meet(compiler.resources().context(), node, sent, shipments -> shipments);
    rank.span("waiting", start);
    return new SentSide(this, sent, all);
  }

  /** Sends the rows and fetches the device's. */
  IncomingRows exchanged(@Nullable KeyRanges ranges) {
    return fetched(send(ranges));
  }

  /** Fetches the device's rows, of all that have been sent. */
  IncomingRows fetched(SentSide sent) {
    IncomingRows coming = sent.fetch();
    compiler
        .resources()
        .work(
            node,
            worker -> {
              coming.order();
              end(List.of(coming));
              sent.own.free(worker);
              return true;
            });
    return coming;
  }

  /** Waits until this device has its rows, and others have theirs. */
  void end(List<IncomingRows> comings) {
    long start = System.nanoTime();
    comings.forEach(coming -> coming.tickets.forEach(CopyTicket::await));
    start = rank.span("copying", start);
    rank.meet(compiler.resources().context(), node, true, done -> true);
    rank.span("waiting", start);
  }

  /** What all devices have sent each other. */
  record SentSide(ExchangeSide side, ExchangeBuffer own, List<ExchangeBuffer> all) {
    /** Whether all rows are on the host, for the first device. */
    boolean onHost() {
      return all.stream().allMatch(ExchangeBuffer::onHost);
    }

    IncomingRows fetch() {
      return side.compiler.resources().work(side.node, worker -> ExchangeSide.fetch(worker, this));
    }
  }

  /** Copies in the order of the query's own work. */
  private static final class InOrderCopies implements CopyTicket {
    private final ExecContext context;
    private boolean ended;

    InOrderCopies(ExecContext context) {
      this.context = context;
    }

    @Override
    public void order() {}

    @Override
    public void await() {
      if (!ended) {
        context.device().transfers().await(context);
        ended = true;
      }
    }

    @Override
    public boolean ended() {
      return ended;
    }
  }

  /** The device's rows on their way. */
  record IncomingRows(ExchangeSide side, List<ColumnBatch> rows, List<CopyTicket> tickets) {
    PipelineHead head() {
      return PipelineHead.of(side.compiler.resources().scanOwned(side.shapes, rows, false));
    }

    /** Has what the query asks its device for from now on come behind their arrival. */
    void order() {
      tickets.forEach(CopyTicket::order);
    }

    long count() {
      return ColumnBatch.rows(rows);
    }
  }

  /**
   * Shapes that the rows of all ranks who have shapes can be brought into. Keys that may decide by
   * ranges where rows go have 4 bytes at least, as partitions take them.
   */
  private static List<ColumnShape> unified(List<List<ColumnShape>> all, Exchange node) {
    List<DataType> types = node.types();
    List<ColumnShape> shapes = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      List<ColumnShape> column = new ArrayList<>();
      for (List<ColumnShape> some : all) {
        if (!some.isEmpty()) {
          column.add(some.get(i));
        }
      }
      ColumnShape shape = UnionAll.unify(column, types.get(i));
      boolean ranged = node.placement() != null && node.keys().contains(i);
      shapes.add(
          ranged && shape.storage().widensTo(Storage.INT) ? shape.withStorage(Storage.INT) : shape);
    }
    return List.copyOf(shapes);
  }

  private ExchangeBuffer ship(ExecContext context, @Nullable KeyRanges ranges) {
    if (kind != Exchange.ExchangeKind.HASH || rows.rows() == 0) {
      int only = kind == Exchange.ExchangeKind.GATHER ? 0 : -1;
      return ExchangeBuffer.whole(context, rows, owned, only, rank, few(context));
    }
    if (ranges != null) {
      return ExchangeBuffer.ranged(context, ranges, keys.getFirst(), rows, owned, rank);
    }
    List<Expr> columns = new ArrayList<>();
    for (int key : keys) {
      columns.add(Expr.ref(key, shapes.get(key).type()));
    }
    CompiledProjection hashes =
        context
            .device()
            .expressions()
            .projection(List.of(new Expr.KeyWord(columns, KeyLayout.HASHED)), shapes);
    return ExchangeBuffer.partitioned(
        context, Batches.evaluate(context, hashes, rows), rows, owned, rank);
  }

  /**
   * Whether the plan may end on the host, as far as this device's rows go: where the host is
   * another processor, which does with few rows in less time what a device launches kernels for.
   */
  @SuppressWarnings("ReferenceEquality") // this very node
  private boolean few(ExecContext context) {
    int most = EngineSettings.current().exchange().hostRows();
    return node == rank.last()
        && !context.device().traits().hostMemory()
        && most > 0
        && rows.rows() <= most
        && HostColumns.bytes(rows) <= FEW_BYTES;
  }

  /** Puts rows together that are on the host, in memory of this rank's query there. */
  List<ColumnBatch> fetchedOnHost(SentSide sent) {
    return compiler
        .resources()
        .work(
            node,
            worker -> {
              List<ColumnBatch> rows = onHost(worker, sent.all);
              end(List.of());
              sent.own.free(worker);
              return rows;
            });
  }

  private List<ColumnBatch> onHost(ExecContext context, List<ExchangeBuffer> all) {
    long bytes = 0;
    try (ColumnStore store = new ColumnStore(shapes, context.hostMemory())) {
      for (ExchangeBuffer from : all) {
        ColumnBatch part = Objects.requireNonNull(from.staged(0));
        if (part.rows() > 0) {
          bytes += HostColumns.bytes(part);
          store.append(context.onHost(), part);
        }
      }
      count(store.rows(), bytes);
      return store.rows() == 0 ? List.of() : List.of(store.take());
    }
  }

  private void count(long total, long bytes) {
    QueryMetrics.NodeMetrics metrics = compiler.resources().metrics(node);
    boolean whole = node instanceof Exchange;
    metrics.figures.merge(whole ? "rows received" : "keys received", total, Long::sum);
    metrics.figures.merge(whole ? "bytes received" : "bytes of keys received", bytes, Long::sum);
  }

  /**
   * Begins to bring the rows for this rank here; they are its own then. Its own come first, and
   * then those of the others in turn, of which each device begins with another one.
   */
  private static IncomingRows fetch(ExecContext context, SentSide sent) {
    ExchangeSide side = sent.side;
    int me = side.rank.index();
    int devices = sent.all.size();
    List<ColumnBatch> parts = new ArrayList<>();
    long total = 0;
    boolean plain = !side.shapes.isEmpty();
    for (ExchangeBuffer from : sent.all) {
      ColumnBatch part = from.part(me);
      parts.add(part);
      total += part.rows();
      for (Column column : part.columns()) {
        plain &= MovedColumn.isPlain(column);
      }
    }
    boolean one = plain && total <= Integer.MAX_VALUE - 64;
    List<ColumnBatch> got = new ArrayList<>();
    if (one) {
      got.add(room(context, side.shapes, (int) total));
    }
    long most = HostColumns.bytes(parts);
    InOrderCopies few = most <= FEW_BYTES ? new InOrderCopies(context) : null;
    List<CopyTicket> tickets = new ArrayList<>();
    int at = 0;
    for (int k = 0; k < devices; k++) {
      int from = (me + k) % devices;
      ColumnBatch part = parts.get(from);
      ColumnBatch to = one ? slice(got.getFirst(), at, part.rows()) : like(context, part);
      if (!one && part.rows() > 0) {
        got.add(to);
      }
      if (part.rows() > 0) {
        List<PeerCopy> links = new ArrayList<>();
        copy(context, sent, from, to, links);
        tickets.add(started(context, links, few));
      }
      at += part.rows();
    }
    long own = parts.get(me).rows();
    long bytes = HostColumns.bytes(got);
    side.count(total, total == 0 ? 0 : (long) ((double) bytes * (total - own) / total));
    return new IncomingRows(side, got, tickets);
  }

  /**
   * Copies a device's part, or adds to the copies over links.
   *
   * @param to as many rows
   */
  private static void copy(
      ExecContext context, SentSide sent, int from, ColumnBatch to, List<PeerCopy> links) {
    context.checkCancelled();
    Rank rank = sent.side.rank;
    ExchangeBuffer shipment = sent.all.get(from);
    ColumnBatch staged = shipment.staged(rank.index());
    ColumnBatch part = staged == null ? shipment.part(rank.index()) : staged;
    for (int i = 0; i < part.columns().size(); i++) {
      List<Buffer> source = buffers(part.column(i));
      List<Buffer> target = buffers(to.column(i));
      for (int k = 0; k < source.size(); k++) {
        long bytes = target.get(k).size();
        if (bytes == 0) {
          continue;
        }
        Buffer some = source.get(k).slice(0, bytes);
        if (staged != null) {
          context.device().transfers().toDevice(context, some.address(), target.get(k), bytes);
        } else {
          links.add(new PeerCopy(rank.devices().get(from), some, target.get(k)));
        }
      }
    }
  }

  /**
   * Begins copies.
   *
   * @param few not null: in the order of the query's own work
   */
  private static CopyTicket started(
      ExecContext context, List<PeerCopy> copies, @Nullable InOrderCopies few) {
    if (few == null) {
      return context.copies().fromPeers(copies);
    }
    for (PeerCopy copy : copies) {
      long bytes = copy.to().size();
      if (copy.peer().equals(context.device())) {
        context.device().transfers().copy(context, copy.from(), copy.to(), bytes);
      } else {
        context.device().transfers().fromPeer(context, copy.peer(), copy.from(), copy.to(), bytes);
      }
    }
    return few;
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
