package io.aragonite.exec.operator;

import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/** Expressions over each row. */
public final class ProjectOperator implements StreamOperator {
  private final List<Expr> expressions;
  private final List<ColumnShape> inputs;
  private final CompiledProjection projection;

  /**
   * @param inputs shapes of the columns that rows have before
   */
  public ProjectOperator(
      ExpressionCompiler compiler, List<Expr> expressions, List<ColumnShape> inputs) {
    this.expressions = List.copyOf(expressions);
    this.inputs = List.copyOf(inputs);
    this.projection = compiler.projection(expressions, inputs);
  }

  public List<Expr> expressions() {
    return expressions;
  }

  /** Shapes of the columns that rows have before. */
  public List<ColumnShape> inputs() {
    return inputs;
  }

  public CompiledProjection projection() {
    return projection;
  }

  @Override
  public List<ColumnShape> shapes() {
    return projection.shapes();
  }

  @Override
  public boolean keepsRows() {
    return true;
  }

  @Override
  public BatchConsumer newWorker(ExecContext context, BatchConsumer downstream) {
    return new BatchConsumer() {
      @Override
      public void accept(ColumnBatch batch) {
        downstream.accept(projection.evaluate(context, batch));
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
