package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A number of rows, after a number that is left out. Workers count rows together, so that the
 * number is exact; which rows these are is up to the order in which they come.
 */
public final class LimitOperator implements StreamOperator {
  private final List<ColumnShape> shapes;
  private final long offset;
  private final long end;
  private final AtomicLong seen = new AtomicLong();

  /**
   * @param fetch rows to keep; Long.MAX_VALUE for all
   */
  public LimitOperator(List<ColumnShape> shapes, long offset, long fetch) {
    this.shapes = shapes;
    this.offset = offset;
    this.end = fetch > Long.MAX_VALUE - offset ? Long.MAX_VALUE : offset + fetch;
  }

  @Override
  public List<ColumnShape> shapes() {
    return shapes;
  }

  @Override
  public BatchConsumer newWorker(ExecContext context, BatchConsumer downstream) {
    return new BatchConsumer() {
      @Override
      public void accept(ColumnBatch batch) {
        long first = seen.getAndAdd(batch.rows());
        int from = (int) Math.clamp(offset - first, 0, batch.rows());
        int to = (int) Math.clamp(end - first, 0, batch.rows());
        if (from == 0 && to == batch.rows()) {
          downstream.accept(batch);
        } else if (from < to) {
          Buffer positions = context.scratch().allocate(4L * (to - from));
          context.scan().iota(context, positions, from, to - from);
          downstream.accept(Batches.select(context, batch, positions, to - from));
        }
      }

      @Override
      public void finish() {
        downstream.finish();
      }

      @Override
      public boolean done() {
        return seen.get() >= end || downstream.done();
      }
    };
  }
}
