package io.aragonite.exec.execution;

import io.aragonite.exec.collective.Rank;
import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ColumnPrefetch;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.exchange.ExchangeFactory;
import io.aragonite.exec.exchange.ShardedTable;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.operator.BatchInputSource;
import io.aragonite.exec.operator.ConstantRows;
import io.aragonite.exec.operator.FilterOperator;
import io.aragonite.exec.operator.HostRowReader;
import io.aragonite.exec.operator.LimitOperator;
import io.aragonite.exec.operator.OrderedCollector;
import io.aragonite.exec.operator.ProjectOperator;
import io.aragonite.exec.operator.RepeatOperator;
import io.aragonite.exec.operator.RowCollectionSource;
import io.aragonite.exec.operator.RowCollector;
import io.aragonite.exec.operator.ScanSource;
import io.aragonite.exec.operator.SeriesSource;
import io.aragonite.exec.operator.aggregate.Aggregation;
import io.aragonite.exec.operator.join.JoinFactory;
import io.aragonite.exec.operator.join.PredicateTransfer;
import io.aragonite.exec.operator.multiway.MultiwayFactory;
import io.aragonite.exec.operator.set.RecursiveUnion;
import io.aragonite.exec.operator.set.SetOperations;
import io.aragonite.exec.operator.sort.SortCompiler;
import io.aragonite.exec.operator.window.WindowCompiler;
import io.aragonite.exec.pipeline.DynamicFilter;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.pipeline.Sink;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.WorkingTable;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.table.RowSource;
import io.aragonite.exec.table.Table;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a plan into pipelines and runs them as it goes. One method a node kind; the nodes' own
 * packages do the work.
 */
public final class PhysicalPlanCompiler implements PlanCompiler {
  private final QueryExecution query;
  private final ExecutionResources resources;

  /** Knows which rows are counted; null: all are. */
  private final @Nullable Rank counting;

  /** What part of the memory that is left may be kept for equal groupings. */
  private static final int KEPT_SHARE = 8;

  /** So many first rows, with those that are left out, are few. */
  private static final long MOST_FIRST_ROWS = 1 << 16;

  /** What a value takes at most, texts on average, where that must be known before it is made. */
  private static final int COLUMN_BYTES = 64;

  private final TableScans tables;

  /** Filters that joins have left for rows that come out of a node. */
  private final Map<PhysicalPlan, List<DynamicFilter>> filters = new IdentityHashMap<>();

  /** While a filter is compiled: what of the scan's rows below it is kept. */
  private final Map<PhysicalPlan, Expr> scanFilters = new IdentityHashMap<>();

  /** While a limit is compiled: how many of the scan's rows that are kept below it are wanted. */
  private final Map<PhysicalPlan, Long> scanLimits = new IdentityHashMap<>();

  private @Nullable AggregateReuse repeated;

  /** What an exchange has brought, or was made before the nodes above it were compiled. */
  private final Map<PhysicalPlan, PipelineHead> brought = new IdentityHashMap<>();

  /** Whether relations may be made before the joins: once, and not for each step of a recursion. */
  private boolean transfers = true;

  /** Joins of trees whose relations have filtered each other, or need not. */
  private final Set<PhysicalPlan> transferred = Collections.newSetFromMap(new IdentityHashMap<>());

  /** What recursions around have made last. */
  private final Map<WorkingTable, AggregateReuse.CachedGroups> working = new IdentityHashMap<>();

  PhysicalPlanCompiler(QueryExecution query) {
    this(query, query.rank());
  }

  private PhysicalPlanCompiler(QueryExecution query, @Nullable Rank counting) {
    this.query = query;
    this.resources = new ExecutionResources(query);
    this.tables = TableScans.of(query, resources);
    this.counting = counting;
  }

  /**
   * The end of a plan.
   *
   * @param query that runs it: the compiler's, or what of that is done on the host
   */
  record End(QueryExecution query, PipelineHead head) {}

  /**
   * The pipeline that yields the rows of the whole plan. Where one device goes on alone behind the
   * last exchange, and few rows have come, the host does that.
   */
  End compileWhole(PhysicalPlan plan) {
    Rank rank = resources.rank();
    PhysicalPlan.Exchange last = rank == null ? null : rank.last();
    if (rank == null || last == null || rank.index() > 0) {
      return new End(query, compile(plan));
    }
    AggregateReuse all = new AggregateReuse(plan);
    repeated = all;
    ExchangeFactory.GatheredRows rows = ExchangeFactory.last(this, last);
    long start = System.nanoTime();
    QueryExecution ends = rows.onHost() ? query.onHost() : query;
    PhysicalPlanCompiler compiler = rows.onHost() ? new PhysicalPlanCompiler(ends, rank) : this;
    compiler.repeated = all;
    compiler.brought.put(
        last, PipelineHead.of(compiler.resources.scanOwned(rows.shapes(), rows.rows(), false)));
    PipelineHead head = compiler.compile(plan);
    if (rows.onHost()) {
      long count = ColumnBatch.rows(rows.rows());
      compiler.saysOnHost(plan, last, count);
    }
    rank.span("ending", start);
    return new End(ends, head);
  }

  @SuppressWarnings("ReferenceEquality") // this very node
  private void saysOnHost(PhysicalPlan from, PhysicalPlan to, long rows) {
    for (PhysicalPlan node = from; node != to; node = node.inputs().getFirst()) {
      if (node instanceof PhysicalPlan.Exchange) {
        continue; // what it stands behind says so
      }
      QueryMetrics.NodeMetrics metrics = resources.metrics(node);
      String before = metrics.note.isEmpty() ? "" : metrics.note + "; ";
      metrics.note = before + "on the host, over " + rows + " rows";
    }
  }

  @Override
  public PipelineHead compile(PhysicalPlan plan) {
    query.coordinator().checkCancelled();
    if (repeated == null) {
      // The whole plan is what is asked for first.
      repeated = new AggregateReuse(plan);
      if (resources.rank() == null) {
        tables.expect(expectedScans(plan, null, new ArrayList<>()));
      }
    }
    PipelineHead known = brought.get(plan);
    if (known != null) {
      return known;
    }
    PipelineHead head =
        switch (plan) {
          case PhysicalPlan.Scan scan -> scan(scan);
          case PhysicalPlan.Values values -> values(values);
          case PhysicalPlan.Series series -> series(series);
          case PhysicalPlan.RowInput rows -> hostRows(rows);
          case PhysicalPlan.BatchInput batches -> hostBatches(batches);
          case PhysicalPlan grouping when Objects.requireNonNull(repeated).has(grouping) ->
              grouped(grouping);
          case PhysicalPlan.Aggregate aggregate -> made(aggregate);
          case PhysicalPlan other when rests(other) -> resting(other);
          case PhysicalPlan.Filter filter -> filter(filter);
          case PhysicalPlan.Project project -> project(project);
          case PhysicalPlan.Repeat repeat -> repeated(repeat);
          case PhysicalPlan.Join join -> joined(join);
          case PhysicalPlan.MultiwayJoin join -> MultiwayFactory.compile(this, join);
          case PhysicalPlan.Sort sort -> sort(sort);
          case PhysicalPlan.SetOperation setOperation -> SetOperations.compile(this, setOperation);
          case PhysicalPlan.Recursion recursion -> RecursiveUnion.compile(this, recursion);
          case PhysicalPlan.MaterializedCte cte -> RecursiveUnion.materialize(this, cte);
          case PhysicalPlan.WorkingRows rows -> workingRows(rows);
          case PhysicalPlan.Window window -> WindowCompiler.compile(this, window);
          case PhysicalPlan.Exchange exchange -> ExchangeFactory.compile(this, exchange);
        };
    for (DynamicFilter filter : filters.getOrDefault(plan, List.of())) {
      head = filter.behind(this, head);
    }
    // What comes out of an exchange are rows of its input, which have been counted.
    return plan instanceof PhysicalPlan.Exchange
        ? head
        : head.metered(resources.metrics(plan), counted(plan));
  }

  /** The scans of a plan, in the order in which they are compiled. */
  private List<ColumnPrefetch.ScanColumns> expectedScans(
      PhysicalPlan plan, @Nullable Expr filter, List<ColumnPrefetch.ScanColumns> scans) {
    switch (plan) {
      case PhysicalPlan.Scan scan ->
          scans.add(new ColumnPrefetch.ScanColumns(scan.table(), scan.columns(), filter));
      case PhysicalPlan.Filter above ->
          expectedScans(above.input(), resolve(above.predicate()), scans);
      case PhysicalPlan.Join join -> {
        expectedScans(join.buildLeft() ? join.left() : join.right(), null, scans);
        expectedScans(join.buildLeft() ? join.right() : join.left(), null, scans);
      }
      case PhysicalPlan.Sort sort
          when sort.keys().isEmpty()
              && streamed(sort.input()) instanceof PhysicalPlan.Scan -> {} // some first rows may do
      default -> plan.inputs().forEach(input -> expectedScans(input, null, scans));
    }
    return scans;
  }

  private LongConsumer counted(PhysicalPlan plan) {
    QueryMetrics.NodeMetrics node = resources.metrics(plan);
    Rank rank = counting;
    if (rank == null || rank.counts(plan)) {
      return node::count;
    }
    return rank.alike(plan) ? rows -> node.countAlike(rank, rows) : rows -> {};
  }

  /** A grouping that the plan has more than once. */
  private PipelineHead grouped(PhysicalPlan node) {
    AggregateReuse groups = Objects.requireNonNull(repeated);
    if (!groups.hasRun(node)) {
      // A filter that a join has left there takes rows away that others want.
      boolean whole = !AggregateReuse.below(node, filters.keySet());
      PipelineHead head = made(node);
      AggregateReuse.CachedGroups kept = whole ? kept(node, head) : null;
      groups.keep(node, kept);
      return kept == null ? head : again(kept);
    }
    AggregateReuse.CachedGroups kept = groups.kept(node);
    boolean known = kept != null;
    Rank rank = resources.rank();
    boolean knownToAll =
        rank == null
            ? known
            : rank.meet(
                resources.context(), node, known, votes -> votes.stream().allMatch(vote -> vote));
    if (kept == null || !knownToAll) {
      return made(node);
    }
    resources.metrics(node).addNote("the groups of an equal grouping of the query");
    notRun(node);
    return again(kept);
  }

  private void notRun(PhysicalPlan node) {
    for (PhysicalPlan input : node.inputs()) {
      resources.metrics(input).addNote("not run again");
      notRun(input);
    }
  }

  private PipelineHead joined(PhysicalPlan.Join join) {
    if (transfers && !transferred.contains(join)) {
      PredicateTransfer.before(this, join, transferred::addAll);
    }
    return JoinFactory.compile(this, join);
  }

  private PipelineHead made(PhysicalPlan node) {
    if (rests(node)) {
      return resting(node);
    }
    return node instanceof PhysicalPlan.SetOperation operation
        ? SetOperations.compile(this, operation)
        : Aggregation.compile(this, (PhysicalPlan.Aggregate) node);
  }

  /** Whether a node is another device's, which has all of its rows. */
  private boolean rests(PhysicalPlan node) {
    Rank rank = resources.rank();
    return rank != null && rank.rests(node);
  }

  /** No rows, once this device has done its part in the exchanges below. */
  private PipelineHead resting(PhysicalPlan node) {
    compile(node.inputs().getFirst());
    List<ColumnShape> shapes = node.types().stream().map(ColumnShape::of).toList();
    return PipelineHead.of(resources.scanOwned(shapes, List.of(), false));
  }

  /** Groups to read more than once, until the query ends; null if they are much, or elsewhere. */
  private AggregateReuse.@Nullable CachedGroups kept(PhysicalPlan node, PipelineHead groups) {
    if (groups.bare() == null) {
      return chosen(node, groups);
    }
    ScanSource scan = groups.bare() instanceof ScanSource bare ? bare : null;
    List<ColumnBatch> chunks =
        scan != null && scan.bytes() <= resources.spill().room() / KEPT_SHARE
            ? scan.release(groups.shapes())
            : null;
    if (chunks == null) {
      return null;
    }
    resources.closeLater(() -> chunks.forEach(chunk -> Batches.free(resources.memory(), chunk)));
    return new AggregateReuse.CachedGroups(groups.shapes(), chunks);
  }

  /** The same of groups of which INTERSECT and EXCEPT leave out some on the way. */
  private AggregateReuse.@Nullable CachedGroups chosen(PhysicalPlan node, PipelineHead groups) {
    long most = groups.mostRows();
    long room = resources.spill().room() / KEPT_SHARE;
    boolean fits = most >= 0 && most <= room / (COLUMN_BYTES * Math.max(1, groups.shapes().size()));
    if (!fits || resources.rank() != null) {
      return null;
    }
    ColumnBatch rows = resources.work(node, collect(groups, node)::gather);
    resources.closeLater(() -> Batches.free(resources.memory(), rows));
    return new AggregateReuse.CachedGroups(rows.shapes(), List.of(rows));
  }

  private PipelineHead again(AggregateReuse.CachedGroups groups) {
    return PipelineHead.of(resources.scanOf(groups.shapes(), groups.chunks(), false));
  }

  @Override
  public void filter(PhysicalPlan node, DynamicFilter filter) {
    filters.computeIfAbsent(node, key -> new ArrayList<>()).add(filter);
  }

  @Override
  public double expectedShare(PhysicalPlan node) {
    double share = 1;
    for (DynamicFilter filter : filters.getOrDefault(node, List.of())) {
      share *= filter.expectedShare();
    }
    return share;
  }

  @Override
  public void bring(PhysicalPlan node, PipelineHead rows) {
    brought.put(node, rows);
  }

  @Override
  public long broughtRows(PhysicalPlan node) {
    PipelineHead known = brought.get(node);
    return known == null ? -1 : known.rows();
  }

  @Override
  public PlanCompiler again() {
    PhysicalPlanCompiler next = new PhysicalPlanCompiler(query, counting);
    next.repeated = repeated;
    next.transfers = false;
    next.working.putAll(working);
    return next;
  }

  @Override
  public void working(WorkingTable table, List<ColumnShape> shapes, List<ColumnBatch> chunks) {
    working.put(table, new AggregateReuse.CachedGroups(shapes, chunks));
  }

  private PipelineHead workingRows(PhysicalPlan.WorkingRows rows) {
    AggregateReuse.CachedGroups made = working.get(rows.table());
    if (made == null) {
      throw new IllegalStateException("no rows of " + rows.table() + " yet");
    }
    return again(made);
  }

  private PipelineHead scan(PhysicalPlan.Scan whole) {
    PhysicalPlan.Scan scan = ShardedTable.share(whole, resources.rank());
    if (resources.rank() != null) {
      query.metrics().inPlaceOf(scan, whole);
    }
    long limit = scanLimits.getOrDefault(whole, Long.MAX_VALUE);
    return tables.scan(scan, new TableScans.WantedRows(scanFilters.get(whole), limit));
  }

  @Override
  public Table.Pin pin(PhysicalPlan.Scan scan) {
    return tables.pin(scan);
  }

  private PipelineHead filter(PhysicalPlan.Filter filter) {
    Expr predicate = resolve(filter.predicate());
    if (filter.input() instanceof PhysicalPlan.Scan scan) {
      scanFilters.put(scan, predicate);
    }
    PipelineHead input = inOrder(compile(filter.input()), List.of(predicate));
    // Others may want all rows of the same scan.
    scanFilters.remove(filter.input());
    double share = input.rows() > 0 ? filter.expected() / input.rows() : Double.NaN;
    return input.then(
        new FilterOperator(resources.expressions(), predicate, input.shapes(), share));
  }

  /** The rows that expressions are over, by one worker if they ask for the rows' order. */
  private static PipelineHead inOrder(PipelineHead rows, List<Expr> expressions) {
    return expressions.stream().anyMatch(Expr::sequential) ? rows.byOneWorker() : rows;
  }

  private PipelineHead repeated(PhysicalPlan.Repeat repeat) {
    PipelineHead head = compile(repeat.input());
    return head.then(RepeatOperator.numbered(head.shapes()));
  }

  private PipelineHead project(PhysicalPlan.Project project) {
    List<Expr> expressions = resolve(project.expressions());
    PipelineHead input = inOrder(compile(project.input()), expressions);
    List<Integer> columns =
        expressions.stream()
            .filter(Expr.InputRef.class::isInstance)
            .map(ref -> ((Expr.InputRef) ref).index())
            .distinct()
            .toList();
    PipelineHead selected = columns.size() == expressions.size() ? input.select(columns) : null;
    if (selected != null) {
      return selected;
    }
    return input.then(new ProjectOperator(resources.expressions(), expressions, input.shapes()));
  }

  private PipelineHead values(PhysicalPlan.Values values) {
    List<List<Expr>> rows = values.rows().stream().map(this::resolve).toList();
    ColumnBatch onHost =
        ConstantRows.of(rows, values.types(), query.hostMemory(), query.hostObjects());
    ColumnBatch batch = HostColumns.toDevice(query.coordinator(), onHost, resources.memory());
    return PipelineHead.of(resources.scanOf(batch.shapes(), List.of(batch), true));
  }

  private PipelineHead series(PhysicalPlan.Series series) {
    int workers = query.workers().workers();
    return PipelineHead.of(new SeriesSource(series.rows(), query.device().properties(), workers));
  }

  private PipelineHead hostRows(PhysicalPlan.RowInput rows) {
    List<ColumnShape> shapes = rows.types().stream().map(ColumnShape::of).toList();
    RowSource source = query.parameters().rowSource(rows.source());
    HostRowReader reader = new HostRowReader(shapes, query.hostMemory(), query.hostObjects());
    SpillableRowCollection collection =
        resources.spill().newRowCollection(shapes, resources.metrics(rows));
    resources.work(
        rows,
        context -> {
          reader.read(
              context,
              source,
              rows.columns(),
              chunk ->
                  collection.take(HostColumns.moveToDevice(context, chunk, resources.memory())));
          return collection;
        });
    return PipelineHead.of(new RowCollectionSource(collection, true));
  }

  private PipelineHead hostBatches(PhysicalPlan.BatchInput batches) {
    if (query.parameters().value(batches.source()) instanceof Table table) {
      List<Integer> all = IntStream.range(0, batches.types().size()).boxed().toList();
      PhysicalPlan.Scan scan = new PhysicalPlan.Scan(table, all, batches.types());
      query.metrics().inPlaceOf(scan, batches);
      return scan(scan);
    }
    BatchSource source = query.parameters().batchSource(batches.source());
    BatchSource.BatchReader reader = resources.closeLater(source.open());
    return PipelineHead.of(new BatchInputSource(reader.shapes(batches.types()), reader));
  }

  /** The node whose rows come out of another one by one, if they are not left out. */
  private static PhysicalPlan streamed(PhysicalPlan node) {
    return node instanceof PhysicalPlan.Filter || node instanceof PhysicalPlan.Project
        ? streamed(node.inputs().getFirst())
        : node;
  }

  private PipelineHead sort(PhysicalPlan.Sort sort) {
    long offset = rowCount(sort.offset(), 0, "OFFSET");
    long fetch = rowCount(sort.fetch(), Long.MAX_VALUE, "FETCH or LIMIT");
    if (sort.keys().isEmpty()) {
      PhysicalPlan source = streamed(sort.input());
      boolean known = transfers;
      if (fetch < Long.MAX_VALUE - offset) {
        scanLimits.put(source, offset + fetch);
        // Joins end with the limit, and what relations are made of before them does not.
        transfers &= !(source instanceof PhysicalPlan.Join);
      }
      PipelineHead input = compile(sort.input());
      scanLimits.remove(source);
      transfers = known;
      return first(sort, input, offset, fetch);
    }
    return SortCompiler.compile(this, sort, offset, fetch);
  }

  /**
   * The first rows of an input, in its order if it has one: few of them all workers look for, more
   * come one by one from a worker alone, as nobody should wait for many.
   */
  private PipelineHead first(PhysicalPlan.Sort sort, PipelineHead input, long offset, long fetch) {
    PipelineHead alone = input.fromTheFirstRow();
    boolean together = query.workers().workers() > 1 && !alone.ordered();
    if (!together || !input.keepsOrder() || resources.rank() != null) {
      return alone.then(new LimitOperator(alone.shapes(), offset, fetch));
    }
    if (offset == 0 && input.mostRows() >= 0 && input.mostRows() <= fetch) {
      return input;
    }
    if (fetch > MOST_FIRST_ROWS - offset) {
      return input.byOneWorker().then(new LimitOperator(input.shapes(), offset, fetch));
    }
    long end = offset + fetch;
    OrderedCollector rows =
        new OrderedCollector(input.shapes(), end, resources.spill(), resources.metrics(sort));
    run(input, rows, sort);
    return PipelineHead.of(rows.source(offset));
  }

  @Override
  public void run(PipelineHead head, Sink sink, PhysicalPlan node) {
    try {
      query.run(head, sink, query.metrics().node(node));
    } catch (AragoniteException e) {
      throw resources.withEstimate(e, node);
    }
  }

  @Override
  public SpillableRowCollection collect(PipelineHead head, PhysicalPlan node) {
    RowCollector collector =
        new RowCollector(head.shapes(), resources.spill(), resources.metrics(node));
    // Rows that are there in one piece are one block, and so one morsel: too few to share.
    boolean keeps = resources.rank() != null || !query.device().traits().morselDriven();
    List<ColumnBatch> brought =
        keeps && head.bare() instanceof ScanSource scan ? scan.release(head.shapes()) : null;
    if (brought == null) {
      run(head, collector, node);
      return collector.collection();
    }
    resources.work(
        node,
        context -> {
          for (ColumnBatch batch : brought) {
            head.count(batch.rows());
            collector.collection().take(Batches.separate(context, batch));
          }
          return collector;
        });
    return collector.collection();
  }

  @Override
  public Expr resolve(Expr expression) {
    return query.parameters().resolve(expression);
  }

  @Override
  public List<Expr> resolve(List<Expr> expressions) {
    return query.parameters().resolve(expressions);
  }

  @Override
  public long rowCount(@Nullable Expr expression, long ifAbsent, String what) {
    return expression == null ? ifAbsent : query.parameters().rowCount(expression, what);
  }

  @Override
  public @Nullable JoinAlgorithm join() {
    return query.join();
  }

  @Override
  public QueryResources resources() {
    return resources;
  }
}
