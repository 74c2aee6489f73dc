package io.aragonite.exec.execution;

import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.OrderedConsumer;
import io.aragonite.exec.pipeline.OrderedSink;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.Sink;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One run of a pipeline. Its sources belong to stages: those of a stage run together, all their
 * morsels handed out by one counter; a stage begins when every worker has finished the one before.
 * A worker makes its chain of operators when it takes its first morsel. Where rows keep their order
 * workers take ranges of morsels, and tell the sink where these begin and end.
 */
final class PipelineRun {
  /** A source and the stage it belongs to; the place in the list of leaves is its number. */
  private record StagedSource(Source source, int stage, QueryMetrics.NodeMetrics node) {}

  /**
   * Batches that a worker should find work for: a few of the first microseconds go to waking its
   * thread, and while a JVM is new, code that counts how often it runs gets slower the more threads
   * count with it (of 30,000 rows on 16 cores, 40 ms in place of 1).
   */
  private static final int BATCHES_A_WORKER = 4;

  /** Of the morsels that are left, a worker takes so much at once that each may do it so often. */
  private static final int RANGES_A_WORKER = 4;

  /** Beyond all morsels. */
  private static final int NONE = Integer.MAX_VALUE;

  private final QueryExecution query;
  private final PipelineHead head;
  private final Sink sink;
  private final QueryMetrics.NodeMetrics sinkNode;
  private final List<StagedSource> sources = new ArrayList<>();
  private final int stages;
  private final @Nullable Chain[] chains;

  // The stage that runs now: the source numbers, and for each the number of its first morsel.
  private int stage = -1;
  private int[] stageSources = {};
  private int[] firstMorsel = {0};
  private final AtomicInteger nextMorsel = new AtomicInteger();

  /** Whether workers tell the sink of which morsels their rows are. */
  private final boolean inOrder;

  /** Whether morsels are small, for that. */
  private final boolean fine;

  /** Morsels of the stages and rounds before. */
  private long morselsBefore;

  PipelineRun(
      QueryExecution query, PipelineHead head, Sink sink, QueryMetrics.NodeMetrics sinkNode) {
    this.query = query;
    this.head = head;
    this.sink = sink;
    this.sinkNode = sinkNode;
    chains = new Chain[head.ordered() || sink.serial() ? 1 : query.workers().workers()];
    inOrder = sink instanceof OrderedSink && chains.length > 1 && head.keepsOrder();
    stages = collect(head.feed(), 0, sinkNode);
    boolean cut = inOrder;
    for (StagedSource staged : sources) {
      cut = inOrder && staged.source().cutFine() && cut;
    }
    fine = cut;
  }

  private int collect(PipelineHead.Feed feed, int firstStage, QueryMetrics.NodeMetrics node) {
    return switch (feed) {
      case PipelineHead.SourceFeed leaf -> {
        sources.add(new StagedSource(leaf.source(), firstStage, node));
        yield firstStage + 1;
      }
      case PipelineHead.Chain chain -> collect(chain.input(), firstStage, node);
      case PipelineHead.Metered metered -> collect(metered.input(), firstStage, metered.node());
      case PipelineHead.Merge merge -> {
        int next = firstStage;
        int end = firstStage;
        for (PipelineHead.Feed input : merge.inputs()) {
          // Of several sources with rounds each would have one after the other's.
          boolean alone = merge.sequential() || inOrder && hasRounds(input);
          next = alone ? end : next;
          end = Math.max(end, collect(input, next, node));
          next = alone ? end : next;
        }
        yield end;
      }
    };
  }

  private static boolean hasRounds(PipelineHead.Feed feed) {
    return switch (feed) {
      case PipelineHead.SourceFeed leaf -> leaf.source().hasRounds();
      case PipelineHead.Chain chain -> hasRounds(chain.input());
      case PipelineHead.Metered metered -> hasRounds(metered.input());
      case PipelineHead.Merge merge -> merge.inputs().stream().anyMatch(PipelineRun::hasRounds);
    };
  }

  /** The thread that calls works alone, as workers do. */
  void begin() {
    query.workers().coordinate(false);
  }

  /** Runs everything, on all workers that there is work for, then finishes the sink. */
  void runAll() {
    while (nextStage()) {
      query.workers().coordinate(false);
      if (!hasRounds()) {
        query.workers().runOn(wanted(), this::work);
        continue;
      }
      do {
        query.workers().runOn(wanted(), this::runMorsels);
      } while (nextRound());
      query.workers().runOn(wanted(), this::finishStage);
    }
    finishSink();
  }

  /** Workers that there are morsels and rows enough for, or that have begun. */
  private int wanted() {
    int wanted = Math.clamp(firstMorsel[stageSources.length], 1, chains.length);
    if (wanted > 1 && !expands(head.feed())) {
      wanted = (int) Math.clamp(rows() / (BATCHES_A_WORKER * batchRows()), 1, wanted);
    }
    for (int worker = wanted; worker < chains.length; worker++) {
      if (chains[worker] != null) {
        wanted = worker + 1;
      }
    }
    return wanted;
  }

  private long batchRows() {
    return query.device().properties().batchRows();
  }

  /** Rows of the stage's sources; very many if one does not know. */
  private long rows() {
    long rows = 0;
    for (int number : stageSources) {
      long of = sources.get(number).source().rows();
      if (of < 0) {
        return Long.MAX_VALUE;
      }
      rows += of;
    }
    return rows;
  }

  private boolean hasRounds() {
    for (int number : stageSources) {
      if (sources.get(number).source().hasRounds()) {
        return true;
      }
    }
    return false;
  }

  /** Opens the next round of the stage's sources, if one of them has one that somebody wants. */
  boolean nextRound() {
    if (!hasRounds() || done()) {
      return false;
    }
    Workers.WorkerContext coordinator = query.workers().context(0);
    query.checkCancelled();
    query.workers().coordinate(true);
    coordinator.scratch().reset();
    boolean more = false;
    morselsBefore += firstMorsel[stageSources.length];
    for (int i = 0; i < stageSources.length; i++) {
      StagedSource staged = sources.get(stageSources[i]);
      coordinator.clock.switchTo(staged.node());
      boolean has = staged.source().nextRound(coordinator);
      firstMorsel[i + 1] = firstMorsel[i] + (has ? staged.source().morsels() : 0);
      more |= has;
    }
    coordinator.clock.switchTo(null);
    query.workers().coordinate(false);
    nextMorsel.set(0);
    return more;
  }

  /** Whether none of the workers that have begun wants more rows. */
  private boolean done() {
    boolean begun = false;
    for (Chain chain : chains) {
      if (chain != null && !chain.done()) {
        return false;
      }
      begun |= chain != null;
    }
    return begun;
  }

  /** Lets the sink do what it does after the last row. */
  void finishSink() {
    Workers.WorkerContext coordinator = query.workers().context(0);
    query.workers().coordinate(true);
    coordinator.clock.switchTo(sinkNode);
    try {
      coordinator.scratch().reset();
      sink.finish(coordinator, query.workers());
      sources.forEach(staged -> staged.source().close());
      close(head.feed());
    } finally {
      coordinator.clock.switchTo(null);
    }
  }

  private static void close(PipelineHead.Feed feed) {
    switch (feed) {
      case PipelineHead.SourceFeed leaf -> {}
      case PipelineHead.Chain chain -> {
        chain.operator().close();
        close(chain.input());
      }
      case PipelineHead.Metered metered -> close(metered.input());
      case PipelineHead.Merge merge -> merge.inputs().forEach(PipelineRun::close);
    }
  }

  /** Whether rows keep their order, and morsels are no larger than about a batch. */
  boolean fine() {
    return fine;
  }

  /** Whether one worker is enough, and its output of one morsel is no more than its input. */
  boolean small() {
    boolean one =
        stages == 1
            && sources.size() == 1
            && !sources.getFirst().source().hasRounds()
            && sources.getFirst().source().morsels() <= 1;
    return (chains.length == 1 || one) && !expands(head.feed());
  }

  private static boolean expands(PipelineHead.Feed feed) {
    return switch (feed) {
      case PipelineHead.SourceFeed leaf -> leaf.source().expands();
      case PipelineHead.Chain chain -> chain.operator().expands() || expands(chain.input());
      case PipelineHead.Metered metered -> expands(metered.input());
      case PipelineHead.Merge merge -> merge.inputs().stream().anyMatch(PipelineRun::expands);
    };
  }

  /** Opens the next stage, if there is one: counts its morsels. */
  boolean nextStage() {
    if (++stage >= stages) {
      return false;
    }
    morselsBefore += firstMorsel[stageSources.length];
    stageSources = new int[sources.size()];
    firstMorsel = new int[sources.size() + 1];
    int count = 0;
    for (int i = 0; i < sources.size(); i++) {
      if (sources.get(i).stage() == stage) {
        stageSources[count] = i;
        firstMorsel[count + 1] = firstMorsel[count] + sources.get(i).source().morsels();
        count++;
      }
    }
    stageSources = Arrays.copyOf(stageSources, count);
    firstMorsel = Arrays.copyOf(firstMorsel, count + 1);
    nextMorsel.set(0);
    return true;
  }

  /** A worker's part in a stage. */
  private void work(int worker) {
    runMorsels(worker);
    finishStage(worker);
  }

  private void runMorsels(int worker) {
    while (runMorsel(worker)) {
      query.checkCancelled();
    }
  }

  /** Runs one morsel of the stage; false if there is none left or nobody wants more rows. */
  boolean runMorsel(int worker) {
    int morsel = inOrder ? nextInRange(worker) : nextMorsel(worker);
    if (morsel >= firstMorsel[stageSources.length]) {
      return false;
    }
    int place = 0;
    while (firstMorsel[place + 1] <= morsel) {
      place++;
    }
    int number = stageSources[place];
    StagedSource staged = sources.get(number);
    Workers.WorkerContext context = query.workers().context(worker);
    context.clock.switchTo(staged.node());
    context.scratch().reset();
    Chain chain = chain(worker);
    staged.source().run(context, morsel - firstMorsel[place], chain.inputs.get(number));
    context.clock.switchTo(null);
    return true;
  }

  /** The next morsel, beyond all if the worker wants none. */
  private int nextMorsel(int worker) {
    Chain known = chains[worker];
    return known != null && known.done() ? NONE : nextMorsel.getAndIncrement();
  }

  /** The next morsel of the worker's range, or of one that begins; beyond all if there is none. */
  private int nextInRange(int worker) {
    if (chains[worker] == null && nextMorsel.get() >= firstMorsel[stageSources.length]) {
      return NONE;
    }
    Chain chain = chain(worker);
    WorkerRange range = Objects.requireNonNull(chain.range);
    int morsel = chain.done() ? -1 : range.take();
    if (morsel < 0 && !chain.done()) {
      morsel = next(range, true);
    }
    if (morsel < 0) {
      range.end();
      morsel = chain.done() ? -1 : next(range, false);
    }
    return morsel < 0 ? NONE : morsel;
  }

  /**
   * Takes the next morsels for a range.
   *
   * @param following whether they must follow those that it has had
   * @return the first of them; -1: there are none
   */
  private int next(WorkerRange range, boolean following) {
    synchronized (nextMorsel) {
      int from = nextMorsel.get();
      int left = firstMorsel[stageSources.length] - from;
      if (left <= 0 || following && !range.endsAt(from)) {
        return -1;
      }
      // Towards the end there should be some for every worker.
      int count = Math.clamp(left / (RANGES_A_WORKER * chains.length), 1, range.wanted());
      nextMorsel.set(from + count);
      range.add(from, count, morselsBefore);
      return range.take();
    }
  }

  /** Ends a worker's chains behind the sources of the stage. */
  void finishStage(int worker) {
    Chain chain = chains[worker];
    if (chain != null) {
      Workers.WorkerContext context = query.workers().context(worker);
      context.scratch().reset();
      for (int number : stageSources) {
        context.clock.switchTo(sources.get(number).node());
        chain.inputs.get(number).finish();
      }
      context.clock.switchTo(null);
    }
  }

  private Chain chain(int worker) {
    Chain chain = chains[worker];
    if (chain == null) {
      Workers.WorkerContext context = query.workers().context(worker);
      BatchConsumer rows = sink.newWorker(context);
      chain = new Chain(context);
      chain.build(head.feed(), rows, sinkNode);
      if (inOrder && rows instanceof OrderedConsumer ordered) {
        chain.range = new WorkerRange(ordered);
      }
      chains[worker] = chain;
      // A worker that begins in a later stage has had nothing of the earlier ones.
      for (int number = 0; number < sources.size(); number++) {
        if (sources.get(number).stage() < stage) {
          chain.inputs.get(number).finish();
        }
      }
    }
    return chain;
  }

  /** One worker's operators. */
  private static final class Chain {
    private final Workers.WorkerContext context;

    /** Where each source pushes its rows, in the order of {@link #sources}. */
    private final List<BatchConsumer> inputs = new ArrayList<>();

    /** The morsels that it is at, where rows keep their order. */
    private @Nullable WorkerRange range;

    Chain(Workers.WorkerContext context) {
      this.context = context;
    }

    boolean done() {
      for (BatchConsumer input : inputs) {
        if (!input.done()) {
          return false;
        }
      }
      return true;
    }

    /**
     * @param node the plan node that {@code downstream} works for
     */
    void build(PipelineHead.Feed feed, BatchConsumer downstream, QueryMetrics.NodeMetrics node) {
      switch (feed) {
        case PipelineHead.SourceFeed leaf -> inputs.add(downstream);
        case PipelineHead.Chain chain ->
            build(chain.input(), chain.operator().newWorker(context, downstream), node);
        case PipelineHead.Metered metered ->
            build(
                metered.input(),
                new Meter(downstream, metered, node, context.clock),
                metered.node());
        case PipelineHead.Merge merge -> {
          MergeInput shared = new MergeInput(downstream, merge.inputs().size());
          merge.inputs().forEach(input -> build(input, shared, node));
        }
      }
    }
  }

  /** Passes rows of several inputs on, and finish() when the last of them has. */
  private static final class MergeInput implements BatchConsumer {
    private final BatchConsumer downstream;
    private int open;

    MergeInput(BatchConsumer downstream, int inputs) {
      this.downstream = downstream;
      this.open = inputs;
    }

    @Override
    public void accept(ColumnBatch batch) {
      downstream.accept(batch);
    }

    @Override
    public void finish() {
      if (--open == 0) {
        downstream.finish();
      }
    }

    @Override
    public boolean done() {
      return downstream.done();
    }
  }

  /** The border between two plan nodes: counts what comes over, and switches the clock. */
  private record Meter(
      BatchConsumer downstream,
      PipelineHead.Metered from,
      QueryMetrics.NodeMetrics to,
      WorkerClock clock)
      implements BatchConsumer {
    @Override
    public void accept(ColumnBatch batch) {
      from.rows().accept(batch.rows());
      clock.switchTo(to);
      downstream.accept(batch);
      clock.switchTo(from.node());
    }

    @Override
    public void finish() {
      clock.switchTo(to);
      downstream.finish();
      clock.switchTo(from.node());
    }

    @Override
    public boolean done() {
      return downstream.done();
    }
  }
}
