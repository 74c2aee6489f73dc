package io.aragonite.exec.operator;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/** Rows for which a predicate is true. Nothing is copied: columns get an indirection. */
public final class FilterOperator implements StreamOperator {
  private final Expr expression;
  private final CompiledPredicate predicate;
  private final List<ColumnShape> shapes;
  private final double share;

  /**
   * @param shapes of the columns of rows
   * @param share how much of the rows is expected to be kept; NaN: nobody knows
   */
  public FilterOperator(
      ExpressionCompiler compiler, Expr predicate, List<ColumnShape> shapes, double share) {
    this.expression = predicate;
    this.predicate = compiler.predicate(predicate, shapes);
    this.shapes = shapes;
    this.share = share;
  }

  public Expr predicate() {
    return expression;
  }

  /** How much of the rows is expected to be kept; NaN: nobody knows. */
  public double share() {
    return share;
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
