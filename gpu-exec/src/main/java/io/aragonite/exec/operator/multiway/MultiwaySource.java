package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.MemoryScope;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.multiway.MultiwayRun.Bindings;
import io.aragonite.exec.operator.multiway.MultiwayRun.Candidates;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a multi-predicate join. The first variable's values are taken in rounds, as many as
 * memory has room for. Morsels are equal shares of the second variable's candidates over the values
 * of a round: a value with many of them, a hub of a graph, is shared among workers.
 */
final class MultiwaySource implements Source {
  private final MultiwayRun run;
  private final QueryMetrics.NodeMetrics figures;
  private final int batchRows;
  private final int most;
  private @Nullable Candidates first;
  private @Nullable Candidates second;
  private @Nullable MemoryScope scope;
  private long tried;
  private long share = 1;

  /**
   * @param batchRows candidates of a morsel
   * @param most values of the first variable in a round
   */
  MultiwaySource(MultiwayRun run, QueryMetrics.NodeMetrics figures, int batchRows, int most) {
    this.run = run;
    this.figures = figures;
    this.batchRows = batchRows;
    this.most = most;
  }

  @Override
  public List<ColumnShape> shapes() {
    return run.shapes();
  }

  @Override
  public boolean hasRounds() {
    return true;
  }

  @Override
  public boolean nextRound(ExecContext context) {
    QueryMemory memory = context.memory();
    Candidates all = first;
    if (all == null) {
      all = run.candidates(context, 0, run.none(), memory);
      first = all;
    }
    end();
    while (tried < all.total()) {
      int some = (int) Math.min(most, all.total() - tried);
      MemoryScope round = memory.scope();
      scope = round;
      Bindings bound = run.match(context, 0, all, tried, some, memory);
      tried += some;
      if (bound.count() > 0) {
        Candidates next = run.candidates(context, 1, bound, memory);
        if (next.total() > 0) {
          round.end();
          second = next;
          share = Math.max(batchRows, (next.total() >> 30) + 1);
          figures.figures.merge("rounds", 1L, Long::sum);
          return true;
        }
      }
      end();
    }
    return false;
  }

  private void end() {
    second = null;
    MemoryScope round = scope;
    scope = null;
    if (round != null) {
      round.close();
    }
  }

  @Override
  public int morsels() {
    Candidates candidates = second;
    if (candidates == null) {
      return 0;
    }
    return isCounted(candidates) ? 1 : (int) ((candidates.total() + share - 1) / share);
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    Candidates candidates = second;
    if (candidates == null) {
      throw new IllegalStateException("no round of the join has begun");
    }
    long from = morsel * share;
    context.scratch().reset();
    if (isCounted(candidates)) {
      run.count(context, candidates.bindings(), candidates.step(), consumer);
    } else {
      long to = Math.min(from + share, candidates.total());
      run.goOn(context, 1, candidates, from, to, consumer);
    }
  }

  /** Whether the second variable is the last one, and counted for all values of the first. */
  private boolean isCounted(Candidates candidates) {
    return run.counts(1) && !run.isWalked(1, candidates);
  }

  @Override
  public void close() {
    end();
    run.note(figures.figures);
  }
}
