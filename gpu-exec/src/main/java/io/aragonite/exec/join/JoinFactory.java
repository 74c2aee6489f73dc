package io.aragonite.exec.join;

import io.aragonite.exec.column.ColumnBatch;
import io.aragonite.exec.column.RowIds;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives.HashTable;
import io.aragonite.exec.expr.CompiledProjection;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.RowCollector;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.PlanCompiler;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import org.jspecify.annotations.Nullable;

/** Runs the build side of a join and yields the pipeline that probes it: one way an algorithm. */
public final class JoinFactory {
  private JoinFactory() {}

  /** The pipeline of a join's output. */
  public static PipelineHead compile(PlanCompiler compiler, Join plan) {
    Expr residual = plan.residual();
    Join join =
        new Join(
            plan.left(),
            plan.right(),
            plan.joinType(),
            plan.keys(),
            residual == null ? null : compiler.resolve(residual),
            plan.algorithm(),
            plan.buildLeft(),
            plan.types());
    PhysicalPlan buildPlan = join.buildLeft() ? join.left() : join.right();
    PipelineHead build = compiler.compile(buildPlan);
    RowCollector collector = new RowCollector(build.shapes(), compiler.memory());
    compiler.run(build, collector, plan);
    PipelineHead probe = compiler.compile(join.buildLeft() ? join.right() : join.left());
    JoinSpec spec =
        new JoinSpec(
            join,
            join.buildLeft() ? build.shapes() : probe.shapes(),
            join.buildLeft() ? probe.shapes() : build.shapes());
    Materialization how = Materialization.GFUR;
    BuildSide side = new BuildSide();
    return switch (join.algorithm()) {
      case NON_PARTITIONED_HASH -> hash(compiler, plan, spec, collector.rows(), side, probe, how);
      case NESTED_LOOP -> nestedLoop(compiler, spec, collector.rows(), side, probe, how);
    };
  }

  private static PipelineHead hash(
      PlanCompiler compiler,
      Join node,
      JoinSpec spec,
      ColumnBatch rows,
      BuildSide side,
      PipelineHead probe,
      Materialization how) {
    KeyLayout layout = KeyLayouts.choose(spec.buildKeyShapes(), spec.probeKeyShapes());
    HashBuild build = new HashBuild(spec, how, layout, compiler.expressions());
    long before = compiler.memory().used();
    HashTable table =
        compiler.work(
            node,
            context -> {
              build.build(context, rows, side);
              return compiler.closeLater(side.table());
            });
    compiler.addFigure(node, "build rows", rows.rows());
    compiler.addFigure(node, "distinct keys", table.distinct());
    compiler.addFigure(node, "largest multiplicity", table.maxMultiplicity());
    compiler.addStateBytes(node, Math.max(0, compiler.memory().used() - before));
    HashProbe operator = new HashProbe(spec, side, how, layout, compiler.expressions());
    boolean byWord = operator.marksByWord() && !table.unique();
    side.setFlagsByWord(byWord);
    return complete(compiler, spec, side, how, probe, operator, byWord ? build.words() : null);
  }

  private static PipelineHead nestedLoop(
      PlanCompiler compiler,
      JoinSpec spec,
      ColumnBatch rows,
      BuildSide side,
      PipelineHead probe,
      Materialization how) {
    ExecContext context = compiler.context();
    Buffer flags = Buffer.EMPTY;
    if (spec.flagsBuild()) {
      flags = compiler.memory().allocate(rows.rows());
      compiler.primitives().fill(context, flags, 1, 0, rows.rows());
    }
    side.fill(rows, null, flags, new RowIds(Buffer.EMPTY, 0, false));
    NestedLoopProbe operator = new NestedLoopProbe(spec, side, how, compiler.expressions());
    return complete(compiler, spec, side, how, probe, operator, null);
  }

  private static PipelineHead complete(
      PlanCompiler compiler,
      JoinSpec spec,
      BuildSide side,
      Materialization how,
      PipelineHead probe,
      StreamOperator operator,
      @Nullable CompiledProjection words) {
    PipelineHead joined = probe.then(operator);
    if (!spec.flagsBuild()) {
      return joined;
    }
    int morselRows = compiler.context().device().properties().morselRows();
    return joined.followedBy(
        new CompletionSource(spec, side, how, words, compiler.expressions(), morselRows));
  }
}
