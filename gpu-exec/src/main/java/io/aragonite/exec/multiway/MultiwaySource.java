package io.aragonite.exec.multiway;

import io.aragonite.exec.column.ColumnShape;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.multiway.MultiwayRun.Candidates;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.Source;
import java.util.List;

/**
 * The rows of a multi-predicate join. Its morsels are equal shares of the second variable's
 * candidates over all values of the first: a value with many of them, a hub of a graph, is shared
 * among workers.
 */
final class MultiwaySource implements Source {
  private final MultiwayRun run;
  private final Candidates candidates;
  private final long share;

  /**
   * @param candidates of the second step
   * @param share candidates of a morsel
   */
  MultiwaySource(MultiwayRun run, Candidates candidates, long share) {
    this.run = run;
    this.candidates = candidates;
    this.share = Math.max(share, (candidates.total() >> 30) + 1);
  }

  @Override
  public List<ColumnShape> shapes() {
    return run.shapes();
  }

  @Override
  public int morsels() {
    return run.counts(1) ? 1 : (int) ((candidates.total() + share - 1) / share);
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    long from = morsel * share;
    context.scratch().reset();
    if (run.counts(1)) {
      run.count(context, candidates, consumer);
      return;
    }
    run.run(context, 1, candidates, from, Math.min(from + share, candidates.total()), consumer);
  }
}
