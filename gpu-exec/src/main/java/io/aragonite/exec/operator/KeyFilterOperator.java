package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.KeyFilter;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/**
 * Rows whose word a filter knows. What it lets through is looked at again by the join that the
 * filter comes from; so a worker whose rows nearly all pass stops asking.
 */
public final class KeyFilterOperator implements StreamOperator {
  /** Rows after which a worker judges the filter ... */
  private static final long JUDGED = 1 << 16;

  /** ... and the share that must not pass for it to go on. */
  private static final double WORTH = 0.1;

  private final CompiledProjection words;
  private final KeyFilter filter;
  private final List<ColumnShape> shapes;

  /**
   * @param words one column, the rows' words
   * @param shapes of the rows
   */
  public KeyFilterOperator(CompiledProjection words, KeyFilter filter, List<ColumnShape> shapes) {
    this.words = words;
    this.filter = filter;
    this.shapes = shapes;
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public boolean selects() {
    return true;
  }

  @Override
  public BatchConsumer newWorker(ExecContext context, BatchConsumer downstream) {
    return new Worker(context, downstream);
  }

  private final class Worker implements BatchConsumer {
    private final ExecContext context;
    private final BatchConsumer downstream;
    private long seen;
    private long dropped;

    Worker(ExecContext context, BatchConsumer downstream) {
      this.context = context;
      this.downstream = downstream;
    }

    @Override
    public void accept(ColumnBatch batch) {
      int rows = batch.rows();
      if (rows == 0 || seen >= JUDGED && dropped < WORTH * seen) {
        downstream.accept(batch);
        return;
      }
      Buffer kept = context.scratch().allocate(4L * rows);
      Buffer keys = words.evaluate(context, batch).column(0).values();
      int count = filter.select(context, keys, rows, kept);
      seen += rows;
      dropped += rows - count;
      if (count < rows) {
        context.addFigure("rows dropped by a join's filter", rows - (long) count);
      }
      if (count == rows) {
        downstream.accept(batch);
      } else if (count > 0) {
        downstream.accept(Batches.select(context, batch, kept, count));
      }
    }

    @Override
    public void finish() {
      downstream.finish();
    }

    @Override
    public boolean done() {
      return downstream.done();
    }
  }
}
