package io.aragonite.exec.pipeline;

import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The open end of a pipeline: sources, the stream operators behind them, and the shapes of the
 * columns that come out. It runs when it is given a sink ({@link PlanCompiler#run}), once.
 * Immutable.
 */
public final class PipelineHead {
  /** How rows come here: a tree with sources as leaves. */
  public sealed interface Feed {}

  public record SourceFeed(Source source) implements Feed {}

  public record Chain(Feed input, StreamOperator operator) implements Feed {}

  /**
   * @param sequential whether an input starts only when all workers have finished the one before
   */
  public record Merge(List<Feed> inputs, boolean sequential) implements Feed {}

  /**
   * What comes out of {@code input} is the output of a plan node.
   *
   * @param rows counts them
   */
  public record Metered(Feed input, QueryMetrics.NodeMetrics node, LongConsumer rows)
      implements Feed {}

  private final Feed feed;
  private final List<ColumnShape> shapes;
  private final boolean ordered;

  private PipelineHead(Feed feed, List<ColumnShape> shapes, boolean ordered) {
    this.feed = feed;
    this.shapes = List.copyOf(shapes);
    this.ordered = ordered;
  }

  /** A pipeline that begins with a source. */
  public static PipelineHead of(Source source) {
    return new PipelineHead(new SourceFeed(source), source.shapes(), source.ordered());
  }

  /**
   * The rows of all inputs, one input's behind the other's for an {@link OrderedSink}, else in any
   * order.
   *
   * @param shapes shapes that the columns of every input have
   */
  public static PipelineHead unionAll(List<PipelineHead> inputs, List<ColumnShape> shapes) {
    List<Feed> feeds = inputs.stream().map(input -> input.feed).toList();
    return new PipelineHead(new Merge(feeds, false), shapes, false);
  }

  /** Puts an operator behind. */
  public PipelineHead then(StreamOperator operator) {
    return new PipelineHead(new Chain(feed, operator), operator.shapes(), ordered);
  }

  /**
   * These rows, then those of {@code late}, whose morsels are counted and run only when all workers
   * have finished (have called {@link BatchConsumer#finish} on) the operators up to here: how a
   * join hands out the build rows without a match. Columns must have the shapes of this head.
   */
  public PipelineHead followedBy(Source late) {
    return new PipelineHead(new Merge(List.of(feed, new SourceFeed(late)), true), shapes, false);
  }

  /**
   * This pipeline run by one worker from beginning to end if, up to here, every row of its source
   * comes out. For a LIMIT: then the rows are the first ones, and nothing is read for nothing.
   */
  public PipelineHead fromTheFirstRow() {
    return new PipelineHead(feed, shapes, ordered || keepsRows(feed));
  }

  /** This pipeline run by one worker, in its order if it {@link #keepsOrder keeps one}. */
  public PipelineHead byOneWorker() {
    return new PipelineHead(feed, shapes, true);
  }

  private static boolean keepsRows(Feed feed) {
    return switch (feed) {
      case SourceFeed leaf -> true;
      case Chain chain -> chain.operator().keepsRows() && keepsRows(chain.input());
      case Merge merge -> false;
      case Metered metered -> keepsRows(metered.input());
    };
  }

  /**
   * Whether rows come out in the order of the sources' morsels, and that means something: an {@link
   * OrderedSink} has them in it then, however many workers run the pipeline.
   */
  public boolean keepsOrder() {
    return keepsOrder(feed);
  }

  private static boolean keepsOrder(Feed feed) {
    return switch (feed) {
      case SourceFeed leaf -> leaf.source().keepsOrder();
      case Chain chain -> chain.operator().keepsOrder() && keepsOrder(chain.input());
      case Merge merge -> merge.inputs().stream().allMatch(PipelineHead::keepsOrder);
      case Metered metered -> keepsOrder(metered.input());
    };
  }

  /** How many rows come out; -1 if that is not known before they have. */
  public long rows() {
    return keepsRows(feed) ? rows(feed) : -1;
  }

  private static long rows(Feed feed) {
    return switch (feed) {
      case SourceFeed leaf -> leaf.source().rows();
      case Chain chain -> rows(chain.input());
      case Metered metered -> rows(metered.input());
      case Merge merge -> -1;
    };
  }

  /** The most rows that can come out; -1 if nothing is known of that before they have. */
  public long mostRows() {
    return mostRows(feed);
  }

  private static long mostRows(Feed feed) {
    return switch (feed) {
      case SourceFeed leaf -> leaf.source().rows();
      case Chain chain ->
          chain.operator().keepsRows() || chain.operator().selects() ? mostRows(chain.input()) : -1;
      case Metered metered -> mostRows(metered.input());
      case Merge merge -> {
        long sum = 0;
        for (Feed input : merge.inputs()) {
          long most = mostRows(input);
          sum = most < 0 || sum < 0 ? -1 : sum + most;
        }
        yield sum;
      }
    };
  }

  /**
   * @param rows counts those that come out, a batch at a time
   */
  public PipelineHead metered(QueryMetrics.NodeMetrics node, LongConsumer rows) {
    return new PipelineHead(new Metered(feed, node, rows), shapes, ordered);
  }

  /** Shapes of the columns that come out. */
  public List<ColumnShape> shapes() {
    return shapes;
  }

  /**
   * Whether the order of rows means something; then one worker runs the pipeline from beginning to
   * end.
   */
  public boolean ordered() {
    return ordered;
  }

  /** Where rows come from, if they come out as they are; else null. */
  public @Nullable Source bare() {
    Feed at = feed;
    while (at instanceof Metered metered) {
      at = metered.input();
    }
    return at instanceof SourceFeed leaf ? leaf.source() : null;
  }

  /**
   * The source of rows that have its columns, as operators up to here only leave rows out; else
   * null.
   */
  public @Nullable Source selected() {
    Feed at = feed;
    while (!(at instanceof SourceFeed)) {
      if (at instanceof Metered metered) {
        at = metered.input();
      } else if (at instanceof Chain chain && chain.operator().selects()) {
        at = chain.input();
      } else {
        return null;
      }
    }
    return ((SourceFeed) at).source();
  }

  /**
   * Some columns of the rows, if nothing stands between here and a source that can leave the others
   * out; else null. Rows stay bare then, which an operator would not leave them.
   *
   * @param columns their numbers, none twice
   */
  public @Nullable PipelineHead select(List<Integer> columns) {
    Source source = bare();
    Source some = source == null || !source.shapes().equals(shapes) ? null : source.select(columns);
    return some == null ? null : new PipelineHead(withSource(feed, some), some.shapes(), ordered);
  }

  private static Feed withSource(Feed feed, Source source) {
    return feed instanceof Metered metered
        ? new Metered(withSource(metered.input(), source), metered.node(), metered.rows())
        : new SourceFeed(source);
  }

  /**
   * The operator at the end, for who does its work on the way to something else.
   *
   * @param input what comes to it
   * @param passed is to be told how many rows would have come out of it, a batch at a time
   */
  public record LastOperator(Feed input, StreamOperator operator, LongConsumer passed) {}

  /** The operator that the rows come out of; null if there is none at the end. */
  public @Nullable LastOperator last() {
    Feed at = feed;
    LongConsumer passed = rows -> {};
    while (at instanceof Metered metered) {
      passed = passed.andThen(metered.rows());
      at = metered.input();
    }
    return at instanceof Chain chain
        ? new LastOperator(chain.input(), chain.operator(), passed)
        : null;
  }

  /**
   * The rows that come to the operator at the end.
   *
   * @param inputs the shapes of their columns
   */
  public PipelineHead before(LastOperator last, List<ColumnShape> inputs) {
    return new PipelineHead(last.input(), inputs, ordered);
  }

  /** Counts rows that were taken from {@link #bare} as rows of the plan nodes that they are of. */
  public void count(long rows) {
    for (Feed at = feed; at instanceof Metered metered; at = metered.input()) {
      metered.rows().accept(rows);
    }
  }

  public Feed feed() {
    return feed;
  }
}
