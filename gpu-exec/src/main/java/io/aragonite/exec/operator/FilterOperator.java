package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/** Rows for which a predicate is true. Nothing is copied: columns get an indirection. */
public final class FilterOperator implements StreamOperator {
  private final CompiledPredicate predicate;
  private final List<ColumnShape> shapes;

  public FilterOperator(CompiledPredicate predicate, List<ColumnShape> shapes) {
    this.predicate = predicate;
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
    return new BatchConsumer() {
      @Override
      public void accept(ColumnBatch batch) {
        Buffer positions = context.scratch().allocate(4L * batch.rows());
        int count = predicate.select(context, batch, positions);
        if (count == batch.rows()) {
          downstream.accept(batch);
        } else if (count > 0) {
          downstream.accept(Batches.select(context, batch, positions, count));
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
    };
  }
}
