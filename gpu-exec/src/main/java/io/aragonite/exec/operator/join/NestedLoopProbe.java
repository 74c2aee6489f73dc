package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Joins each batch with all build rows: for conditions without an equality, or none at all. */
final class NestedLoopProbe implements StreamOperator {
  private final JoinSpec spec;
  private final BuildSide side;
  private final @Nullable PairPredicate condition;

  NestedLoopProbe(JoinSpec spec, BuildSide side, ExpressionCompiler compiler) {
    this.spec = spec;
    this.side = side;
    Expr keys = spec.nullAware() ? spec.keysNotUnequal() : spec.keysEqual();
    this.condition = PairPredicate.of(compiler, spec, JoinSpec.and(keys, spec.plan().residual()));
  }

  @Override
  public List<ColumnShape> shapes() {
    return spec.output();
  }

  @Override
  public boolean expands() {
    return spec.emitsPairs() && side.rows().rows() > 1;
  }

  /** As of other joins, see {@link HashProbe#keepsOrder}. */
  @Override
  public boolean keepsOrder() {
    return !spec.emitsPairs()
        || side.rows().rows() <= 1 && (condition == null || !spec.padsBuild());
  }

  @Override
  public void close() {
    side.close();
  }

  @Override
  public ProbeWorker newWorker(ExecContext context, BatchConsumer downstream) {
    return new Worker(context, downstream);
  }

  private final class Worker extends ProbeWorker {
    Worker(ExecContext context, BatchConsumer downstream) {
      super(NestedLoopProbe.this.spec, NestedLoopProbe.this.side, context, downstream);
    }

    @Override
    void probe(ColumnBatch batch) {
      int buildRows = side.rows().rows();
      if (buildRows == 0) {
        if (!keeps()) {
          noMatch(batch);
        }
      } else if (condition == null && keeps()) {
        context.scan().fill(context, newProbeFlags(batch.rows()), 1, 1, batch.rows());
        if (spec.emitsPairs()) {
          pairs(batch, cross(batch, buildRows), null, newProbeFlags(batch.rows()));
        }
      } else if (condition == null) {
        unconditional(batch, buildRows);
      } else {
        Buffer flags = newProbeFlags(batch.rows());
        pairs(batch, cross(batch, buildRows), condition, flags);
        complete(batch, flags);
      }
    }

    private PairGenerator cross(ColumnBatch batch, int buildRows) {
      return new PairGenerator.Cross(context, null, batch.rows(), null, buildRows);
    }

    /** Every pair matches. */
    private void unconditional(ColumnBatch batch, int buildRows) {
      if (spec.flagsBuild()) {
        context.scan().fill(context, side.flags(), 1, 1, buildRows);
      }
      if (spec.choosesProbe()) {
        if (spec.choosesMatched()) {
          downstream.accept(batch);
        }
      } else if (spec.emitsPairs()) {
        if (buildRows == 1) {
          // A scalar subquery: the probe side's columns pass untouched.
          Buffer first = ids(batch.rows());
          context.scan().fill(context, first, 4, 0, batch.rows());
          emitPairs(batch, null, first, batch.rows(), false);
        } else {
          pairs(batch, cross(batch, buildRows), null, newProbeFlags(batch.rows()));
        }
      }
    }
  }
}
