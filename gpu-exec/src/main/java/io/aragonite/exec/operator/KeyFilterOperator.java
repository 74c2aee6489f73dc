package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.KeyFilter;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
  private final @Nullable ValueKey values;
  private final KeyFilter filter;
  private final List<ColumnShape> shapes;

  /**
   * A column whose values are the words, so that no words need be made where it lies as it is. What
   * is below a null may pass: the join drops it.
   *
   * @param column of integers or codes in 4 or 8 bytes
   * @param zero the value whose word is 0
   */
  public record ValueKey(int column, long zero) {}

  /**
   * @param words one column, the rows' words
   * @param values where the words are a column's values; null: nowhere
   * @param shapes of the rows
   */
  public KeyFilterOperator(
      CompiledProjection words,
      @Nullable ValueKey values,
      KeyFilter filter,
      List<ColumnShape> shapes) {
    this.words = words;
    this.values = values;
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
      int count = select(batch, kept);
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

    private int select(ColumnBatch batch, Buffer kept) {
      if (values != null) {
        Column column = batch.column(values.column());
        int bytes = column.shape().storage().width();
        int count =
            column.rowIds() == null
                ? filter.select(context, column.values(), bytes, values.zero(), batch.rows(), kept)
                : -1;
        if (count >= 0) {
          return count;
        }
      }
      Buffer keys = words.evaluate(context, batch).column(0).values();
      return filter.select(context, keys, batch.rows(), kept);
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
